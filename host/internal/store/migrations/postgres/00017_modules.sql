-- +goose Up
-- The bytes of pinned tool modules by the SHA-256 of wasm, for the other daemons. Their grants are
-- settings. problems says why a daemon cannot use one, one line for each.
CREATE TABLE modules (
  digest      text COLLATE "C" PRIMARY KEY,
  wasm        bytea NOT NULL,
  description bytea NOT NULL,
  kept_at     timestamptz NOT NULL DEFAULT now()
);

ALTER TABLE nodes ADD COLUMN problems text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE nodes DROP COLUMN problems;
DROP TABLE modules;
