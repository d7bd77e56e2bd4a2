// Package tokenfile knows the files of tokens: their places below the daemon's state directory, and
// a safe way to read one out of others' reach.
//
// The daemon writes two kinds of them: admin.token for the operator's commands, and
// agents/NAME.token for an agent's hook. It knows the tokens by their hashes alone; only their
// users' files hold the secrets.
package tokenfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/callgate/callgate/host/internal/machine/securedir"
)

// DefaultAgent is the agent with a check token in any case.
const DefaultAgent = "default"

// secretLen is the length of a token's secret, behind cg_KIND_.
const secretLen = 43

// IsToken reports whether a text has the form of a token, cg_KIND_SECRET. No pattern: it
// would be compiled at the start of every process.
func IsToken(text string) bool {
	kind, found := strings.CutPrefix(text, "cg_")
	at := strings.IndexByte(kind, '_')
	if !found || at < 1 || len(kind)-at-1 != secretLen {
		return false
	}
	return !strings.ContainsFunc(kind[:at], func(r rune) bool { return r < 'a' || 'z' < r }) && !strings.ContainsFunc(kind[at+1:], isOdd)
}

// isOdd reports whether a character is no letter or digit of ASCII, '_' or '-'.
func isOdd(r rune) bool {
	return (r < 'a' || 'z' < r) && (r < 'A' || 'Z' < r) && (r < '0' || '9' < r) && r != '_' && r != '-'
}

// IsPlainName reports whether a name is safe as a file's: 1 to 64 letters, digits, '.', '_' or '-'.
func IsPlainName(name string) bool {
	return 0 < len(name) && len(name) <= 64 && name[0] != '.' && !strings.ContainsFunc(name, func(r rune) bool { return r != '.' && isOdd(r) })
}

// Admin is where below the state directory the operator's own token is kept.
func Admin(state string) string { return filepath.Join(state, "admin.token") }

// Check is the file of an agent's check token: a plain name as it is, else a digest of it behind a
// mark missing in plain names.
func Check(state, agent string) string {
	name := agent
	if !IsPlainName(agent) {
		sum := sha256.Sum256([]byte(agent))
		name = "+" + hex.EncodeToString(sum[:16])
	}
	return filepath.Join(state, "agents", name+".token")
}

// ErrNoDaemon means that no daemon runs: nothing listens at its endpoint, or no daemon
// has created a token yet.
var ErrNoDaemon = errors.New("the daemon is not running")

// Read reads a token's file as a client does: one's own, unreadable for others, or root's, readable
// also for one's group. A link, and a file others could read or write, is refused.
func Read(path string) (string, error) {
	secret, err := read(path, clients)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%w (no token at %s). Start it: callgate serve", ErrNoDaemon, path)
	case errors.Is(err, fs.ErrPermission):
		return "", fmt.Errorf("token %s: this account may not read it. Use your own token with --token-file: %w", path, err)
	case err != nil:
		return "", fmt.Errorf("token %s: %w", path, err)
	}
	return secret, nil
}

// ReadPrivate reads a token's file as the daemon does: only the daemon may have it. fs.ErrNotExist
// for a missing one.
func ReadPrivate(path string) (string, error) { return read(path, private) }

// read opens without following a link and checks the open file, so it reads exactly the checked
// file.
func read(path string, check func(path string, info fs.FileInfo) error) (string, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return "", fmt.Errorf("%w: it is a symbolic link; remove it, and the daemon creates a new token", securedir.ErrNotPrivate)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|securedir.NoFollow, 0)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if err := check(path, info); err != nil {
		return "", err
	}
	data, err := io.ReadAll(io.LimitReader(f, 256))
	if err != nil {
		return "", err
	}
	secret := strings.TrimRight(string(data), "\r\n")
	if !IsToken(secret) {
		return "", errors.New("the file has no valid token; remove it, and the next start creates a new one")
	}
	return secret, nil
}

// clients checks a client's token file: a private one, or one of root's readable for a group, such
// as an agent's account's. Root may use everybody's, as for callgate pin reset.
func clients(path string, info fs.FileInfo) error {
	if securedir.ChecksModes && os.Geteuid() == 0 && info.Mode().IsRegular() && info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	if securedir.ChecksModes && info.Mode().IsRegular() && securedir.Roots(info) && info.Mode().Perm()&0o037 == 0 {
		return nil
	}
	return private(path, info)
}

// private checks an open token file.
func private(path string, info fs.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return fmt.Errorf("%w: %s is not a regular file", securedir.ErrNotPrivate, path)
	case !securedir.Ours(info):
		return fmt.Errorf("%w: %s belongs to another user", securedir.ErrNotPrivate, path)
	case securedir.ChecksModes && info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%w: other accounts can read %s (mode %04o); remove it, and the daemon creates a new token", securedir.ErrNotPrivate, path, info.Mode().Perm())
	}
	return nil
}
