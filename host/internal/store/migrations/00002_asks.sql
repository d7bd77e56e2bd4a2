-- +goose Up
-- body is the ask as JSON; the columns beside it are what queries look for. An
-- ended ask's body holds no raw input.
CREATE TABLE asks (
  seq      INTEGER PRIMARY KEY AUTOINCREMENT,
  id       TEXT NOT NULL UNIQUE,
  token    TEXT NOT NULL,
  agent    TEXT NOT NULL,
  session  TEXT NOT NULL,
  call_id  TEXT NOT NULL,
  digest   TEXT NOT NULL,
  state    TEXT NOT NULL,
  cause    TEXT NOT NULL,
  ended_at INTEGER NOT NULL,
  used_at  INTEGER NOT NULL,
  body     TEXT NOT NULL
) STRICT;

CREATE INDEX asks_key ON asks (token, session, call_id, seq);
CREATE INDEX asks_digest ON asks (agent, digest, ended_at);
CREATE INDEX asks_waiting ON asks (seq) WHERE state IN ('queued', 'shown');

CREATE TABLE streaks (
  session   TEXT PRIMARY KEY,
  refusals  INTEGER NOT NULL,
  paused_at INTEGER NOT NULL
) STRICT;

-- +goose Down
DROP TABLE streaks;
DROP TABLE asks;
