-- +goose Up
-- rev counts the changes of a waiting ask, node is the daemon where its call waits, home is the
-- daemon that decides a session's calls.
ALTER TABLE asks ADD COLUMN rev bigint NOT NULL DEFAULT 0;
ALTER TABLE asks ADD COLUMN node text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN home text COLLATE "C" NOT NULL DEFAULT '';

-- The rest has no counterpart in SQLite: it is for several daemons. The epoch is the number of the
-- last change of a rule, a session's mode, a setting or a token; each change has a row.
ALTER TABLE audit_head ADD COLUMN epoch bigint NOT NULL DEFAULT 1;

CREATE TABLE changes (
  epoch bigint NOT NULL,
  kind  text COLLATE "C" NOT NULL,
  id    text COLLATE "C" NOT NULL,
  node  text COLLATE "C" NOT NULL
);

CREATE INDEX changes_epoch ON changes (epoch);

CREATE TABLE nodes (
  id      text COLLATE "C" PRIMARY KEY,
  name    text COLLATE "C" NOT NULL,
  version text COLLATE "C" NOT NULL,
  since   timestamptz NOT NULL,
  seen    timestamptz NOT NULL,
  epoch   bigint NOT NULL
);

CREATE TABLE leases (
  name   text COLLATE "C" PRIMARY KEY,
  holder text COLLATE "C" NOT NULL,
  until  timestamptz NOT NULL,
  fence  bigint NOT NULL
);

-- +goose Down
DROP TABLE leases, nodes, changes;
ALTER TABLE audit_head DROP COLUMN epoch;
ALTER TABLE sessions DROP COLUMN home;
ALTER TABLE asks DROP COLUMN node;
ALTER TABLE asks DROP COLUMN rev;
