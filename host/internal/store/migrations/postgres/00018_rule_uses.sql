-- +goose Up
-- How often each rule decided a call, and when it did last. The numbers outlive the rows of the
-- audit, and a page that lists rules reads no row of it.
CREATE TABLE rule_uses (
  rule_id text COLLATE "C" PRIMARY KEY,
  uses    bigint NOT NULL,
  used_at bigint NOT NULL
);

INSERT INTO rule_uses (rule_id, uses, used_at)
SELECT rule_id, count(*), max("timestamp") FROM audit_log WHERE event = 'decision' AND rule_id <> '' GROUP BY rule_id;

-- +goose Down
DROP TABLE rule_uses;
