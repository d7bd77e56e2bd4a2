-- +goose Up
-- The tables of SQLite's migrations up to the same number; they say what each is for. Texts sort by
-- their bytes, as SQLite sorts them.
CREATE TABLE meta (
  name  text COLLATE "C" PRIMARY KEY,
  value bytea NOT NULL
);

CREATE TABLE rules (
  id         text COLLATE "C" PRIMARY KEY,
  tool       text COLLATE "C" NOT NULL,
  content    text COLLATE "C",
  behavior   text COLLATE "C" NOT NULL CHECK (behavior IN ('deny', 'ask', 'allow')),
  source     text COLLATE "C" NOT NULL,
  scope      text COLLATE "C" NOT NULL CHECK (scope IN ('global', 'project', 'agent', 'session')),
  scope_key  text COLLATE "C" NOT NULL,
  created_by text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  reason     text COLLATE "C" NOT NULL,
  match      text COLLATE "C" NOT NULL,
  not_match  text COLLATE "C" NOT NULL,
  audit_seq  bigint NOT NULL,
  server     text COLLATE "C" NOT NULL DEFAULT '',
  CHECK ((scope = 'global') = (scope_key = ''))
);

-- A content of 64 KiB is too long for an entry of an index: its digest stands for it.
CREATE UNIQUE INDEX rules_same ON rules (scope, md5(scope_key), tool, behavior, server, md5(coalesce(content, '*')));
CREATE INDEX rules_tool ON rules (tool);

CREATE TABLE sessions (
  id           text COLLATE "C" PRIMARY KEY,
  agent        text COLLATE "C" NOT NULL,
  token        text COLLATE "C" NOT NULL,
  "user"       text COLLATE "C" NOT NULL,
  cwd          text COLLATE "C" NOT NULL,
  project_root text COLLATE "C" NOT NULL,
  kind         text COLLATE "C" NOT NULL,
  parent       text COLLATE "C" NOT NULL,
  mode         text COLLATE "C",
  paused       text COLLATE "C" NOT NULL,
  paused_at    bigint NOT NULL,
  created_at   bigint NOT NULL,
  seen_at      bigint NOT NULL,
  shell        text COLLATE "C" NOT NULL DEFAULT '',
  fork_mode    text COLLATE "C"
);

CREATE INDEX sessions_agent ON sessions (agent, seen_at);

CREATE TABLE asks (
  seq      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id       text COLLATE "C" NOT NULL UNIQUE,
  token    text COLLATE "C" NOT NULL,
  agent    text COLLATE "C" NOT NULL,
  session  text COLLATE "C" NOT NULL,
  call_id  text COLLATE "C" NOT NULL,
  digest   text COLLATE "C" NOT NULL,
  state    text COLLATE "C" NOT NULL,
  cause    text COLLATE "C" NOT NULL,
  ended_at bigint NOT NULL,
  used_at  bigint NOT NULL,
  body     text COLLATE "C" NOT NULL
);

CREATE INDEX asks_key ON asks (token, session, call_id, seq);
CREATE INDEX asks_digest ON asks (agent, digest, ended_at);
CREATE INDEX asks_waiting ON asks (seq) WHERE state IN ('queued', 'shown');
CREATE INDEX asks_ended ON asks (ended_at) WHERE ended_at > 0;

-- An ended ask's input stays on disk until the next vacuum: it comes soon.
ALTER TABLE asks SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50);

CREATE TABLE streaks (
  session   text COLLATE "C" PRIMARY KEY,
  refusals  bigint NOT NULL,
  paused_at bigint NOT NULL,
  why       text COLLATE "C" NOT NULL DEFAULT ''
);

CREATE TABLE audit_log (
  seq           bigint PRIMARY KEY,
  timestamp     bigint NOT NULL,
  event         text COLLATE "C" NOT NULL,
  agent_name    text COLLATE "C" NOT NULL,
  session       text COLLATE "C" NOT NULL,
  user_id       text COLLATE "C" NOT NULL,
  tool          text COLLATE "C" NOT NULL,
  action_string text COLLATE "C" NOT NULL,
  decision      text COLLATE "C" NOT NULL,
  decided_by    text COLLATE "C" NOT NULL,
  detail        text COLLATE "C" NOT NULL,
  stage         text COLLATE "C" NOT NULL,
  code          text COLLATE "C" NOT NULL,
  rule_id       text COLLATE "C" NOT NULL,
  rule_text     text COLLATE "C" NOT NULL,
  module_digest text COLLATE "C" NOT NULL,
  call_id       text COLLATE "C" NOT NULL,
  digest        text COLLATE "C" NOT NULL,
  input         text COLLATE "C" NOT NULL,
  latency       bigint NOT NULL,
  prev          bytea NOT NULL,
  hash          bytea NOT NULL,
  rule_source   text COLLATE "C" NOT NULL DEFAULT '',
  module        text COLLATE "C" NOT NULL DEFAULT '',
  ask_id        text COLLATE "C" NOT NULL DEFAULT ''
);

CREATE INDEX audit_events ON audit_log (event, seq) WHERE event <> 'decision';

CREATE VIEW audit AS
SELECT
  agent_name,
  to_char(to_timestamp(timestamp / 1000000000) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS') AS timestamp,
  action_string,
  decision,
  user_id,
  CASE
    WHEN decision = 'allow' THEN ''
    WHEN decision = 'ask_approved' THEN CASE WHEN decided_by IN ('', user_id) THEN '' ELSE 'Approved by ' || decided_by END
    WHEN decision = 'ask_denied' THEN CASE WHEN decided_by IN ('', user_id) THEN 'User denied' ELSE 'User denied: ' || decided_by END
      || CASE WHEN strpos(detail, 'a person denied it: ') > 0 THEN ': ' || substr(detail, strpos(detail, 'a person denied it: ') + 20) ELSE '' END
    WHEN decision = 'ask_timeout' THEN 'Nobody answered in time'
    WHEN stage = 'profile' AND rule_source LIKE 'profile %' THEN 'Profile: ' || substr(rule_source, 9)
    ELSE detail
  END AS detail
FROM audit_log
WHERE event = 'decision'
ORDER BY seq;

CREATE TABLE audit_head (
  one  bigint PRIMARY KEY CHECK (one = 1),
  seq  bigint NOT NULL,
  hash bytea NOT NULL
);

INSERT INTO audit_head (one, seq, hash) VALUES (1, 0, decode(repeat('00', 32), 'hex'));

CREATE TABLE audit_anchor (
  one    bigint PRIMARY KEY CHECK (one = 1),
  seq    bigint NOT NULL,
  hash   bytea NOT NULL,
  target bigint NOT NULL
);

INSERT INTO audit_anchor (one, seq, hash, target) VALUES (1, 0, decode(repeat('00', 32), 'hex'), 0);

CREATE TABLE settings (
  name  text COLLATE "C" PRIMARY KEY,
  value bytea NOT NULL
);

CREATE TABLE calls (
  token        text COLLATE "C" NOT NULL,
  session      text COLLATE "C" NOT NULL,
  call_id      text COLLATE "C" NOT NULL,
  agent        text COLLATE "C" NOT NULL,
  tool         text COLLATE "C" NOT NULL,
  cwd          text COLLATE "C" NOT NULL,
  input_digest text COLLATE "C" NOT NULL,
  digest       text COLLATE "C" NOT NULL,
  behavior     text COLLATE "C" NOT NULL,
  outcome      text COLLATE "C" NOT NULL,
  ask_id       text COLLATE "C" NOT NULL,
  moves        boolean NOT NULL,
  judged_at    bigint NOT NULL,
  finished_at  bigint NOT NULL,
  audit_seq    bigint NOT NULL,
  sub_agent    text COLLATE "C" NOT NULL DEFAULT '',
  PRIMARY KEY (token, session, call_id)
);

CREATE INDEX calls_unfinished ON calls (token, session, judged_at) WHERE finished_at = 0;
CREATE INDEX calls_age ON calls (judged_at);

CREATE TABLE tokens (
  id           text COLLATE "C" PRIMARY KEY,
  name         text COLLATE "C" NOT NULL,
  kind         text COLLATE "C" NOT NULL,
  agent        text COLLATE "C" NOT NULL,
  sha256       bytea NOT NULL UNIQUE,
  created_by   text COLLATE "C" NOT NULL,
  created_at   bigint NOT NULL,
  expires_at   bigint NOT NULL,
  last_used_at bigint NOT NULL,
  revoked_at   bigint NOT NULL,
  audit_seq    bigint NOT NULL
);

CREATE UNIQUE INDEX tokens_name ON tokens (name) WHERE revoked_at = 0;
CREATE UNIQUE INDEX tokens_agent ON tokens (agent) WHERE revoked_at = 0 AND kind = 'check';

CREATE TABLE cards (
  message     text COLLATE "C" PRIMARY KEY,
  channel     text COLLATE "C" NOT NULL,
  ask         text COLLATE "C" NOT NULL,
  place       text COLLATE "C" NOT NULL,
  attempt     bigint NOT NULL,
  posted_at   bigint NOT NULL,
  digests     text COLLATE "C" NOT NULL,
  body        text COLLATE "C" NOT NULL,
  finished_at bigint NOT NULL
);

CREATE INDEX cards_ask ON cards (ask);
CREATE INDEX cards_finished ON cards (finished_at);

CREATE TABLE card_threads (
  channel text COLLATE "C" NOT NULL,
  agent   text COLLATE "C" NOT NULL,
  session text COLLATE "C" NOT NULL,
  thread  text COLLATE "C" NOT NULL,
  used_at bigint NOT NULL,
  PRIMARY KEY (channel, agent, session)
);

CREATE INDEX card_threads_thread ON card_threads (thread);

-- +goose Down
DROP TABLE card_threads, cards, tokens, calls, settings, audit_anchor, audit_head, streaks, asks, sessions, rules, meta;
DROP VIEW audit;
DROP TABLE audit_log;
