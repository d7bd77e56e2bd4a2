-- +goose Up
-- The signature of a person's device under an approval. A row's hash covers it when it is not
-- empty, so the hashes of all older rows stay as they are.
ALTER TABLE audit_log ADD COLUMN evidence text COLLATE "C" NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE audit_log DROP COLUMN evidence;
