-- +goose Up
-- The messages in a chat that show an ask, so that they are found again and brought
-- to their end after a restart. They decide nothing. body is what stands on the
-- message with its secrets masked; it is emptied when the message has its final text.
-- digests are the SHA-256 of the texts that were set, as a JSON list, oldest first.
CREATE TABLE cards (
  message     TEXT PRIMARY KEY,
  channel     TEXT NOT NULL,
  ask         TEXT NOT NULL,
  place       TEXT NOT NULL,
  attempt     INTEGER NOT NULL,
  posted_at   INTEGER NOT NULL,
  digests     TEXT NOT NULL,
  body        TEXT NOT NULL,
  finished_at INTEGER NOT NULL
) STRICT;

CREATE INDEX cards_ask ON cards (ask);
CREATE INDEX cards_finished ON cards (finished_at);

-- The thread that a session has in a channel.
CREATE TABLE card_threads (
  channel TEXT NOT NULL,
  agent   TEXT NOT NULL,
  session TEXT NOT NULL,
  thread  TEXT NOT NULL,
  used_at INTEGER NOT NULL,
  PRIMARY KEY (channel, agent, session)
) STRICT;

CREATE INDEX card_threads_thread ON card_threads (thread);

-- +goose Down
DROP TABLE card_threads;
DROP TABLE cards;
