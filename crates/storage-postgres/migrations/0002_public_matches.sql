-- A match that the binary before begins is in no list.
ALTER TABLE matches ADD COLUMN is_public BOOLEAN NOT NULL DEFAULT FALSE;

-- Only of those that run, so that the list costs the same however many are over.
CREATE INDEX matches_in_list ON matches (created_ms, id) WHERE is_public AND status = 0;
