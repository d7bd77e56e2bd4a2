-- +goose Up
-- One row per decision, and per change of rules and sessions. hash covers every
-- column before it and prev, the hash of the row before.
CREATE TABLE audit (
  seq           INTEGER PRIMARY KEY,
  timestamp     INTEGER NOT NULL,
  event         TEXT NOT NULL,
  agent_name    TEXT NOT NULL,
  session       TEXT NOT NULL,
  user_id       TEXT NOT NULL,
  tool          TEXT NOT NULL,
  action_string TEXT NOT NULL,
  decision      TEXT NOT NULL,
  decided_by    TEXT NOT NULL,
  detail        TEXT NOT NULL,
  stage         TEXT NOT NULL,
  code          TEXT NOT NULL,
  rule_id       TEXT NOT NULL,
  rule_text     TEXT NOT NULL,
  module_digest TEXT NOT NULL,
  call_id       TEXT NOT NULL,
  digest        TEXT NOT NULL,
  input         TEXT NOT NULL,
  latency       INTEGER NOT NULL,
  prev          BLOB NOT NULL,
  hash          BLOB NOT NULL
) STRICT;

CREATE INDEX audit_events ON audit (event, seq) WHERE event <> 'decision';

-- The last row ever written: rows that are missing at the end show against it.
CREATE TABLE audit_head (
  one  INTEGER PRIMARY KEY CHECK (one = 1),
  seq  INTEGER NOT NULL,
  hash BLOB NOT NULL
) STRICT;

INSERT INTO audit_head (one, seq, hash) VALUES (1, 0, zeroblob(32));

-- +goose Down
DROP TABLE audit_head;
DROP TABLE audit;
