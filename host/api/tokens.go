package api

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/callgate/callgate/host/gate"
)

// The beginnings of token secrets, so that a scanner finds a leaked one.
const (
	adminPrefix = "cg_admin_"
	checkPrefix = "cg_check_"
)

// DefaultAgent is the agent whose check token always exists.
const DefaultAgent = "default"

// AdminTokenFile and CheckTokenFile tell where below the state directory a
// token is kept.
func AdminTokenFile(state string) string { return filepath.Join(state, "admin.token") }

// CheckTokenFile is the file of an agent's check token.
func CheckTokenFile(state, agent string) string {
	return filepath.Join(state, "agents", tokenName(agent)+".token")
}

var wholeToken = regexp.MustCompile(`^cg_[a-z]+_[A-Za-z0-9_-]{43}$`)

var plainName = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}$`)

// tokenName is an agent's name as a file's: as it is when that is safe, else a
// digest of it behind a mark that no safe name has.
func tokenName(agent string) string {
	if plainName.MatchString(agent) {
		return agent
	}
	sum := sha256.Sum256([]byte(agent))
	return "+" + hex.EncodeToString(sum[:16])
}

// Tokens are the secrets that open the API. Safe for concurrent use.
type Tokens struct {
	state string

	mu   sync.RWMutex
	held []token
}

// token is one secret, kept only as its SHA-256.
type token struct {
	sum    [sha256.Size]byte
	caller gate.Caller
}

// OpenTokens reads the tokens in the state directory and makes those that are
// missing: one for the admin, one for each agent, one for DefaultAgent. A token
// is 32 random bytes in a file of mode 0600 below directories of mode 0700. A
// file or directory that others can read or write, that is a symbolic link or
// belongs to somebody else is refused with the cure.
func OpenTokens(state string, agents []string) (*Tokens, error) {
	t := &Tokens{state: state}
	if err := t.Ensure(agents); err != nil {
		return nil, err
	}
	return t, nil
}

// Ensure reads the tokens again and makes those of new agents; the tokens of
// agents that are no longer named stop working. On an error the old ones hold.
func (t *Tokens) Ensure(agents []string) error {
	for _, dir := range []string{t.state, filepath.Join(t.state, "agents")} {
		if err := privateDirectory(dir); err != nil {
			return fmt.Errorf("tokens: %w", err)
		}
	}
	held := []token{}
	add := func(path, prefix string, caller gate.Caller) error {
		secret, err := readOrMakeToken(path, prefix)
		if err != nil {
			return fmt.Errorf("token %s: %w", path, err)
		}
		sum := sha256.Sum256([]byte(secret))
		for _, h := range held {
			if h.sum == sum && h.caller != caller {
				return fmt.Errorf("token %s: it is the token of %s too: remove one of the files, and restart", path, h.caller.Token)
			}
		}
		held = append(held, token{sum: sum, caller: caller})
		return nil
	}
	if err := add(AdminTokenFile(t.state), adminPrefix, gate.Caller{Token: "admin", Standing: gate.Admin}); err != nil {
		return err
	}
	for _, agent := range append([]string{DefaultAgent}, agents...) {
		caller := gate.Caller{Token: "check:" + agent, Standing: gate.Checker, Agent: agent}
		if err := add(CheckTokenFile(t.state, agent), checkPrefix, caller); err != nil {
			return err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held = held
	return nil
}

// Caller tells whose secret this is. It takes as long for a wrong secret as for
// a right one.
func (t *Tokens) Caller(secret string) (gate.Caller, bool) {
	sum := sha256.Sum256([]byte(secret))
	t.mu.RLock()
	defer t.mu.RUnlock()
	found := -1
	for i := range t.held {
		found = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(sum[:], t.held[i].sum[:]), i, found)
	}
	if found < 0 {
		return gate.Caller{}, false
	}
	return t.held[found].caller, true
}

// key returns the key that proves the knowledge of the token with this id.
func (t *Tokens) key(id string) ([]byte, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, h := range t.held {
		if keyID(h.sum[:]) == id {
			return h.sum[:], true
		}
	}
	return nil, false
}

// ReadToken reads a token's file as a client does. It refuses what OpenTokens
// refuses.
func ReadToken(path string) (string, error) {
	secret, err := readToken(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("token %s: there is none: start the daemon once with: callgate serve", path)
	case err != nil:
		return "", fmt.Errorf("token %s: %w", path, err)
	}
	return secret, nil
}

func readOrMakeToken(path, prefix string) (string, error) {
	secret, err := readToken(path)
	if errors.Is(err, fs.ErrNotExist) {
		return makeToken(path, prefix)
	}
	if err == nil && !strings.HasPrefix(secret, prefix) {
		err = fmt.Errorf("it does not begin with %s: remove the file, and a new one is made", prefix)
	}
	return secret, err
}

// readToken opens without following a link and looks at the open file, so that
// what is checked is what is read.
func readToken(path string) (string, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return "", fmt.Errorf("%w: it is a symbolic link: remove it, so that a new token is made", ErrUnsafe)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|noFollow, 0)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if err := privateFile(path, info); err != nil {
		return "", err
	}
	data, err := io.ReadAll(io.LimitReader(f, 256))
	if err != nil {
		return "", err
	}
	secret := strings.TrimRight(string(data), "\r\n")
	if !wholeToken.MatchString(secret) {
		return "", errors.New("it holds no whole token: remove the file, and a new one is made at the next start")
	}
	return secret, nil
}

// makeToken writes a new token under another name and links it into place, so
// that nobody ever reads half of one and no other daemon's is overwritten.
func makeToken(path, prefix string) (string, error) {
	var random [32]byte
	rand.Read(random[:])
	secret := prefix + base64.RawURLEncoding.EncodeToString(random[:])
	f, err := os.CreateTemp(filepath.Dir(path), ".token-*") // mode 0600
	if err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(f.Name()) }() // a second name of the token, or half of one
	_, err = f.WriteString(secret + "\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", err
	}
	err = os.Link(f.Name(), path)
	if errors.Is(err, fs.ErrExist) {
		return readToken(path)
	}
	return secret, err
}
