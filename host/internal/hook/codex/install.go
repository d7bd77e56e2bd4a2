package codex

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/pelletier/go-toml/v2"

	"github.com/callgate/callgate/host/internal/hook/settings"
)

// The files of the client.
const (
	hooksFile  = "hooks.json"
	configFile = "config.toml"
	// ManagedFile is the machine's file; its hooks need no trust.
	ManagedFile = "/etc/codex/requirements.toml"
)

// HooksFile is the file of hooks in a directory of the client's configuration.
func HooksFile(dir string) string { return filepath.Join(dir, hooksFile) }

// The marks around our lines of a TOML file. The first says what the install found, so that the
// uninstall gives the same bytes back.
const (
	beginMark  = "# callgate: begin"
	newFile    = " (new file)"
	noLineFeed = " (after a line without its end)"
	endMark    = "# callgate: end\n"
)

// Install puts the hook into the directory hooksDir, and its trust into config.toml of the account's
// directory home: Codex skips a hook without it, silently. dry changes nothing.
func Install(hooksDir, home string, e settings.Entry, dry bool) ([]settings.Result, error) {
	e.Client = settings.Codex
	path := HooksFile(hooksDir)
	first, err := settings.InstallFile(path, settings.User, e, true)
	if err != nil {
		return nil, err
	}
	if first.Text == "" { // it is there already
		if first, err = settings.InstallFile(path, settings.User, e, dry); err != nil {
			return nil, err
		}
	}
	block, err := trust(path, []byte(first.Text))
	if err != nil {
		return nil, err
	}
	set := func(text []byte) ([]byte, error) { return put(configPath(home), text, block) }
	// First in thought alone: with a config.toml that cannot be changed, nothing is.
	second, err := settings.Edit(configPath(home), settings.User, true, set)
	if err != nil || dry {
		return []settings.Result{first, second}, err
	}
	if first, err = settings.InstallFile(path, settings.User, e, false); err != nil {
		return nil, err
	}
	second, err = settings.Edit(configPath(home), settings.User, false, set)
	return []settings.Result{first, second}, err
}

// Uninstall removes both.
func Uninstall(hooksDir, home string, dry bool) ([]settings.Result, error) {
	second, err := settings.Edit(configPath(home), settings.User, dry, func(text []byte) ([]byte, error) { return cut(configPath(home), text) })
	if err != nil {
		return nil, err
	}
	first, err := settings.UninstallFile(settings.Codex, HooksFile(hooksDir), dry)
	return []settings.Result{first, second}, err
}

// InstallManaged puts the hook into the machine's requirements, where no account, project and flag
// switches it off.
func InstallManaged(path string, e settings.Entry, dry bool) (settings.Result, error) {
	e.Client = settings.Codex
	return settings.Edit(path, settings.Managed, dry, func(text []byte) ([]byte, error) {
		plain, err := cut(path, text)
		if err != nil {
			return nil, err
		}
		block, err := managedBlock(path, plain, e)
		if err != nil {
			return nil, err
		}
		return put(path, text, block)
	})
}

// UninstallManaged removes it.
func UninstallManaged(path string, dry bool) (settings.Result, error) {
	return settings.Edit(path, settings.Managed, dry, func(text []byte) ([]byte, error) { return cut(path, text) })
}

func configPath(home string) string { return filepath.Join(home, configFile) }

// Key is the name of a hook's trust in config.toml.
func Key(path string, group, at int) string {
	return path + ":pre_tool_use:" + strconv.Itoa(group) + ":" + strconv.Itoa(at)
}

// Hash is the client's digest of a hook: of its canonical JSON, with the client's own defaults
// written out. Measured: hooks/list of `codex app-server` gives the same for this handler.
func Hash(h settings.Hook) (string, error) {
	handler := map[string]any{"async": false, "command": h.Command, "timeout": int64(h.Timeout.Seconds()), "type": h.Type}
	if h.StatusMessage != "" {
		handler["statusMessage"] = h.StatusMessage
	}
	group := map[string]any{"event_name": "pre_tool_use", "hooks": []any{handler}}
	if h.Matcher != "" {
		group["matcher"] = h.Matcher
	}
	text, err := jsonv2.Marshal(group, jsonv2.Deterministic(true))
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:]), err
}

// trust is the trust in our hook of a text of hooks.json.
func trust(path string, text []byte) (string, error) {
	if len(text) == 0 {
		data, err := readConfig(path)
		if err != nil {
			return "", err
		}
		text = data
	}
	h, group, at, ok, err := settings.Codex.Place(path, text, settings.PreToolUse)
	if err != nil || !ok {
		return "", errors.Join(err, fmt.Errorf("%s: no hook of Callgate", path))
	}
	hash, err := Hash(h)
	return "[hooks.state." + quote(Key(path, group, at)) + "]\ntrusted_hash = " + quote(hash) + "\n", err
}

// managedBlock are the lines of requirements.toml that the text does not have.
func managedBlock(path string, text []byte, e settings.Entry) (string, error) {
	var have struct {
		Only     *bool           `toml:"allow_managed_hooks_only"`
		Features map[string]bool `toml:"features"`
		Hooks    map[string]any  `toml:"hooks"`
	}
	if err := toml.Unmarshal(text, &have); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	var out strings.Builder
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		out.WriteString("allow_managed_hooks_only = true\n\n[features]\nhooks = true\n\n[hooks]\nmanaged_dir = " + quote(filepath.Dir(path)) + "\n\n")
	case have.Features == nil:
		out.WriteString("[features]\nhooks = true\n\n")
	case !have.Features["hooks"]:
		return "", fmt.Errorf("%s: add \"hooks = true\" to its table [features] first; without it a flag of codex switches the hook off", path)
	}
	if out.Len() < 40 { // the file is another's
		switch dir, given := have.Hooks["managed_dir"]; {
		case have.Hooks == nil:
			out.WriteString("[hooks]\nmanaged_dir = " + quote(filepath.Dir(path)) + "\n\n")
		case !given || dir == "":
			return "", fmt.Errorf("%s: add \"managed_dir = %s\" to its table [hooks] first", path, quote(filepath.Dir(path)))
		}
	}
	fmt.Fprintf(&out, "[[hooks.PreToolUse]]\nmatcher = \"\"\n\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = %s\ntimeout = %d\nstatusMessage = %s\n",
		quote(e.Line()), int(e.Timeout.Seconds()), quote(settings.StatusMessage))
	return out.String(), nil
}

// quote is a TOML basic string.
func quote(s string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			out.WriteRune('\\')
			out.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&out, `\u%04X`, r)
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
	return out.String()
}

// put adds our lines at the end of a TOML text, in place of older ones; nil is a missing file.
func put(path string, text []byte, block string) ([]byte, error) {
	plain, err := cut(path, text)
	if err != nil {
		return nil, err
	}
	begin := beginMark
	switch {
	case plain == nil:
		begin += newFile
	case len(plain) > 0 && plain[len(plain)-1] != '\n':
		begin = "\n" + begin + noLineFeed
	}
	out := append(append([]byte{}, plain...), begin+"\n"+block+endMark...)
	var any map[string]any
	if err := toml.Unmarshal(out, &any); err != nil {
		return nil, fmt.Errorf("%s: cannot add Callgate's lines: %w; the file is unchanged", path, err)
	}
	return out, nil
}

// cut removes our lines, so put is undone to the byte; nil is a missing file.
func cut(path string, text []byte) ([]byte, error) {
	if text == nil {
		return nil, nil
	}
	if len(text) > maxConfig {
		return nil, fmt.Errorf("%s: larger than %d MiB", path, maxConfig>>20)
	}
	at := lineAt(text, beginMark)
	if at < 0 {
		var any map[string]any
		if err := toml.Unmarshal(text, &any); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return text, nil
	}
	length := bytes.Index(text[at:], []byte("\n"+endMark))
	if length < 0 {
		return nil, fmt.Errorf("%s: the line %q is missing after %q; remove Callgate's lines by hand", path, strings.TrimSpace(endMark), beginMark)
	}
	mark, _, _ := bytes.Cut(text[at:], []byte("\n"))
	end := at + length + 1 + len(endMark)
	if bytes.HasSuffix(mark, []byte(noLineFeed)) && at > 0 {
		at--
	}
	out := append(append([]byte{}, text[:at]...), text[end:]...)
	if len(out) == 0 && bytes.HasSuffix(mark, []byte(newFile)) {
		return nil, nil
	}
	return out, nil
}

// lineAt is where a line begins that begins with these bytes; -1 without one.
func lineAt(text []byte, begin string) int {
	for at := 0; at < len(text); {
		if bytes.HasPrefix(text[at:], []byte(begin)) {
			return at
		}
		next := bytes.IndexByte(text[at:], '\n')
		if next < 0 {
			return -1
		}
		at += next + 1
	}
	return -1
}
