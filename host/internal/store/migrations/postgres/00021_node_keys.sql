-- +goose Up
-- audit_key names the key with which a daemon signs the audit: all of a store have the same.
ALTER TABLE nodes ADD COLUMN audit_key text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE nodes DROP COLUMN audit_key;
