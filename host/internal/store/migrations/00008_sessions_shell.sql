-- +goose Up
-- What allowed calls changed of the shells that a client keeps for a session, as
-- a JSON list; empty for nothing.
ALTER TABLE sessions ADD COLUMN shell TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE sessions DROP COLUMN shell;
