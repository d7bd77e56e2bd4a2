-- +goose Up
-- Whose call of a session it is: when a person takes the turn, the calls of the
-- main agent have ended, and those of sub-agents in the background may not have.
ALTER TABLE calls ADD COLUMN sub_agent TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE calls DROP COLUMN sub_agent;
