-- +goose Up
-- The secrets that open the interface, each kept as its SHA-256 alone. audit_seq
-- is the row of the audit that admitted it: without it the token is not used.
CREATE TABLE tokens (
  id           TEXT PRIMARY KEY,
  name         TEXT NOT NULL,
  kind         TEXT NOT NULL,
  agent        TEXT NOT NULL,
  sha256       BLOB NOT NULL UNIQUE,
  created_by   TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  revoked_at   INTEGER NOT NULL,
  audit_seq    INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX tokens_name ON tokens (name) WHERE revoked_at = 0;
CREATE UNIQUE INDEX tokens_agent ON tokens (agent) WHERE revoked_at = 0 AND kind = 'check';

-- +goose Down
DROP TABLE tokens;
