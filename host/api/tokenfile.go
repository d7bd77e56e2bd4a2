package api

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
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

	"github.com/callgate/callgate/host/internal/whole"
	"github.com/callgate/callgate/host/store"
)

// The daemon knows tokens by their hashes; the secrets are in the files of those
// who use them. Two kinds of files the daemon writes itself: admin.token for the
// operator's commands, and agents/NAME.token, which an agent's hook reads.

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

// newSecret makes a token's secret. Its beginning lets a scanner find a leaked
// one.
func newSecret(kind store.TokenKind) string {
	var random [32]byte
	rand.Read(random[:])
	return prefix(kind) + base64.RawURLEncoding.EncodeToString(random[:])
}

func prefix(kind store.TokenKind) string { return "cg_" + string(kind) + "_" }

// file is where the daemon keeps a token's secret for its user; empty for those
// that it shows once and keeps nowhere.
func (t *Tokens) file(k store.Token) string {
	switch {
	case k.Kind == store.TokenCheck:
		return CheckTokenFile(t.state, k.Agent)
	case k.Name == adminName:
		return AdminTokenFile(t.state)
	}
	return ""
}

// filed is a token that has a file, and what the file holds.
type filed struct {
	store.Token
	path   string
	secret string // empty: there is no file
}

// ensureFiles brings files and store together. Everything is read before
// anything is written, so that a file that has to be mended first leaves all as
// it was.
func (t *Tokens) ensureFiles(ctx context.Context) error {
	for _, dir := range []string{t.state, filepath.Join(t.state, "agents")} {
		if err := privateDirectory(dir); err != nil {
			return err
		}
	}
	wanted, err := t.readFiles()
	if err != nil {
		return err
	}
	known, begun, err := t.store.Tokens(ctx)
	if err != nil {
		return err
	}
	if !begun {
		if err := adoptable(wanted); err != nil {
			return err
		}
	}
	for _, w := range wanted {
		if err := t.ensureFile(ctx, w, last(known, w.Name), begun); err != nil {
			return err
		}
	}
	return nil
}

// readFiles reads the files of the tokens that must be there.
func (t *Tokens) readFiles() ([]filed, error) {
	wanted := []filed{{Token: store.Token{Name: adminName, Kind: store.TokenAdmin}}}
	for _, agent := range t.agents {
		k := store.Token{Name: checkName(agent), Kind: store.TokenCheck, Agent: agent}
		if !named(wanted, k.Name) {
			wanted = append(wanted, filed{Token: k})
		}
	}
	for i := range wanted {
		w := &wanted[i]
		w.path = t.file(w.Token)
		var err error
		if w.secret, err = readToken(w.path, privateFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("token %s: %w", w.path, err)
		}
		w.Sum = sha256.Sum256([]byte(w.secret))
	}
	return wanted, nil
}

func named(list []filed, name string) bool {
	for _, f := range list {
		if f.Name == name {
			return true
		}
	}
	return false
}

// adoptable refuses to take over files that could not have been made by us.
func adoptable(wanted []filed) error {
	seen := map[store.Hash]string{}
	for _, w := range wanted {
		switch other := seen[w.Sum]; {
		case w.secret == "":
			continue
		case !strings.HasPrefix(w.secret, prefix(w.Kind)):
			return fmt.Errorf("token %s: it does not begin with %s: remove the file, and a new one is made", w.path, prefix(w.Kind))
		case other != "":
			return fmt.Errorf("token %s: it is the token of %s too: remove one of the files, and restart", w.path, other)
		}
		seen[w.Sum] = w.Name
	}
	return nil
}

// last is the newest token of a name.
func last(known []store.Token, name string) *store.Token {
	for i := len(known) - 1; i >= 0; i-- {
		if known[i].Name == name {
			return &known[i]
		}
	}
	return nil
}

// ensureFile brings one file and the store together.
func (t *Tokens) ensureFile(ctx context.Context, w filed, known *store.Token, begun bool) error {
	switch {
	case known == nil && w.secret == "":
		_, _, err := t.make(ctx, w.Token, "made by callgate")
		return err
	case known == nil && !begun:
		w.CreatedBy = madeBy
		_, err := t.store.CreateToken(ctx, w.Token, "taken over from its file")
		return err
	case known != nil && !known.RevokedAt.IsZero():
		t.log.Warn("a token is revoked", "token", w.Name, "cure", fmt.Sprintf("callgate tokens create --kind %s%s", w.Kind, forAgent(w.Agent)))
		return nil
	case known != nil && w.secret == "":
		w.ExpiresAt = t.renewed(*known)
		_, _, err := t.make(ctx, w.Token, "its file was missing")
		return err
	case known != nil && known.Sum == w.Sum:
		return nil
	}
	t.log.Error("a token's file is refused: Callgate did not make what it holds", "file", w.path,
		"cure", fmt.Sprintf("callgate tokens rotate %s (or remove the file and start the daemon again)", w.Name))
	return nil
}

func forAgent(agent string) string {
	if agent == "" {
		return " --name " + adminName
	}
	return " --agent " + agent
}

// madeBy is who makes tokens that nobody asked for.
const madeBy = "callgate"

// make makes a token's secret, stores its hash in the place of the token of its
// name, if there is one, and writes the file of one that has a file: whole or
// not at all, in the place of the old.
func (t *Tokens) make(ctx context.Context, k store.Token, detail string) (store.Token, string, error) {
	if k.CreatedBy == "" {
		k.CreatedBy = madeBy
	}
	secret := newSecret(k.Kind)
	k.Sum = sha256.Sum256([]byte(secret))
	path := t.file(k)
	var part *whole.Part
	if path != "" {
		var err error
		if part, err = whole.Begin(path, []byte(secret+"\n"), nil); err != nil {
			return store.Token{}, "", err
		}
		defer part.Discard()
	}
	made, err := t.store.ReplaceToken(ctx, k, detail)
	if err != nil || path == "" {
		return made, secret, err
	}
	if err := part.Place(); err != nil {
		return made, secret, fmt.Errorf("token %s: the new one is in force, but its file could not be written: %w", k.Name, err)
	}
	return made, secret, nil
}

// ReadToken reads a token's file as a client does: one's own, which nobody else
// may read, or root's, which besides one's group may read. A link, and what
// others could read or write, is refused.
func ReadToken(path string) (string, error) {
	secret, err := readToken(path, clientFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("token %s: there is none: start the daemon once with: callgate serve", path)
	case errors.Is(err, fs.ErrPermission):
		return "", fmt.Errorf("token %s: this account may not read it: name your own with --token-file: %w", path, err)
	case err != nil:
		return "", fmt.Errorf("token %s: %w", path, err)
	}
	return secret, nil
}

// readToken opens without following a link and looks at the open file, so that
// what is checked is what is read.
func readToken(path string, private func(path string, info fs.FileInfo) error) (string, error) {
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
	if err := private(path, info); err != nil {
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
