-- Times are milliseconds since 1970. JSON is TEXT, since its very bytes matter. Keys that are
-- sorted by are compared bytewise, whatever the database's language.

CREATE TABLE players (
    id BIGINT CONSTRAINT players_id PRIMARY KEY,
    name TEXT NOT NULL,
    -- The name in ASCII lower case.
    name_key TEXT COLLATE "C" NOT NULL CONSTRAINT players_name UNIQUE,
    role TEXT NOT NULL,
    avatar TEXT NOT NULL,
    device BYTEA CONSTRAINT players_device UNIQUE,
    created_ms BIGINT NOT NULL
);

CREATE TABLE credentials (
    player_id BIGINT PRIMARY KEY REFERENCES players ON DELETE CASCADE,
    password_hash TEXT NOT NULL
);

-- No foreign key: a session outlives its player, as a revoked one.
CREATE TABLE sessions (
    id BIGINT CONSTRAINT sessions_id PRIMARY KEY,
    player_id BIGINT NOT NULL,
    generation INT NOT NULL,
    created_ms BIGINT NOT NULL,
    until_ms BIGINT NOT NULL,
    changed_ms BIGINT NOT NULL,
    is_revoked BOOLEAN NOT NULL
);
CREATE INDEX sessions_by_player ON sessions (player_id);
CREATE INDEX sessions_by_end ON sessions (until_ms);
CREATE INDEX sessions_by_change ON sessions (changed_ms) WHERE is_revoked OR 0 < generation;

CREATE TABLE matches (
    id BIGINT CONSTRAINT matches_id PRIMARY KEY,
    game TEXT NOT NULL,
    rules_version INT NOT NULL,
    options TEXT NOT NULL,
    from_position TEXT,
    seed TEXT NOT NULL,
    commitment TEXT NOT NULL,
    settings TEXT NOT NULL,
    seats SMALLINT NOT NULL,
    created_ms BIGINT NOT NULL,
    -- 0 is running, 1 is over.
    status SMALLINT NOT NULL,
    owner TEXT,
    epoch INT NOT NULL,
    lease_until_ms BIGINT NOT NULL
);
CREATE INDEX matches_by_lease ON matches (lease_until_ms) WHERE status = 0;

-- A seat with neither a player nor a bot is of somebody who is gone.
CREATE TABLE match_seats (
    match_id BIGINT NOT NULL REFERENCES matches,
    seat SMALLINT NOT NULL,
    player_id BIGINT CONSTRAINT match_seats_player REFERENCES players ON DELETE SET NULL,
    bot TEXT,
    place SMALLINT,
    PRIMARY KEY (match_id, seat)
);
CREATE INDEX match_seats_by_player ON match_seats (player_id);

-- No foreign key: its trigger would lock the match's row for each entry, about a third of an append's
-- time when it was measured. Entries are inserted by a join with their match, and no match is ever
-- deleted.
CREATE TABLE entries (
    match_id BIGINT NOT NULL,
    ply INT NOT NULL,
    seat SMALLINT,
    at_ms BIGINT NOT NULL,
    -- Unsigned, bit for bit.
    nonce BIGINT NOT NULL,
    epoch INT NOT NULL,
    kind TEXT NOT NULL,
    PRIMARY KEY (match_id, ply)
);

CREATE TABLE results (
    match_id BIGINT PRIMARY KEY REFERENCES matches,
    ended_ms BIGINT NOT NULL,
    reason TEXT NOT NULL,
    final_views TEXT NOT NULL,
    notations TEXT NOT NULL,
    state_hash TEXT NOT NULL
);

CREATE TABLE statistics (
    player_id BIGINT NOT NULL REFERENCES players ON DELETE CASCADE,
    game TEXT COLLATE "C" NOT NULL,
    won INT NOT NULL,
    drawn INT NOT NULL,
    lost INT NOT NULL,
    PRIMARY KEY (player_id, game)
);

CREATE TABLE ratings (
    player_id BIGINT NOT NULL REFERENCES players ON DELETE CASCADE,
    game TEXT COLLATE "C" NOT NULL,
    speed TEXT COLLATE "C" NOT NULL,
    rating DOUBLE PRECISION NOT NULL,
    deviation DOUBLE PRECISION NOT NULL,
    volatility DOUBLE PRECISION NOT NULL,
    version INT NOT NULL,
    PRIMARY KEY (player_id, game, speed)
);

CREATE TABLE lobbies (
    id BIGINT PRIMARY KEY,
    host BIGINT NOT NULL REFERENCES players ON DELETE CASCADE,
    is_public BOOLEAN NOT NULL,
    body TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    version INT NOT NULL
);
CREATE INDEX lobbies_by_host ON lobbies (host);
CREATE INDEX lobbies_by_age ON lobbies (created_ms, id) WHERE is_public;

CREATE TABLE pairings (
    player_id BIGINT PRIMARY KEY CONSTRAINT pairings_player REFERENCES players ON DELETE CASCADE,
    pool TEXT NOT NULL,
    body TEXT NOT NULL,
    since_ms BIGINT NOT NULL
);
CREATE INDEX pairings_by_wait ON pairings (since_ms, player_id);

-- No foreign keys: a record outlives what it tells of.
CREATE TABLE audit (
    id BIGINT CONSTRAINT audit_id PRIMARY KEY,
    at_ms BIGINT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    severity TEXT NOT NULL,
    user_id BIGINT,
    session_id BIGINT,
    match_id BIGINT,
    correlation TEXT,
    payload TEXT NOT NULL,
    is_redacted BOOLEAN NOT NULL
);
CREATE INDEX audit_by_time ON audit (at_ms);
CREATE INDEX audit_by_name ON audit (name, id);
CREATE INDEX audit_by_user ON audit (user_id, id) WHERE user_id IS NOT NULL;
CREATE INDEX audit_by_session ON audit (session_id, id) WHERE session_id IS NOT NULL;
CREATE INDEX audit_by_match ON audit (match_id, id) WHERE match_id IS NOT NULL;
CREATE INDEX audit_by_correlation ON audit (correlation, id) WHERE correlation IS NOT NULL;

-- One row, written to see whether writing works.
CREATE TABLE pulse (
    id INT PRIMARY KEY,
    beats BIGINT NOT NULL
);
