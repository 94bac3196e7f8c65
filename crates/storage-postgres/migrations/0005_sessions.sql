-- What a login came from, coarsely; null for those of the binary before.
ALTER TABLE sessions ADD COLUMN browser TEXT;

-- Equal for names that people take for one another; as `domain::skeleton` makes it. Not unique: older
-- accounts may have such names. Computed, so that the binary before need not know of it.
ALTER TABLE players ADD COLUMN skeleton TEXT COLLATE "C" GENERATED ALWAYS AS (
    replace(replace(replace(replace(replace(replace(
        name_key, '_', '-'), '0', 'o'), '1', 'l'), 'i', 'l'), 'rn', 'm'), 'vv', 'w')
) STORED;
CREATE INDEX players_by_skeleton ON players (skeleton);
-- When the name was changed last; null if never.
ALTER TABLE players ADD COLUMN renamed_ms BIGINT;

-- Names that nobody but the player may take until then.
CREATE TABLE former_names (
    skeleton TEXT COLLATE "C" PRIMARY KEY,
    player_id BIGINT NOT NULL REFERENCES players ON DELETE CASCADE,
    until_ms BIGINT NOT NULL
);
CREATE INDEX former_names_by_player ON former_names (player_id);
