-- +goose Up
-- For which MCP server an allow rule was accepted; empty for a rule that goes by
-- the tool's name alone. The same rule may be kept for several servers.
ALTER TABLE rules ADD COLUMN server TEXT NOT NULL DEFAULT '';
DROP INDEX rules_same;
CREATE UNIQUE INDEX rules_same ON rules (scope, scope_key, tool, behavior, server, coalesce(content, '*'));

-- +goose Down
-- An older version would take such a rule for one of every server.
DELETE FROM rules WHERE server <> '';
DROP INDEX rules_same;
ALTER TABLE rules DROP COLUMN server;
CREATE UNIQUE INDEX rules_same ON rules (scope, scope_key, tool, behavior, coalesce(content, '*'));
