-- +goose Up
-- The decisions that asked or denied, in the order of the rows, for the numbers of a time: they are
-- few beside those that simply allowed.
CREATE INDEX audit_stopped ON audit_log (seq, decision) WHERE decision NOT IN ('', 'allow');

-- +goose Down
DROP INDEX audit_stopped;
