-- Null if the binary before this wrote it: then the row's other time counts.
ALTER TABLE lobbies ADD COLUMN touched_ms BIGINT;
ALTER TABLE pairings ADD COLUMN asked_ms BIGINT;

-- Pairs are looked for in one pool at a time. A pool's key can be longer than a B-tree takes.
CREATE INDEX pairings_by_pool ON pairings USING HASH (pool);

-- A seat of a running match has no place yet: counting these does not read all matches of a player.
CREATE INDEX match_seats_open ON match_seats (player_id) WHERE place IS NULL;

-- The daily purge looks for old ends without reading results.
CREATE INDEX results_by_end ON results (ended_ms, match_id);
