-- Times are milliseconds since 1970. JSON is text, since its bytes matter.

CREATE TABLE players (
    id         INTEGER PRIMARY KEY,
    name       TEXT    NOT NULL,
    name_key   TEXT    NOT NULL UNIQUE,
    role       TEXT    NOT NULL,
    avatar     TEXT    NOT NULL,
    device     BLOB    UNIQUE,
    created_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE credentials (
    player_id     INTEGER PRIMARY KEY REFERENCES players ON DELETE CASCADE,
    password_hash TEXT    NOT NULL
) STRICT;

-- No foreign key: a session outlives its player as revoked, so that caches learn of it.
CREATE TABLE sessions (
    id         INTEGER PRIMARY KEY,
    player_id  INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    until_ms   INTEGER NOT NULL,
    changed_ms INTEGER NOT NULL,
    is_revoked INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_by_player ON sessions (player_id);
CREATE INDEX sessions_by_change ON sessions (changed_ms) WHERE is_revoked OR generation > 0;
CREATE INDEX sessions_by_end ON sessions (until_ms);

CREATE TABLE matches (
    id             INTEGER PRIMARY KEY,
    game           TEXT    NOT NULL,
    rules_version  INTEGER NOT NULL,
    options        TEXT    NOT NULL,
    from_position  TEXT,
    seed           TEXT    NOT NULL,
    commitment     TEXT    NOT NULL,
    settings       TEXT    NOT NULL,
    created_ms     INTEGER NOT NULL,
    owner          TEXT,
    -- Null once the match is over.
    lease_until_ms INTEGER
) STRICT;
CREATE INDEX matches_by_lease ON matches (lease_until_ms) WHERE lease_until_ms IS NOT NULL;

CREATE TABLE match_seats (
    match_id  INTEGER NOT NULL REFERENCES matches,
    seat      INTEGER NOT NULL,
    player_id INTEGER REFERENCES players ON DELETE SET NULL,
    bot       TEXT,
    place     INTEGER,
    PRIMARY KEY (match_id, seat)
) STRICT, WITHOUT ROWID;
CREATE INDEX match_seats_by_player ON match_seats (player_id);

-- What an append must know of its match. Apart from `matches`, so that the rows of all matches that
-- are played just now lie on few pages.
CREATE TABLE heads (
    match_id   INTEGER PRIMARY KEY REFERENCES matches,
    is_over    INTEGER NOT NULL,
    epoch      INTEGER NOT NULL,
    plies      INTEGER NOT NULL,
    last_entry INTEGER
) STRICT;

-- In the order of arrival, so that a commit of many matches writes few pages; (match_id, ply) is
-- unique because an append must be its head's next ply. A match's entries are a chain from its
-- head's last entry back.
CREATE TABLE entries (
    id       INTEGER PRIMARY KEY,
    match_id INTEGER NOT NULL,
    ply      INTEGER NOT NULL,
    seat     INTEGER,
    at_ms    INTEGER NOT NULL,
    nonce    INTEGER NOT NULL,
    epoch    INTEGER NOT NULL,
    kind     TEXT    NOT NULL,
    previous INTEGER
) STRICT;

CREATE TABLE results (
    match_id    INTEGER PRIMARY KEY REFERENCES matches,
    ended_ms    INTEGER NOT NULL,
    reason      TEXT    NOT NULL,
    final_views TEXT    NOT NULL,
    notations   TEXT    NOT NULL,
    state_hash  TEXT    NOT NULL
) STRICT;

CREATE TABLE statistics (
    player_id INTEGER NOT NULL REFERENCES players ON DELETE CASCADE,
    game      TEXT    NOT NULL,
    won       INTEGER NOT NULL,
    drawn     INTEGER NOT NULL,
    lost      INTEGER NOT NULL,
    PRIMARY KEY (player_id, game)
) STRICT, WITHOUT ROWID;

CREATE TABLE ratings (
    player_id  INTEGER NOT NULL REFERENCES players ON DELETE CASCADE,
    game       TEXT    NOT NULL,
    speed      TEXT    NOT NULL,
    rating     REAL    NOT NULL,
    deviation  REAL    NOT NULL,
    volatility REAL    NOT NULL,
    version    INTEGER NOT NULL,
    PRIMARY KEY (player_id, game, speed)
) STRICT, WITHOUT ROWID;

CREATE TABLE lobbies (
    id         INTEGER PRIMARY KEY,
    host       INTEGER NOT NULL REFERENCES players ON DELETE CASCADE,
    is_public  INTEGER NOT NULL,
    body       TEXT    NOT NULL,
    created_ms INTEGER NOT NULL,
    version    INTEGER NOT NULL
) STRICT;
CREATE INDEX lobbies_by_host ON lobbies (host);
CREATE INDEX lobbies_by_time ON lobbies (created_ms, id) WHERE is_public;

CREATE TABLE pairings (
    player_id INTEGER PRIMARY KEY REFERENCES players ON DELETE CASCADE,
    pool      TEXT    NOT NULL,
    body      TEXT    NOT NULL,
    since_ms  INTEGER NOT NULL
) STRICT;

-- The id begins with the time, so its order is the order of time.
CREATE TABLE audit (
    id          INTEGER PRIMARY KEY,
    at_ms       INTEGER NOT NULL,
    kind        TEXT    NOT NULL,
    name        TEXT    NOT NULL,
    severity    TEXT    NOT NULL,
    user_id     INTEGER,
    session_id  INTEGER,
    match_id    INTEGER,
    correlation TEXT,
    payload     TEXT    NOT NULL,
    is_redacted INTEGER NOT NULL
) STRICT;
CREATE INDEX audit_by_user ON audit (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX audit_by_match ON audit (match_id) WHERE match_id IS NOT NULL;

-- One row that a ping writes.
CREATE TABLE pulse (
    id    INTEGER PRIMARY KEY CHECK (id = 1),
    count INTEGER NOT NULL
) STRICT;
