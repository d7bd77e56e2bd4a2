package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// maxGroup bounds the changes per transaction.
const maxGroup = 256

// writer is the one goroutine changing the file. It takes waiting changes, runs them in one
// transaction and answers after the commit (group commit).
type writer struct {
	mu     sync.RWMutex // held for reading while sending on jobs
	closed bool
	jobs   chan *job
	ended  chan struct{}

	conn  *sql.Conn
	chain chain
	wipe  bool // the log holds erased pages
	db    database
	team  *team

	counts counts
	// failing means that the last transaction failed as a whole; failed hears of each change of it.
	failing atomic.Bool
	failed  func(error)
}

// job is one change. run sees the file as left by the jobs before it; when it
// fails, its own changes alone are taken back. after runs in the writer once the
// change is durable, in the order of the changes.
type job struct {
	run   func(context.Context, *tx) error
	after func()
	// single marks a run of one statement: its failure leaves nothing behind.
	single bool
	// erases marks a change with old pages to erase.
	erases bool
	// epoch is the state of the rules a decision was made on; 0 for everything else.
	epoch int64
	done  chan error
	err   error
}

// tx is the transaction a job runs in.
type tx struct {
	*sql.Conn
	db    database
	chain *chain
}

func startWriter(ctx context.Context, beneath database, team *team, failed func(error)) (*writer, error) {
	conn, err := beneath.writer(ctx)
	if err != nil {
		return nil, err
	}
	w := &writer{jobs: make(chan *job, maxGroup), ended: make(chan struct{}), conn: conn, db: beneath, failed: failed}
	w.chain.stale, w.chain.news.shared, w.team = true, team != nil, team
	if err := w.chain.refresh(ctx, conn); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	go w.loop()
	return w, nil
}

// do hands a change to the writer and waits until it is durable. When ctx ends
// first the change may or may not still happen; the caller has to deny.
func (w *writer) do(ctx context.Context, j *job) error {
	j.done = make(chan error, 1)
	if err := w.send(ctx, j); err != nil {
		return err
	}
	select {
	case err := <-j.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *writer) send(ctx context.Context, j *job) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return ErrClosed
	}
	select {
	case w.jobs <- j:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stop lets the writer finish its work and ends it. It reports whether this call stopped it.
func (w *writer) stop() bool {
	w.mu.Lock()
	first := !w.closed
	w.closed = true
	if first {
		close(w.jobs)
	}
	w.mu.Unlock()
	<-w.ended
	return first
}

func (w *writer) loop() {
	defer close(w.ended)
	defer w.release()
	group := make([]*job, 0, maxGroup)
	for j := range w.jobs {
		group = w.gather(append(group[:0], j))
		w.commit(group)
	}
}

// gather adds waiting changes. It waits for nothing: while a group is being committed the next one
// gathers by itself.
func (w *writer) gather(group []*job) []*job {
	for len(group) < maxGroup {
		select {
		case j, ok := <-w.jobs:
			if !ok {
				return group
			}
			group = append(group, j)
		default:
			return group
		}
	}
	return group
}

// commit runs a group in one transaction and answers each of its jobs.
func (w *writer) commit(group []*job) {
	// A caller giving up must not end the others' transaction.
	ctx := context.Background()
	begun := time.Now()
	err := w.transaction(ctx, group)
	if errors.Is(err, errSpoiled) {
		err = w.eachAlone(ctx, group)
	}
	w.counts.add(group, err, time.Since(begun))
	if was := w.failing.Swap(err != nil); was != (err != nil) && w.failed != nil {
		w.failed(err)
	}
	for _, j := range group {
		w.wipe = w.wipe || j.erases && j.err == nil && err == nil
	}
	if w.wipe {
		w.wipe = !w.db.wipe(ctx, w.conn)
	}
	if err == nil && len(w.chain.news.changes) > 0 {
		w.team.wake()
	}
	for _, j := range group {
		if err != nil && j.err == nil {
			j.err = err
		}
		if j.err == nil && j.after != nil {
			j.after()
		}
		j.done <- j.err
	}
}

// errSpoiled means that the failed statement of one job ended the transaction of all.
var errSpoiled = errors.New("a failed statement ended the transaction")

// eachAlone runs each job in a transaction of its own.
func (w *writer) eachAlone(ctx context.Context, group []*job) error {
	for _, j := range group {
		j.err = nil
		if err := w.transaction(ctx, []*job{j}); err != nil && j.err == nil {
			j.err = err
		}
	}
	return nil
}

func (w *writer) transaction(ctx context.Context, group []*job) error {
	if limit := w.db.patience(); limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	if err := w.begin(ctx); err != nil {
		w.abort()
		return fmt.Errorf("write store: %w", w.db.explain(err))
	}
	err := w.runAll(ctx, group)
	if err == nil {
		err = w.db.commit(ctx, w.conn, &w.chain)
	}
	if err != nil {
		w.abort()
		return fmt.Errorf("write store: %w", w.db.explain(err))
	}
	return nil
}

// begin connects, where the connection was lost, and starts the transaction.
func (w *writer) begin(ctx context.Context) (err error) {
	if w.conn == nil {
		if w.conn, err = w.db.writer(ctx); err != nil {
			return err
		}
	}
	head, epoch, err := w.db.begin(ctx, w.conn)
	if err != nil && !w.db.usable(w.conn) { // it was lost meanwhile, and nothing has begun
		_ = w.conn.Close()
		if w.conn, err = w.db.writer(ctx); err != nil {
			return err
		}
		head, epoch, err = w.db.begin(ctx, w.conn)
	}
	if err != nil {
		return err
	}
	w.chain.news.epoch = epoch
	if head != nil {
		w.chain.head, w.chain.stale = *head, false
	}
	return w.chain.refresh(ctx, w.conn)
}

// abort takes a transaction back and gives up a lost connection.
func (w *writer) abort() {
	w.chain.stale = true
	if w.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), rollbackWait)
	defer cancel()
	_, _ = w.conn.ExecContext(ctx, "ROLLBACK") // may have ended by the error itself
	if !w.db.usable(w.conn) {
		_ = w.conn.Close() // it is lost
		w.conn = nil
	}
}

// rollbackWait bounds taking a transaction back: a connection that does not answer is given up.
const rollbackWait = 2 * time.Second

func (w *writer) runAll(ctx context.Context, group []*job) error {
	w.chain.pending = w.chain.pending[:0]
	w.chain.news.clear()
	for _, j := range group {
		if err := w.runOne(ctx, j); err != nil {
			return err
		}
		if j.single && j.err != nil && len(group) > 1 && w.db.spoils(j.err) {
			return fmt.Errorf("%w: %w", errSpoiled, j.err)
		}
	}
	return nil
}

// runOne runs a job without harm to the rest of the group on failure. The returned error is fatal
// for the whole transaction.
func (w *writer) runOne(ctx context.Context, j *job) error {
	if j.epoch > 0 && j.epoch < w.chain.news.next() {
		j.err = ErrStale
		return nil
	}
	before := w.chain.mark()
	if !j.single {
		if _, err := w.conn.ExecContext(ctx, "SAVEPOINT job"); err != nil {
			return err
		}
	}
	j.err = j.run(ctx, &tx{w.conn, w.db, &w.chain})
	if j.err != nil {
		w.chain.back(before)
	}
	if j.single {
		return nil
	}
	if j.err != nil {
		if _, err := w.conn.ExecContext(ctx, "ROLLBACK TO job"); err != nil {
			return err
		}
	}
	_, err := w.conn.ExecContext(ctx, "RELEASE job")
	return err
}

func (w *writer) release() {
	if w.conn != nil {
		_ = w.conn.Close() // everything is committed
	}
}

func (w *writer) isClosed() bool {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.closed
}
