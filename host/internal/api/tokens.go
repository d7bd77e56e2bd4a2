package api

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/store"
)

// adminName is the name of the operator's own token.
const adminName = "admin"

// checkName is the name of an agent's check token.
func checkName(agent string) string { return "check:" + agent }

// TokenStore keeps the daemon's knowledge of tokens: never a secret.
type TokenStore interface {
	Tokens(ctx context.Context) (tokens []store.Token, begun bool, err error)
	CreateToken(ctx context.Context, t store.Token, detail string) (store.Token, error)
	ReplaceToken(ctx context.Context, t store.Token, detail string) (store.Token, error)
	RevokeToken(ctx context.Context, name, by string) (store.Token, error)
	NoteTokenUse(ctx context.Context, id string, at time.Time) error
}

// TokenOptions configure Tokens. State and Store are required.
type TokenOptions struct {
	// State is the directory of the token files.
	State string
	Store TokenStore
	// Agents have a check token each, besides tokenfile.DefaultAgent.
	Agents []string
	// Others reports whether other daemons use the store; nil for never. They may have the files.
	Others func(ctx context.Context) bool
	// Log receives refused files; nil means silence.
	Log *slog.Logger
	// Now is the clock of expiry; nil means time.Now.
	Now func() time.Time
}

// Tokens are the secrets for the API, each known by its SHA-256 alone. Safe for concurrent use.
type Tokens struct {
	state  string
	store  TokenStore
	log    *slog.Logger
	now    func() time.Time
	others func(context.Context) bool

	change sync.Mutex // held while tokens are made, replaced or revoked

	mu     sync.RWMutex
	held   []token
	lent   []token  // see Lend
	agents []string // those configured
}

// life is how long a token is in force: its context ends with the token.
type life struct {
	context.Context
	end context.CancelFunc
}

func newLife(expires time.Time) life {
	if expires.IsZero() {
		ctx, end := context.WithCancel(context.Background())
		return life{ctx, end}
	}
	ctx, end := context.WithDeadline(context.Background(), expires)
	return life{ctx, end}
}

// token is one in force.
type token struct {
	id      string
	sum     store.Hash
	expires time.Time // zero: never
	caller  authority.Caller
	// noted is when its use was last written down, in nanoseconds.
	noted *atomic.Int64
	life  life
}

// OpenTokens reads the tokens and makes missing ones: one for the operator (admin.token), one for
// each agent and one for tokenfile.DefaultAgent (agents/NAME.token), 32 random bytes each, in files
// of mode 0600 below directories of mode 0700. At the very first start existing files, of a version
// with nothing but files, are taken over. Later, a file with an unknown secret is not: the log
// names the fix. A file or directory readable or writable by others, a symbolic link, or one of
// another owner is an error with the fix.
func OpenTokens(ctx context.Context, o TokenOptions) (*Tokens, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	t := &Tokens{state: o.State, store: o.Store, log: o.Log, now: o.Now, others: o.Others}
	if err := t.Ensure(ctx, o.Agents); err != nil {
		return nil, err
	}
	return t, nil
}

// Ensure reads the tokens again and makes those of new agents; the tokens of removed agents stop
// working, also when it fails.
func (t *Tokens) Ensure(ctx context.Context, agents []string) error {
	t.change.Lock()
	defer t.change.Unlock()
	t.mu.Lock()
	t.agents = append([]string{tokenfile.DefaultAgent}, agents...)
	t.mu.Unlock()
	if err := errors.Join(t.ensureFiles(ctx), t.load(ctx)); err != nil {
		return fmt.Errorf("tokens: %w", err)
	}
	return nil
}

// Load reads the tokens again, after another daemon changed them.
func (t *Tokens) Load(ctx context.Context) error { return t.load(ctx) }

// load takes the store's tokens. Unreadable ones stay as they were, except for removed agents.
func (t *Tokens) load(ctx context.Context) error {
	known, _, err := t.store.Tokens(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		t.keep(func(k token) bool { return t.serves(k.caller) })
		return err
	}
	before := t.held
	t.held = nil
	for _, k := range known {
		if k.Refused {
			t.log.Error("a token was changed outside Callgate and is disabled", "token", k.Name, "fix", "callgate tokens rotate "+k.Name)
		}
		if caller, ok := callerOf(k); ok && k.Usable(t.now()) && t.serves(caller) {
			t.held = append(t.held, holding(before, k, caller))
		}
	}
	for _, k := range before {
		if !slices.ContainsFunc(t.held, func(h token) bool { return h.id == k.id }) {
			k.life.end()
		}
	}
	return nil
}

// holding is a stored token in its held form, possibly held before.
func holding(before []token, k store.Token, caller authority.Caller) token {
	if i := slices.IndexFunc(before, func(h token) bool { return h.id == k.ID }); i >= 0 {
		return before[i]
	}
	noted := new(atomic.Int64)
	noted.Store(k.LastUsedAt.UnixNano())
	return token{id: k.ID, sum: k.Sum, expires: k.ExpiresAt, caller: caller, noted: noted, life: newLife(k.ExpiresAt)}
}

// keep ends all tokens but the chosen ones.
func (t *Tokens) keep(chosen func(token) bool) {
	t.held = slices.DeleteFunc(slices.Clone(t.held), func(k token) bool {
		if !chosen(k) {
			k.life.end()
		}
		return !chosen(k)
	})
}

// drop ends the token of a name.
func (t *Tokens) drop(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.keep(func(k token) bool { return k.caller.Token != name })
}

// serves reports whether a token's agent, if it has one, is configured.
func (t *Tokens) serves(c authority.Caller) bool {
	return c.Kind != authority.Checker || slices.Contains(t.agents, c.Agent)
}

// callerOf is who holds a token.
func callerOf(k store.Token) (authority.Caller, bool) {
	for kind, stored := range kindOf {
		if stored == k.Kind {
			return authority.Caller{Token: k.Name, Kind: kind, Agent: k.Agent}, true
		}
	}
	return authority.Caller{}, false
}

// find returns the token of this secret, if it is in force. It takes as long for a wrong secret as
// for a right one.
func (t *Tokens) find(secret string) (token, bool) {
	sum := sha256.Sum256([]byte(secret))
	t.mu.RLock()
	defer t.mu.RUnlock()
	found := -1
	for i := range len(t.held) + len(t.lent) {
		found = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(sum[:], t.at(i).sum[:]), i, found)
	}
	if found < 0 || !t.at(found).lives(t.now()) {
		return token{}, false
	}
	return *t.at(found), true
}

// at is one of the held and then the lent secrets. The caller holds mu.
func (t *Tokens) at(i int) *token {
	if i < len(t.held) {
		return &t.held[i]
	}
	return &t.lent[i-len(t.held)]
}

func (k token) expired(now time.Time) bool { return !k.expires.IsZero() && !k.expires.After(now) }

// key returns the key for proving the knowledge of the token with this id.
func (t *Tokens) key(id string) ([]byte, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for i := range len(t.held) + len(t.lent) {
		k := t.at(i)
		if protocol.KeyID(k.sum[:]) == id && k.lives(t.now()) {
			return k.sum[:], true
		}
	}
	return nil, false
}

// notedEvery is how exact the last use of a token is.
const notedEvery = time.Minute

// note records a token's use, beside its request and at most once a minute.
func (t *Tokens) note(k token) {
	now, last := t.now(), k.noted.Load()
	if now.UnixNano()-last < int64(notedEvery) || !k.noted.CompareAndSwap(last, now.UnixNano()) {
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), notePatience)
		defer cancel()
		if err := t.store.NoteTokenUse(ctx, k.id, now); err != nil && !errors.Is(err, store.ErrClosed) {
			t.log.Warn("the last use of a token could not be saved", "token", k.caller.Token, "error", err)
		}
	}()
}

// notePatience bounds writing down a token's use.
const notePatience = 10 * time.Second

// List returns all tokens ever made, the oldest first.
func (t *Tokens) List(ctx context.Context) ([]store.Token, error) {
	known, _, err := t.store.Tokens(ctx)
	return known, err
}
