package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
)

// Session is one run of an agent.
type Session struct {
	ID    string `json:"id"`
	Agent string `json:"agent"`
	// Token is the name of the check token of its first touch, never its secret.
	Token       string      `json:"token"`
	User        string      `json:"user,omitempty"`
	CWD         string      `json:"cwd,omitempty"`
	ProjectRoot string      `json:"project_root,omitempty"`
	Kind        engine.Kind `json:"kind"`
	// Parent is the spawning session; set once.
	Parent string `json:"parent,omitempty"`
	// Mode overrides the agent's configured mode; nil when it does not.
	Mode *engine.Mode `json:"mode,omitempty"`
	// ForkMode is the mode of the session's interactive forks; nil when they have
	// the session's. It ends with them.
	ForkMode *engine.Mode `json:"fork_mode,omitempty"`
	// Shell are changes by allowed calls to the shells kept by the client for the session: of each
	// part of each tool's shell the first two calls, in order. Only a clear empties it.
	Shell []ShellChange `json:"shell,omitempty"`
	// Paused says why calls are refused until an approver resumes the session;
	// empty while it runs.
	Paused    string    `json:"paused,omitempty"`
	PausedAt  time.Time `json:"paused_at,omitzero"`
	CreatedAt time.Time `json:"created_at"`
	// SeenAt is when it was last touched, exact to a minute.
	SeenAt time.Time `json:"seen_at"`
	// Home is the daemon that decides its calls, by its id; empty where one daemon has the store.
	Home string `json:"-"`
}

// ShellChange is one part of a shell's state changed by an allowed call.
type ShellChange struct {
	// Tool is the canonical name of the shell's tool.
	Tool string `json:"tool"`
	// Part is "directory" or "environment".
	Part string `json:"part"`
	// CallID is the client's id of the call; empty when it gave none.
	CallID string    `json:"call_id,omitempty"`
	At     time.Time `json:"at"`
}

// seenEvery is the precision of SeenAt: a touch without another change writes no more often.
const seenEvery = time.Minute

// maxName bounds the names of a session, in bytes.
const maxName = 1024

// maxSeen bounds how many sessions are kept in memory.
const maxSeen = 4096

// sessionView holds sessions of late in memory. It changes only after the file
// has, in the writer.
type sessionView struct {
	mu   sync.RWMutex
	byID map[string]Session
}

func newSessionView() *sessionView { return &sessionView{byID: map[string]Session{}} }

func (v *sessionView) find(id string) (Session, bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	known, ok := v.byID[id]
	return known, ok
}

func (v *sessionView) clear() {
	v.mu.Lock()
	defer v.mu.Unlock()
	clear(v.byID)
}

func (v *sessionView) put(s Session) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.byID) >= maxSeen {
		clear(v.byID)
	}
	v.byID[s.ID] = s
}

// TouchSession opens a session or records that it lives, and returns it as stored, with its mode
// and pause. ID, Agent and Token are required. A session belongs to the token and agent of its
// first touch: a touch by another is ErrForeignSession and changes nothing. For a known session,
// non-empty User, CWD, ProjectRoot and Kind replace the old ones; Mode, ForkMode, Shell, Paused,
// Parent and the times are never the caller's.
func (s *Store) TouchSession(ctx context.Context, in Session) (Session, error) {
	if err := checkSession(in); err != nil {
		return Session{}, fmt.Errorf("session %q: %w", in.ID, err)
	}
	in.Home = s.team.id()
	now := s.now().UTC().Round(0)
	if known, ok := s.seen.find(in.ID); ok && !s.writer.isClosed() {
		next, changed, err := known.touched(in, now)
		if err != nil || !changed {
			return next, err
		}
	}
	var out Session
	run := func(ctx context.Context, t *tx) (err error) {
		out, err = touch(ctx, t, in, now)
		return err
	}
	if err := s.writer.do(ctx, &job{run: run, after: func() { s.seen.put(out) }}); err != nil {
		return Session{}, fmt.Errorf("session %q: %w", in.ID, err)
	}
	return out, nil
}

func checkSession(in Session) error {
	if in.ID == "" || in.Agent == "" || in.Token == "" {
		return errors.New("a session needs an id, an agent and a token")
	}
	if _, err := engine.ParseKind(string(in.Kind)); err != nil {
		return err
	}
	for _, text := range []string{in.ID, in.Agent, in.Token, in.User, in.Parent} {
		if len(text) > maxName {
			return fmt.Errorf("a name of %d bytes: want at most %d", len(text), maxName)
		}
	}
	for _, text := range []string{in.ID, in.Agent, in.Token, in.User, in.Parent, in.CWD, in.ProjectRoot} {
		if len(text) > maxKey || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			return fmt.Errorf("%.40q is too long or not valid UTF-8 without NUL", text)
		}
	}
	return nil
}

// touched is the session after a touch, and whether it must be written.
func (known Session) touched(in Session, now time.Time) (next Session, changed bool, err error) {
	if known.Token != in.Token || known.Agent != in.Agent {
		return Session{}, false, fmt.Errorf("session %q: %w", in.ID, ErrForeignSession)
	}
	next = known
	for _, f := range []struct{ have, want *string }{
		{&next.User, &in.User}, {&next.CWD, &in.CWD}, {&next.ProjectRoot, &in.ProjectRoot}, {(*string)(&next.Kind), (*string)(&in.Kind)},
		{&next.Home, &in.Home},
	} {
		if *f.want != "" && *f.have != *f.want {
			*f.have, changed = *f.want, true
		}
	}
	if now.Sub(known.SeenAt) >= seenEvery {
		next.SeenAt, changed = now, true
	}
	return next, changed, nil
}

func touch(ctx context.Context, t *tx, in Session, now time.Time) (Session, error) {
	known, err := oneSession(ctx, t, in.ID)
	if isNotFound(err) {
		in.CreatedAt, in.SeenAt, in.Mode, in.ForkMode, in.Shell, in.Paused, in.PausedAt = now, now, nil, nil, nil, "", time.Time{}
		if in.Kind == "" {
			in.Kind = engine.Main
		}
		return in, saveSession(ctx, t, in)
	}
	if err != nil {
		return Session{}, err
	}
	next, changed, err := known.touched(in, now)
	if err != nil || !changed {
		return next, err
	}
	if next.Home != known.Home {
		t.changed(KindSession, in.ID)
	}
	return next, saveSession(ctx, t, next)
}

// Session returns one session. ErrNotFound when there is none.
func (s *Store) Session(ctx context.Context, id string) (Session, error) {
	if s.writer.isClosed() {
		return Session{}, ErrClosed
	}
	if known, ok := s.seen.find(id); ok {
		return known, nil
	}
	known, err := oneSession(ctx, s.reads, id)
	if err != nil {
		return Session{}, fmt.Errorf("session %q: %w", id, s.closedOr(err))
	}
	return known, nil
}

// SessionFilter chooses sessions. Zero fields choose everything.
type SessionFilter struct {
	Agent string
	Token string
	// Since leaves out sessions not seen since then.
	Since time.Time
	// Paused leaves out running sessions.
	Paused bool
	// Limit is how many at most; 0 is no limit.
	Limit int
}

// Sessions returns the sessions chosen by f, the last seen first.
func (s *Store) Sessions(ctx context.Context, f SessionFilter) ([]Session, error) {
	var c conditions
	c.text("agent", f.Agent)
	c.text("token", f.Token)
	if !f.Since.IsZero() {
		c.add("seen_at >= ?", moment(f.Since))
	}
	if f.Paused {
		c.add("paused <> ''")
	}
	limit := f.Limit
	if limit <= 0 {
		limit = math.MaxInt64
	}
	found, err := selectSessions(ctx, s.reads, c.where()+" ORDER BY seen_at DESC, id LIMIT ?", append(c.args, limit)...)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", s.closedOr(err))
	}
	return found, nil
}

// SetMode gives a session a mode of its own, or takes it away with nil, in the
// name of by.
func (s *Store) SetMode(ctx context.Context, id string, mode *engine.Mode, by string) error {
	return s.changeSession(ctx, id, EventSessionMode, by, modeWord(mode), func(known *Session) { known.Mode = mode })
}

// notePause brings a session in line with its streak and records the pause's begin or end. For an
// unknown session there is nothing to show.
func (s *Store) notePause(ctx context.Context, t *tx, k ask.Streak) (known Session, changed bool, err error) {
	known, err = oneSession(ctx, t, k.Session)
	if isNotFound(err) || err == nil && known.PausedAt.Equal(k.PausedAt) {
		return known, false, nil
	}
	if err != nil {
		return known, false, err
	}
	event, by := EventSessionResumed, k.By
	known.Paused, known.PausedAt = "", k.PausedAt.UTC().Round(0)
	if !k.PausedAt.IsZero() {
		event, by = EventSessionPaused, "callgate"
		known.Paused = cmp.Or(k.Why, fmt.Sprintf("%d refusals in a row", k.Refusals))
	}
	return known, true, s.recordSession(ctx, t, known, event, by, known.Paused)
}

// NoteShell records that an allowed call will change parts of a tool's shell. Two calls for each
// part are enough to know for any call whether another one changed it; a known change costs
// nothing.
func (s *Store) NoteShell(ctx context.Context, id, tool, callID string, parts []string) error {
	known, err := s.Session(ctx, id)
	if err != nil {
		return err
	}
	if len(known.unknown(tool, callID, parts)) == 0 {
		return nil
	}
	at := s.now().UTC().Round(0)
	return s.changeSession(ctx, id, EventSessionShell, "callgate", tool+": "+strings.Join(parts, ", "), func(known *Session) {
		added := slices.Clone(known.Shell) // the view's own is shared
		for _, part := range known.unknown(tool, callID, parts) {
			added = append(added, ShellChange{Tool: tool, Part: part, CallID: callID, At: at})
		}
		known.Shell = added
	})
}

// unknown are the parts of a tool's shell without a record of this call and without two records of
// others.
func (known Session) unknown(tool, callID string, parts []string) []string {
	return slices.DeleteFunc(slices.Clone(parts), func(part string) bool {
		n := 0
		for _, c := range known.Shell {
			if c.Tool == tool && c.Part == part {
				n++
				if c.CallID == callID {
					return true
				}
			}
		}
		return n > 1
	})
}

// SetForkMode gives a session's interactive forks a mode of their own, until they
// end, or takes it away with nil, in the name of by.
func (s *Store) SetForkMode(ctx context.Context, id string, mode *engine.Mode, by string) error {
	word := "the session's own"
	if mode != nil {
		word = mode.String()
	}
	return s.changeSession(ctx, id, EventSessionForkMode, by, "interactive forks: "+word, func(known *Session) { known.ForkMode = mode })
}

// EndForks removes the mode of a session's ended interactive forks, and records the end, in the
// name of by.
func (s *Store) EndForks(ctx context.Context, id, by, detail string) error {
	return s.changeSession(ctx, id, EventSessionForkExit, by, detail, func(known *Session) { known.ForkMode = nil })
}

// NoteSession records an action on a session without a change of it: EventSessionInterrupted.
func (s *Store) NoteSession(ctx context.Context, id string, event Event, by, detail string) error {
	return s.changeSession(ctx, id, event, by, detail, func(*Session) {})
}

// ClearSession deletes the session's grants, its own modes and the known state of its shells, in
// the name of by, and returns the number of grants. A pause stays: only ask.Broker.Resume ends it.
func (s *Store) ClearSession(ctx context.Context, id, by string) (int, error) {
	n, err := s.DropSession(ctx, id, by)
	if err != nil {
		return 0, err
	}
	return n, s.changeSession(ctx, id, EventSessionCleared, by, fmt.Sprintf("%d grants dropped", n), func(known *Session) { known.Mode, known.ForkMode, known.Shell = nil, nil, nil })
}

// changeSession changes one session and records it, in one transaction.
func (s *Store) changeSession(ctx context.Context, id string, event Event, by, detail string, change func(*Session)) error {
	var known Session
	run := func(ctx context.Context, t *tx) (err error) {
		if known, err = oneSession(ctx, t, id); err != nil {
			return err
		}
		change(&known)
		return s.recordSession(ctx, t, known, event, by, detail)
	}
	err := s.writer.do(ctx, &job{run: run, after: func() { s.seen.put(known) }})
	if err != nil {
		return fmt.Errorf("session %q: %w", id, err)
	}
	return nil
}

// recordSession writes a session and its event.
func (s *Store) recordSession(ctx context.Context, t *tx, known Session, event Event, by, detail string) error {
	row, err := s.clean(Row{Event: event, Agent: known.Agent, Session: known.ID, DecidedBy: by, Detail: detail})
	if err != nil {
		return err
	}
	t.changed(KindSession, known.ID)
	t.chain.add(&row)
	return saveSession(ctx, t, known)
}

func isNotFound(err error) bool { return errors.Is(err, ErrNotFound) }
