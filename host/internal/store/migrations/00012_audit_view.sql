-- +goose Up
-- The rows are in audit_log; audit shows the decisions among them in the columns of
-- the Chorus seed. No row changes, so the chain of hashes stays as it is.
ALTER TABLE audit RENAME TO audit_log;

-- Where the rule came from, which module in which version judged, and which ask a
-- person answered. A row's hash covers them when one of them is not empty.
ALTER TABLE audit_log ADD COLUMN rule_source TEXT NOT NULL DEFAULT '';
ALTER TABLE audit_log ADD COLUMN module TEXT NOT NULL DEFAULT '';
ALTER TABLE audit_log ADD COLUMN ask_id TEXT NOT NULL DEFAULT '';

-- What is looked for, in the order of the rows: a row costs one entry at the end,
-- where an index of each column would cost one in the middle of each. A search reads
-- this in place of the rows.
CREATE INDEX audit_search ON audit_log (seq, timestamp, agent_name, session, tool, user_id, decision, decided_by, rule_id, call_id, ask_id);

-- timestamp is UTC. detail says why, as there: nothing for what was simply
-- allowed, who decided when that is not the user, and the reason of a denial.
CREATE VIEW audit AS
SELECT
  agent_name,
  strftime('%Y-%m-%dT%H:%M:%S', timestamp / 1000000000, 'unixepoch') AS timestamp,
  action_string,
  decision,
  user_id,
  CASE
    WHEN decision = 'allow' THEN ''
    WHEN decision = 'ask_approved' THEN iif(decided_by IN ('', user_id), '', 'Approved by ' || decided_by)
    WHEN decision = 'ask_denied' THEN iif(decided_by IN ('', user_id), 'User denied', 'User denied: ' || decided_by)
      || iif(instr(detail, 'a person denied it: ') > 0, ': ' || substr(detail, instr(detail, 'a person denied it: ') + 20), '')
    WHEN decision = 'ask_timeout' THEN 'Nobody answered in time'
    WHEN stage = 'profile' AND rule_source LIKE 'profile %' THEN 'Profile: ' || substr(rule_source, 9)
    ELSE detail
  END AS detail
FROM audit_log
WHERE event = 'decision'
ORDER BY seq;

-- What retention removed: the number and hash of the last row that is gone, which
-- the first row that is left follows, and up to which row it shall go. See the
-- row of event audit_pruned that says the same.
CREATE TABLE audit_anchor (
  one    INTEGER PRIMARY KEY CHECK (one = 1),
  seq    INTEGER NOT NULL,
  hash   BLOB NOT NULL,
  target INTEGER NOT NULL
) STRICT;

INSERT INTO audit_anchor (one, seq, hash, target) VALUES (1, 0, zeroblob(32), 0);

-- What retention looks for.
CREATE INDEX asks_ended ON asks (ended_at) WHERE ended_at > 0;

-- +goose Down
-- An older version knows no such columns, which newer rows' hashes cover: to it
-- those rows are broken. The backup is the way back.
DROP INDEX asks_ended;
DROP TABLE audit_anchor;
DROP VIEW audit;
DROP INDEX audit_search;
ALTER TABLE audit_log DROP COLUMN ask_id;
ALTER TABLE audit_log DROP COLUMN module;
ALTER TABLE audit_log DROP COLUMN rule_source;
ALTER TABLE audit_log RENAME TO audit;
