-- +goose Up
-- Times are nanoseconds since 1970 UTC; 0 means "none". 1128743252 is "CGAT".
PRAGMA application_id = 1128743252;

CREATE TABLE meta (
  name  TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT;

CREATE TABLE rules (
  id         TEXT PRIMARY KEY,
  tool       TEXT NOT NULL,
  content    TEXT,
  behavior   TEXT NOT NULL CHECK (behavior IN ('deny', 'ask', 'allow')),
  source     TEXT NOT NULL,
  scope      TEXT NOT NULL CHECK (scope IN ('global', 'project', 'agent', 'session')),
  scope_key  TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  reason     TEXT NOT NULL,
  match      TEXT NOT NULL,
  not_match  TEXT NOT NULL,
  audit_seq  INTEGER NOT NULL,
  CHECK ((scope = 'global') = (scope_key = ''))
) STRICT;

-- A rule is what it says, where it says it: a second one would be the same.
CREATE UNIQUE INDEX rules_same ON rules (scope, scope_key, tool, behavior, coalesce(content, '*'));

CREATE TABLE sessions (
  id           TEXT PRIMARY KEY,
  agent        TEXT NOT NULL,
  token        TEXT NOT NULL,
  user         TEXT NOT NULL,
  cwd          TEXT NOT NULL,
  project_root TEXT NOT NULL,
  kind         TEXT NOT NULL,
  parent       TEXT NOT NULL,
  mode         TEXT,
  paused       TEXT NOT NULL,
  paused_at    INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  seen_at      INTEGER NOT NULL
) STRICT;

CREATE INDEX sessions_agent ON sessions (agent, seen_at);

-- +goose Down
DROP TABLE sessions;
DROP TABLE rules;
DROP TABLE meta;
