package modules

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/text/strictjson"
	"github.com/callgate/callgate/host/wire"
)

// LockFile is the name of the lock in the directory of modules.
const LockFile = "callgate.lock"

// The bounds of a lock.
const (
	maxLock    = 4 << 20
	maxEntries = 256
	maxNames   = 4160 // 64 tools with 64 aliases each
	maxName    = 128
	format     = 1
)

// LockEntry is one module of a lock.
type LockEntry struct {
	File string `json:"file"`
	wire.GrantedModule
	// Previous is the version before, for one rollback.
	Previous *wire.GrantedModule `json:"previous,omitzero"`
	// Seal authenticates all of the above, in hex.
	Seal string `json:"seal"`
}

// lock is a lock file.
type lock struct {
	Format  int         `json:"format"`
	Modules []LockEntry `json:"modules"`
}

// parseLock reads a lock file strictly. An error names the member; the lock is then
// empty.
func parseLock(data []byte) (lock, error) {
	if len(data) > maxLock {
		return lock{}, fmt.Errorf("%d bytes: at most %d", len(data), maxLock)
	}
	var l lock
	if err := jsonv2.Unmarshal(data, &l, jsonv2.RejectUnknownMembers(true)); err != nil {
		return lock{}, strictjson.Explain(err)
	}
	if l.Format != format {
		return lock{}, fmt.Errorf("format: %d: this version of Callgate reads %d", l.Format, format)
	}
	if len(l.Modules) > maxEntries {
		return lock{}, fmt.Errorf("modules: %d: at most %d", len(l.Modules), maxEntries)
	}
	for i, e := range l.Modules {
		if err := e.check(); err != nil {
			return lock{}, fmt.Errorf("modules[%d].%w", i, err)
		}
		if slices.ContainsFunc(l.Modules[:i], func(o LockEntry) bool { return strings.EqualFold(o.File, e.File) }) {
			return lock{}, fmt.Errorf("modules[%d].file: duplicate %q", i, e.File)
		}
	}
	return l, nil
}

// text writes a lock as people read it.
func (l lock) text() ([]byte, error) {
	if l.Modules == nil {
		l.Modules = []LockEntry{}
	}
	l.Format = format
	data, err := jsonv2.Marshal(l, jsonv2.Deterministic(true), jsontext.WithIndent("  "))
	return append(data, '\n'), err
}

// find returns the entry of a file, nil for none.
func (l lock) find(file string) *LockEntry {
	i := slices.IndexFunc(l.Modules, func(e LockEntry) bool { return e.File == file })
	if i < 0 {
		return nil
	}
	return &l.Modules[i]
}

// with returns the lock with an entry in place of the file's own; nil takes it out.
func (l lock) with(file string, e *LockEntry) lock {
	out := slices.DeleteFunc(slices.Clone(l.Modules), func(o LockEntry) bool { return o.File == file })
	if e != nil {
		out = append(out, *e)
	}
	slices.SortFunc(out, func(a, b LockEntry) int { return strings.Compare(a.File, b.File) })
	return lock{Format: format, Modules: out}
}

var (
	hexSum  = regexp.MustCompile(`^[0-9a-f]{64}$`)
	keyName = form{regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`), 64}
)

// unsealed is the entry as JSON with an empty seal; equal entries have equal texts.
func (e LockEntry) unsealed() ([]byte, error) {
	e.Seal = ""
	return jsonv2.Marshal(e, jsonv2.Deterministic(true))
}

// parseUnsealed reads an entry as unsealed wrote it.
func parseUnsealed(text []byte) (e LockEntry, err error) {
	if err := jsonv2.Unmarshal(text, &e, jsonv2.RejectUnknownMembers(true)); err != nil {
		return LockEntry{}, strictjson.Explain(err)
	}
	e.Seal = strings.Repeat("0", 64)
	err = e.check()
	e.Seal = ""
	return e, err
}

func (e LockEntry) check() error {
	if err := CheckFile(e.File); err != nil {
		return err
	}
	if !hexSum.MatchString(e.Seal) {
		return errors.New("seal: want 64 hexadecimal digits")
	}
	if err := checkGranted(e.GrantedModule); err != nil {
		return err
	}
	if e.Previous == nil {
		return nil
	}
	if err := checkGranted(*e.Previous); err != nil {
		return fmt.Errorf("previous.%w", err)
	}
	return nil
}

func checkGranted(g wire.GrantedModule) error {
	for name, text := range map[string]string{"name": g.Name, "version": g.Version, "granted_by": g.GrantedBy} {
		if text == "" || !plain(text) {
			return fmt.Errorf("%s: want 1 to %d bytes of plain text", name, maxName)
		}
	}
	for name, sum := range map[string]string{"digest": g.Digest, "description": g.Description} {
		if !hexSum.MatchString(sum) {
			return fmt.Errorf("%s: want a SHA-256 of 64 hexadecimal digits", name)
		}
	}
	if g.GrantedAt.IsZero() {
		return errors.New("granted_at: missing")
	}
	if g.Signature != nil {
		if err := checkSignature(*g.Signature); err != nil {
			return fmt.Errorf("signature.%w", err)
		}
	}
	return CheckGrant(g.Grant)
}

// plain reports whether a text is one short line without invisible characters.
func plain(text string) bool {
	return len(text) <= maxName && utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

// CheckGrant refuses an impossible grant. The error begins with the member.
func CheckGrant(g wire.Grant) error {
	if len(g.Names) > maxNames {
		return fmt.Errorf("names: %d: at most %d", len(g.Names), maxNames)
	}
	for i, name := range g.Names {
		if name == "" || !plain(name) || strings.Trim(name, "*?") == "" {
			return fmt.Errorf("names[%d]: %s: want a tool name, or a glob that is more than stars", i, strconv.QuoteToASCII(name))
		}
	}
	_, err := grantLimits(g)
	return err
}

// grantLimits are the grant's own; zero where it says nothing.
func grantLimits(g wire.Grant) (sandbox.Limits, error) {
	var out sandbox.Limits
	known := 0
	for _, s := range sandbox.Settings() {
		text, there := g.Limits[s.Name]
		if !there {
			continue
		}
		known++
		v, err := readLimit(s, text)
		if err != nil {
			return sandbox.Limits{}, fmt.Errorf("limits.%s: %w", s.Name, err)
		}
		s.Put(&out, v)
	}
	if known < len(g.Limits) {
		return sandbox.Limits{}, fmt.Errorf("limits: unknown name; want %s", limitNames())
	}
	return out, nil
}

func readLimit(s sandbox.Setting, text string) (int64, error) {
	var v int64
	var err error
	if s.Time {
		var d time.Duration
		d, err = time.ParseDuration(text)
		v = int64(d)
	} else {
		v, err = strconv.ParseInt(text, 10, 64)
	}
	if err != nil || v < s.Least || v > s.Most {
		return 0, fmt.Errorf("%s: want %s to %s: %s", strconv.QuoteToASCII(text), s.Text(s.Least), s.Text(s.Most), s.Why)
	}
	return v, nil
}

func limitNames() string {
	var names []string
	for _, s := range sandbox.Settings() {
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}

// SandboxLimits are the grant's own limits; zero where it leaves them to the configuration. A
// checked grant has no others.
func SandboxLimits(g wire.Grant) sandbox.Limits {
	out, _ := grantLimits(g)
	return out
}
