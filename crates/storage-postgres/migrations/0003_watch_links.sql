-- Who began a match without a seat in it: it is theirs to watch all the same.
ALTER TABLE matches ADD COLUMN founder BIGINT REFERENCES players ON DELETE SET NULL;
CREATE INDEX matches_by_founder ON matches (founder) WHERE founder IS NOT NULL;

-- The hash of the secret in its watch link.
ALTER TABLE matches ADD COLUMN watch_key BYTEA;

-- Of the matches that run without a person in a seat the audit log knows who began them.
UPDATE matches SET founder = players.id
FROM audit JOIN players ON players.id = audit.user_id
WHERE audit.match_id = matches.id AND audit.name = 'match_started' AND matches.status = 0
    AND NOT EXISTS (
        SELECT 1 FROM match_seats
        WHERE match_seats.match_id = matches.id AND match_seats.player_id IS NOT NULL
    );

-- What of the numbers beside them comes from public matches. A match that the binary before ends
-- counts in those numbers and not here.
ALTER TABLE statistics ADD COLUMN public_won INT NOT NULL DEFAULT 0;
ALTER TABLE statistics ADD COLUMN public_drawn INT NOT NULL DEFAULT 0;
ALTER TABLE statistics ADD COLUMN public_lost INT NOT NULL DEFAULT 0;

UPDATE statistics SET public_won = its.won, public_drawn = its.drawn, public_lost = its.lost
FROM (
    SELECT own.player_id, matches.game,
        COUNT(*) FILTER (WHERE own.place = 1 AND whole.firsts = 1) AS won,
        COUNT(*) FILTER (WHERE own.place = 1 AND whole.firsts > 1) AS drawn,
        COUNT(*) FILTER (WHERE own.place > 1) AS lost
    FROM match_seats AS own
    JOIN matches ON matches.id = own.match_id
    JOIN (
        SELECT match_id, COUNT(bot) AS bots, COUNT(*) FILTER (WHERE place = 1) AS firsts
        FROM match_seats GROUP BY match_id
    ) AS whole ON whole.match_id = own.match_id AND whole.bots = 0
    WHERE matches.is_public AND own.player_id IS NOT NULL
    GROUP BY own.player_id, matches.game
) AS its
WHERE statistics.player_id = its.player_id AND statistics.game = its.game;
