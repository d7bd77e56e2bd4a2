package store

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// lookEvery is how often changes are looked for without a notification.
const lookEvery = 4 * time.Second

// channel is the name of the notifications about this store. They belong to the database, and a
// store to a schema of it.
func (d *postgres) channel() string { return fmt.Sprintf("callgate_%x", uint64(d.lockKey())) }

// notifications tell the other daemons of a transaction. A notification has no content but names:
// every daemon reads the database itself.
func (d *postgres) notifications(n *news) (payloads []string) {
	if len(n.changes) > 0 {
		payloads = append(payloads, "changes "+d.node)
	}
	for _, id := range n.asks {
		payloads = append(payloads, "ask "+d.node+" "+id)
	}
	return payloads
}

// listenLoop hears of the other daemons' changes. A lost notification costs time and nothing else.
func (t *team) listenLoop(ctx context.Context) {
	for ctx.Err() == nil {
		_ = t.listenOnce(ctx) // the store's users hear of a database that is away
		select {
		case <-ctx.Done():
		case <-time.After(retryEvery):
		}
	}
}

func (t *team) listenOnce(ctx context.Context) error {
	config := t.db.config.Copy()
	config.DialFunc = (&net.Dialer{Timeout: patience, KeepAlive: patience}).DialContext // it waits for hours
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.Background()) }() // it may be lost
	if _, err := conn.Exec(ctx, "LISTEN "+t.db.channel()); err != nil {
		return err
	}
	t.missed(ctx)
	for {
		n, err := t.next(ctx, conn)
		if err != nil {
			return err
		}
		if n == nil {
			t.missed(ctx)
			continue
		}
		t.heard(ctx, n.Payload)
	}
}

// next waits for a notification; nil when none came for a while and the connection lives.
func (t *team) next(ctx context.Context, conn *pgx.Conn) (*pgconn.Notification, error) {
	waiting, cancel := context.WithTimeout(ctx, lookEvery)
	defer cancel()
	n, err := conn.WaitForNotification(waiting)
	if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
		return n, err
	}
	alive, stop := context.WithTimeout(ctx, time.Second)
	defer stop()
	return nil, conn.Ping(alive)
}

// missed looks for everything that may have happened unheard.
func (t *team) missed(ctx context.Context) {
	t.wake()
	t.tell(ctx, "")
}

func (t *team) heard(ctx context.Context, payload string) {
	kind, rest, _ := strings.Cut(payload, " ")
	node, id, _ := strings.Cut(rest, " ")
	switch {
	case kind == "changes":
		t.wake()
	case kind == "ask" && node != t.node:
		t.tell(ctx, id)
	}
}

func (t *team) tell(ctx context.Context, id string) {
	if hear := t.hear.Load(); hear != nil {
		(*hear)(ctx, id)
	}
}
