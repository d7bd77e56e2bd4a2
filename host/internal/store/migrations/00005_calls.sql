-- +goose Up
-- The calls that were judged, by the client's own id: what an answer belongs to
-- and what ran is compared with. Digests only, no inputs. Rows older than a week
-- are deleted. behavior is what the client was told, audit_seq the row that says it.
CREATE TABLE calls (
  token        TEXT NOT NULL,
  session      TEXT NOT NULL,
  call_id      TEXT NOT NULL,
  agent        TEXT NOT NULL,
  tool         TEXT NOT NULL,
  cwd          TEXT NOT NULL,
  input_digest TEXT NOT NULL,
  digest       TEXT NOT NULL,
  behavior     TEXT NOT NULL,
  outcome      TEXT NOT NULL,
  ask_id       TEXT NOT NULL,
  moves        INTEGER NOT NULL,
  judged_at    INTEGER NOT NULL,
  finished_at  INTEGER NOT NULL,
  audit_seq    INTEGER NOT NULL,
  PRIMARY KEY (token, session, call_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX calls_unfinished ON calls (token, session, judged_at) WHERE finished_at = 0;
CREATE INDEX calls_age ON calls (judged_at);

-- Why a session was stopped whose calls are all denied; empty for the pause after
-- refusals in a row.
ALTER TABLE streaks ADD COLUMN why TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE streaks DROP COLUMN why;
DROP TABLE calls;
