-- +goose Up
-- The rows of a session, in their order: its page reads no other row.
CREATE INDEX audit_sessions ON audit_log (session, seq);

-- +goose Down
DROP INDEX audit_sessions;
