-- Who began a match without a seat in it: it is theirs to watch all the same.
ALTER TABLE matches ADD COLUMN founder INTEGER REFERENCES players ON DELETE SET NULL;
CREATE INDEX matches_by_founder ON matches (founder) WHERE founder IS NOT NULL;

-- The hash of the secret in its watch link.
ALTER TABLE matches ADD COLUMN watch_key BLOB;

-- Of the matches that run without a person in a seat the audit log knows who began them.
UPDATE matches SET founder = (
    SELECT players.id FROM audit JOIN players ON players.id = audit.user_id
    WHERE audit.match_id = matches.id AND audit.name = 'match_started'
)
WHERE lease_until_ms IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM match_seats
    WHERE match_seats.match_id = matches.id AND match_seats.player_id IS NOT NULL
);

-- What of the numbers beside them comes from public matches. A match that the binary before ends
-- counts in those numbers and not here.
ALTER TABLE statistics ADD COLUMN public_won INTEGER NOT NULL DEFAULT 0;
ALTER TABLE statistics ADD COLUMN public_drawn INTEGER NOT NULL DEFAULT 0;
ALTER TABLE statistics ADD COLUMN public_lost INTEGER NOT NULL DEFAULT 0;

CREATE TEMP TABLE public_scores AS
SELECT own.player_id, matches.game, own.place,
    (SELECT count(*) FROM match_seats AS other
     WHERE other.match_id = own.match_id AND other.place = 1) AS firsts
FROM match_seats AS own JOIN matches ON matches.id = own.match_id
WHERE matches.is_public AND own.player_id IS NOT NULL AND own.place IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM match_seats AS other
                    WHERE other.match_id = own.match_id AND other.bot IS NOT NULL);
CREATE INDEX temp.public_scores_by_player ON public_scores (player_id, game);

UPDATE statistics SET
    public_won = (SELECT count(*) FROM public_scores AS its
        WHERE its.player_id = statistics.player_id AND its.game = statistics.game
            AND place = 1 AND firsts = 1),
    public_drawn = (SELECT count(*) FROM public_scores AS its
        WHERE its.player_id = statistics.player_id AND its.game = statistics.game
            AND place = 1 AND firsts > 1),
    public_lost = (SELECT count(*) FROM public_scores AS its
        WHERE its.player_id = statistics.player_id AND its.game = statistics.game AND place > 1);

DROP TABLE temp.public_scores;
