-- A match that the binary before begins is in no list.
ALTER TABLE matches ADD COLUMN is_public INTEGER NOT NULL DEFAULT 0;

-- Only of those that run, so that the list costs the same however many are over.
CREATE INDEX matches_in_list ON matches (created_ms, id)
    WHERE is_public AND lease_until_ms IS NOT NULL;
