package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/approval/ask"
)

// Card is a message in a chat showing an ask.
type Card struct {
	// Message and Channel are the chat's ids; a message's is unique.
	Message, Channel string
	// Ask is the ask's id.
	Ask string
	// Place is where of the ask's places it stands, in the words of who posts it, and
	// Attempt how often it was posted there before.
	Place   string
	Attempt int
	// PostedAt is when it was posted.
	PostedAt time.Time
	// Digests are of the message's texts, oldest first.
	Digests []string
	// Body is the lasting part of the text after the ask's end, with secrets masked; empty once the
	// card is finished.
	Body string
	// FinishedAt is when the message got its final text; zero before.
	FinishedAt time.Time
}

// The bounds of a stored card: its texts, and the number of digests.
const (
	maxCardText    = 8 << 10
	maxCardDigests = 64
)

// SaveCard stores a card, in the place of one of the same message.
func (s *Store) SaveCard(ctx context.Context, c Card) error {
	digests, err := json.Marshal(c.Digests)
	if err == nil && (c.Message == "" || c.Channel == "" || c.Ask == "" || len(c.Body) > maxCardText || len(c.Digests) > maxCardDigests) {
		err = fmt.Errorf("want a message, a channel and an ask, a body of at most %d bytes, and at most %d digests", maxCardText, maxCardDigests)
	}
	if err != nil {
		return fmt.Errorf("card %q: %w", c.Message, err)
	}
	return s.changeCard(ctx, c.Message, `INSERT INTO cards (message, channel, ask, place, attempt, posted_at, digests, body, finished_at)
		VALUES (?,?,?,?,?,?,?,?,?) ON CONFLICT (message) DO UPDATE SET channel = excluded.channel, ask = excluded.ask, place = excluded.place,
		attempt = excluded.attempt, posted_at = excluded.posted_at, digests = excluded.digests, body = excluded.body, finished_at = excluded.finished_at`, c.Message, c.Channel, c.Ask, c.Place, c.Attempt, nanos(c.PostedAt), string(digests), c.Body, nanos(c.FinishedAt))
}

// FinishCard records that a message has its final text, and forgets the body. For an unknown card
// it does nothing.
func (s *Store) FinishCard(ctx context.Context, message string, at time.Time) error {
	return s.changeCard(ctx, message, "UPDATE cards SET finished_at = ?, body = '' WHERE message = ?", nanos(at), message)
}

// ForgetCards deletes the cards finished before a time, and the threads last used before it.
func (s *Store) ForgetCards(ctx context.Context, before time.Time) error {
	run := func(ctx context.Context, t *tx) error {
		_, err := t.ExecContext(ctx, "DELETE FROM cards WHERE finished_at > 0 AND finished_at < ?", nanos(before))
		if err == nil {
			_, err = t.ExecContext(ctx, "DELETE FROM card_threads WHERE used_at < ?", nanos(before))
		}
		return err
	}
	if err := s.writer.do(ctx, &job{run: run}); err != nil {
		return fmt.Errorf("forget cards: %w", err)
	}
	return nil
}

func (s *Store) changeCard(ctx context.Context, message, query string, args ...any) error {
	run := func(ctx context.Context, t *tx) error {
		_, err := t.ExecContext(ctx, query, args...)
		return err
	}
	if err := s.writer.do(ctx, &job{run: run, single: true}); err != nil {
		return fmt.Errorf("card %q: %w", message, err)
	}
	return nil
}

// Card returns the card of a message; ErrNotFound when there is none.
func (s *Store) Card(ctx context.Context, message string) (Card, error) {
	found, err := s.cards(ctx, "message = ?", message)
	if err == nil && len(found) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return Card{}, fmt.Errorf("card %q: %w", message, err)
	}
	return found[0], nil
}

// UnfinishedCards returns the cards without a final text, in the order of posting.
func (s *Store) UnfinishedCards(ctx context.Context) ([]Card, error) {
	return s.cards(ctx, "finished_at = 0")
}

// CardsOf returns the cards of an ask, in the order of posting.
func (s *Store) CardsOf(ctx context.Context, ask string) ([]Card, error) {
	return s.cards(ctx, "ask = ?", ask)
}

func (s *Store) cards(ctx context.Context, where string, args ...any) ([]Card, error) {
	rows, err := s.reads.QueryContext(ctx, `SELECT message, channel, ask, place, attempt, posted_at, digests, body, finished_at
		FROM cards WHERE `+where+" ORDER BY posted_at, message", args...)
	if err != nil {
		return nil, fmt.Errorf("read cards: %w", s.closedOr(err))
	}
	defer rows.Close() // its error comes out of rows.Err
	var found []Card
	for rows.Next() {
		var c Card
		var posted, finished int64
		var digests string
		if err := rows.Scan(&c.Message, &c.Channel, &c.Ask, &c.Place, &c.Attempt, &posted, &digests, &c.Body, &finished); err != nil {
			return nil, fmt.Errorf("read cards: %w", err)
		}
		if err := json.Unmarshal([]byte(digests), &c.Digests); err != nil {
			return nil, fmt.Errorf("%w: table cards: %w", ErrCorrupt, err)
		}
		c.PostedAt, c.FinishedAt = fromNanos(posted), fromNanos(finished)
		found = append(found, c)
	}
	return found, rows.Err()
}

// Thread is the thread of an agent's session in a channel.
type Thread struct {
	Channel, Agent, Session string
	// ID is the thread's own id.
	ID     string
	UsedAt time.Time
}

// SaveThread stores a session's thread, in the place of an earlier one.
func (s *Store) SaveThread(ctx context.Context, t Thread) error {
	return s.changeCard(ctx, t.ID, `INSERT INTO card_threads (channel, agent, session, thread, used_at) VALUES (?,?,?,?,?)
		ON CONFLICT (channel, agent, session) DO UPDATE SET thread = excluded.thread, used_at = excluded.used_at`,
		t.Channel, t.Agent, t.Session, t.ID, nanos(t.UsedAt))
}

// ThreadOf returns a session's thread in a channel; ErrNotFound when it has none.
func (s *Store) ThreadOf(ctx context.Context, channel, agent, session string) (Thread, error) {
	return s.thread(ctx, "channel = ? AND agent = ? AND session = ?", channel, agent, session)
}

// ThreadByID returns the owner of a thread; ErrNotFound without one.
func (s *Store) ThreadByID(ctx context.Context, id string) (Thread, error) {
	return s.thread(ctx, "thread = ?", id)
}

func (s *Store) thread(ctx context.Context, where string, args ...any) (t Thread, err error) {
	var used int64
	row := s.reads.QueryRowContext(ctx, "SELECT channel, agent, session, thread, used_at FROM card_threads WHERE "+where, args...)
	err = row.Scan(&t.Channel, &t.Agent, &t.Session, &t.ID, &used)
	if errors.Is(err, sql.ErrNoRows) {
		return Thread{}, fmt.Errorf("thread: %w", ErrNotFound)
	}
	if err != nil {
		return Thread{}, fmt.Errorf("read a thread: %w", s.closedOr(err))
	}
	t.UsedAt = fromNanos(used)
	return t, nil
}

// Instance returns the store's own short name, shown on its cards, so two gates in one chat tell
// their cards apart. It is random, 8 letters and digits, and no secret.
func (s *Store) Instance(ctx context.Context) (string, error) {
	fresh := strings.ToLower(rand.Text()[:8])
	run := func(ctx context.Context, t *tx) error {
		_, err := t.ExecContext(ctx, "INSERT INTO meta (name, value) VALUES ('instance', ?) ON CONFLICT DO NOTHING", []byte(fresh))
		return err
	}
	if err := s.writer.do(ctx, &job{run: run, single: true}); err != nil {
		return "", fmt.Errorf("the store's name: %w", err)
	}
	var name []byte
	if err := s.reads.QueryRowContext(ctx, "SELECT value FROM meta WHERE name = 'instance'").Scan(&name); err != nil {
		return "", fmt.Errorf("the store's name: %w", s.closedOr(err))
	}
	return string(name), nil
}

// Veiled returns a copy of a waiting ask with the secrets in its texts and its input masked as in
// the audit: safe for lasting display.
func (s *Store) Veiled(a ask.Ask) ask.Ask {
	out := s.Masked(a)
	if len(a.Input) > 0 {
		out.Input = s.masker.JSON(a.Input)
	}
	return out
}
