-- +goose Up
-- The mode of a session's interactive forks: it ends with them. NULL for none of
-- their own.
ALTER TABLE sessions ADD COLUMN fork_mode TEXT;

-- +goose Down
ALTER TABLE sessions DROP COLUMN fork_mode;
