package passkey

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/store"
)

// Store keeps the credentials, and the audit row of every change to them.
type Store interface {
	Setting(ctx context.Context, name string) ([]byte, error)
	SaveSetting(ctx context.Context, name string, value []byte, row store.Row) error
	ReplaceSetting(ctx context.Context, name string, was, value []byte, row store.Row) error
}

// Config are the parts of a Keeper. All but Host and Now are required.
type Config struct {
	Store Store
	// Host is the console's own host name, where the operator has chosen one.
	Host string
	// Origin is the console's origin as it is now; empty while it does not answer.
	Origin func() string
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// The bounds of what the memory keeps.
const (
	// challengeHold is how long a challenge may be answered.
	challengeHold = 2 * time.Minute
	maxChallenges = 1024
)

// Keeper enrols passkeys and verifies their signatures. It is safe for concurrent use.
type Keeper struct {
	c Config

	// saving is held while the records of the credentials and of the name change.
	saving sync.Mutex
	name   string // once it is known

	mu sync.Mutex
	// asked are the open challenges: one per ask and person, and one enrolment per person.
	asked map[challengeKey]challenge
	// counts are the last counters seen, by credential.
	counts map[string]uint32
}

// challengeKey is what a challenge is for; an enrolment has no ask.
type challengeKey struct{ ask, person string }

// challenge is an open one.
type challenge struct {
	// signed is the statement or, at an enrolment, random bytes.
	signed  []byte
	at      time.Time
	nonce   string
	expires time.Time
}

// New returns a Keeper over its parts.
func New(c Config) *Keeper {
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Keeper{c: c, asked: map[challengeKey]challenge{}, counts: map[string]uint32{}}
}

// The refusals of a signature.
var (
	// ErrNotSigned means: the signature does not count, and nothing was approved.
	ErrNotSigned = errors.New("the passkey's signature does not count")
	// ErrNoPasskey means: the person has no passkey here.
	ErrNoPasskey = errors.New("no passkey")
	errCopied    = errors.New("the passkey's counter went back, as with a copied key; revoke it")
)

// Challenge is a statement to sign, with the options for the browser.
type Challenge struct {
	// Statement is the text whose SHA-256 the device signs.
	Statement string `json:"statement"`
	// Options are those of navigator.credentials.get, as PublicKeyCredential's
	// parseRequestOptionsFromJSON reads them.
	Options RequestOptions `json:"options"`
}

// Challenge makes the one open challenge of answer.By for an ask: an earlier one ends. rules are
// those that the answer stores. ErrNoPasskey for a person without one.
func (k *Keeper) Challenge(ctx context.Context, waiting ask.Ask, answer ask.Answer, rules []engine.Rule) (Challenge, error) {
	if answer.Verdict != ask.Approve {
		return Challenge{}, fmt.Errorf("%w: a denial takes no passkey", ask.ErrBadAnswer)
	}
	name, err := k.Name(ctx)
	if err != nil {
		return Challenge{}, err
	}
	held, err := k.held(ctx, answer.By)
	if err != nil {
		return Challenge{}, err
	}
	if len(held) == 0 {
		return Challenge{}, fmt.Errorf("%s has %w for this console: add one on its page Passkeys", answer.By, ErrNoPasskey)
	}
	now, nonce := k.c.Now().UTC(), rand.Text()
	text, err := stated(name, waiting, answer, rules, now, nonce)
	if err != nil {
		return Challenge{}, err
	}
	if err := k.open(challengeKey{waiting.ID, answer.By}, challenge{signed: text, at: now, nonce: nonce, expires: now.Add(challengeHold)}); err != nil {
		return Challenge{}, err
	}
	sum := sha256.Sum256(text)
	return Challenge{Statement: string(text), Options: requestOptions(sum[:], name, held)}, nil
}

// Verify turns answer.Assertion into the evidence for the audit, as JSON. The statement is made anew
// from the ask, the answer and its rules: a signature under another one, without user
// verification, of another page, of a revoked or another person's passkey, and one used before is
// an ErrNotSigned. Each challenge counts for one try.
func (k *Keeper) Verify(ctx context.Context, waiting ask.Ask, answer ask.Answer, rules []engine.Rule) ([]byte, error) {
	open, ok := k.take(challengeKey{waiting.ID, answer.By})
	if !ok {
		return nil, fmt.Errorf("%w: its challenge was used, is older than two minutes, or was never made; answer again", ErrNotSigned)
	}
	name, err := k.Name(ctx)
	if err != nil {
		return nil, err
	}
	text, err := stated(name, waiting, answer, rules, open.at, open.nonce)
	if err != nil {
		return nil, err
	}
	if string(text) != string(open.signed) {
		return nil, fmt.Errorf("%w: the answer is not the one that was shown to the device; answer again", ErrNotSigned)
	}
	credential, err := k.signer(ctx, answer)
	if err != nil {
		return nil, err
	}
	origin := k.c.Origin()
	count, err := verify(text, answer.Assertion, credential, origin)
	if err == nil && !k.counted(credential, count) {
		err = errCopied
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotSigned, err)
	}
	return []byte(compact(Proof{Statement: string(text), Credential: credential, Origin: origin, Assertion: string(answer.Assertion)})), nil
}

// signer is the credential that an assertion names, if it is one of answer.By in force.
func (k *Keeper) signer(ctx context.Context, answer ask.Answer) (Credential, error) {
	held, err := k.held(ctx, answer.By)
	if err != nil {
		return Credential{}, err
	}
	id := credentialID(answer.Assertion)
	i := slices.IndexFunc(held, func(c Credential) bool { return c.ID == id })
	if i < 0 {
		return Credential{}, fmt.Errorf("%w: %s has no such passkey, or it was revoked", ErrNotSigned, answer.By)
	}
	return held[i], nil
}

// counted notes an authenticator's counter, and reports whether it may have this value. Synced
// passkeys keep it at 0.
func (k *Keeper) counted(c Credential, count uint32) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	last := max(c.Count, k.counts[c.ID])
	if count <= last && (count != 0 || last != 0) {
		return false
	}
	k.counts[c.ID] = count
	return true
}

// open keeps a challenge.
func (k *Keeper) open(key challengeKey, c challenge) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.c.Now()
	for other, o := range k.asked {
		if !o.expires.After(now) {
			delete(k.asked, other)
		}
	}
	if _, again := k.asked[key]; !again && len(k.asked) >= maxChallenges {
		return fmt.Errorf("%d challenges wait for passkeys; try again in two minutes", maxChallenges)
	}
	k.asked[key] = c
	return nil
}

// take ends a challenge; false when there is none in time.
func (k *Keeper) take(key challengeKey) (challenge, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	c, ok := k.asked[key]
	delete(k.asked, key)
	return c, ok && c.expires.After(k.c.Now())
}
