package api

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/machine/atomicfile"
	"github.com/callgate/callgate/host/internal/machine/securedir"
	"github.com/callgate/callgate/host/internal/store"
)

// newSecret makes a token's secret. Its beginning lets a scanner find a leaked
// one.
func newSecret(kind store.TokenKind) string {
	var random [32]byte
	rand.Read(random[:])
	return prefix(kind) + base64.RawURLEncoding.EncodeToString(random[:])
}

func prefix(kind store.TokenKind) string { return "cg_" + string(kind) + "_" }

// file is the daemon's file with a token's secret for its user; empty for those shown once and
// stored nowhere.
func (t *Tokens) file(k store.Token) string {
	switch {
	case k.Kind == store.TokenCheck:
		return tokenfile.Check(t.state, k.Agent)
	case k.Name == adminName:
		return tokenfile.Admin(t.state)
	}
	return ""
}

// filed is a token with a file, and the file's content.
type filed struct {
	store.Token
	path   string
	secret string // empty: there is no file
}

// ensureFiles brings files and store together. Everything is read before anything is written, so a
// file in need of a fix first leaves all as it was.
func (t *Tokens) ensureFiles(ctx context.Context) error {
	for _, dir := range []string{t.state, filepath.Join(t.state, "agents")} {
		if err := securedir.MakePrivate(dir); err != nil {
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

// readFiles reads the files of the required tokens.
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
		if w.secret, err = tokenfile.ReadPrivate(w.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
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

// adoptable refuses to take over files possibly made by others.
func adoptable(wanted []filed) error {
	seen := map[store.Hash]string{}
	for _, w := range wanted {
		switch other := seen[w.Sum]; {
		case w.secret == "":
			continue
		case !strings.HasPrefix(w.secret, prefix(w.Kind)):
			return fmt.Errorf("token %s: does not begin with %s; remove the file, and the next start creates a new one", w.path, prefix(w.Kind))
		case other != "":
			return fmt.Errorf("token %s: same token as %s; remove one of the files and restart", w.path, other)
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
		_, _, err := t.make(ctx, w.Token, "created by callgate")
		return err
	case known == nil && !begun:
		w.CreatedBy = madeBy
		_, err := t.store.CreateToken(ctx, w.Token, "read from its file")
		return err
	case known != nil && !known.RevokedAt.IsZero():
		t.log.Warn("a token is revoked", "token", w.Name, "fix", fmt.Sprintf("callgate tokens create --kind %s%s", w.Kind, forAgent(w.Agent)))
		return nil
	case known != nil && w.secret == "" && t.others != nil && t.others(ctx):
		t.log.Warn("the file of a token is missing here: copy it from another machine of this store", "token", w.Name, "file", w.path, "fix", "callgate tokens rotate "+w.Name)
		return nil
	case known != nil && w.secret == "":
		w.ExpiresAt = t.renewed(*known)
		_, _, err := t.make(ctx, w.Token, "its file was missing")
		return err
	case known != nil && known.Sum == w.Sum:
		return nil
	}
	t.log.Error("ignored a token file: its content was not written by Callgate", "file", w.path,
		"fix", fmt.Sprintf("callgate tokens rotate %s (or remove the file and restart the daemon)", w.Name))
	return nil
}

func forAgent(agent string) string {
	if agent == "" {
		return " --name " + adminName
	}
	return " --agent " + agent
}

// madeBy is the author of automatic tokens.
const madeBy = "callgate"

// make makes a token's secret, replaces the stored hash of its name by the new one, and writes the
// file of a token with one: whole or not at all, replacing the old.
func (t *Tokens) make(ctx context.Context, k store.Token, detail string) (store.Token, string, error) {
	if k.CreatedBy == "" {
		k.CreatedBy = madeBy
	}
	secret := newSecret(k.Kind)
	k.Sum = sha256.Sum256([]byte(secret))
	path := t.file(k)
	var part *atomicfile.Part
	if path != "" {
		var err error
		if part, err = atomicfile.Begin(path, []byte(secret+"\n"), nil); err != nil {
			return store.Token{}, "", err
		}
		defer part.Discard()
	}
	made, err := t.store.ReplaceToken(ctx, k, detail)
	if err != nil || path == "" {
		return made, secret, err
	}
	if err := part.Place(); err != nil {
		return made, secret, fmt.Errorf("token %s: the new token is active, but its file could not be written: %w", k.Name, err)
	}
	return made, secret, nil
}
