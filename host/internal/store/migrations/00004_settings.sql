-- +goose Up
-- What a person decided for the whole daemon, one value by name: the approver's
-- PIN, the configuration that was accepted. The last row of the audit about a
-- setting holds its digest; another value is not used.
CREATE TABLE settings (
  name  TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT;

-- +goose Down
DROP TABLE settings;
