-- +goose Up
-- rev counts the changes of a waiting ask, node is the daemon where its call waits, home is the
-- daemon that decides a session's calls. Both are empty where one daemon has the store.
ALTER TABLE asks ADD COLUMN rev INTEGER NOT NULL DEFAULT 0;
ALTER TABLE asks ADD COLUMN node TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN home TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE sessions DROP COLUMN home;
ALTER TABLE asks DROP COLUMN node;
ALTER TABLE asks DROP COLUMN rev;
