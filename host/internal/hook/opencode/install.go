package opencode

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/callgate/callgate/host/internal/hook/settings"
)

//go:embed plugin.js
var plugin string

// The lines of the plugin that an install fills in.
const (
	commandLine  = "const command = "
	patienceLine = "const patience = "
)

// mark begins a plugin of ours.
var mark, _, _ = strings.Cut(plugin, ";")

// PluginFile is the plugin in a directory of the client: ~/.config/opencode, or a project's
// .opencode. ConfigFile is the configuration beside it, or in the project itself.
func PluginFile(dir string) string { return filepath.Join(dir, "plugins", "callgate.js") }

// ConfigFile is the client's configuration in a directory.
func ConfigFile(dir string) string { return filepath.Join(dir, "opencode.json") }

// Text is the plugin for an entry.
func Text(e settings.Entry) (string, error) {
	e.Client = Word
	command, err := jsonv2.Marshal(append([]string{e.Binary}, e.Args()...))
	text := strings.Replace(plugin, commandLine+"[]", commandLine+string(command), 1)
	return strings.Replace(text, patienceLine+"0", patienceLine+strconv.FormatInt(e.Timeout.Milliseconds(), 10), 1), err
}

// Install writes the plugin, and makes the client ask before every call in its configuration: then
// without the plugin no call runs unseen. A permission that is there stays, and kept tells so. dry
// changes nothing.
func Install(pluginFile, configFile string, e settings.Entry, dry bool) (r []settings.Result, kept bool, err error) {
	text, err := Text(e)
	if err != nil {
		return nil, false, err
	}
	write := func(dry bool) (settings.Result, error) {
		return settings.Edit(pluginFile, settings.User, dry, func(have []byte) ([]byte, error) {
			if have != nil && !bytes.HasPrefix(have, []byte(mark)) {
				return nil, fmt.Errorf("%s is not Callgate's; rename it", pluginFile)
			}
			return []byte(text), nil
		})
	}
	first, err := write(true)
	if err != nil {
		return nil, false, err
	}
	second, kept, err := settings.AddMember(configFile, "permission", []byte(permission), dry)
	if err != nil {
		return nil, false, err
	}
	if !dry {
		first, err = write(false)
	}
	return []settings.Result{first, second}, kept, err
}

// permission makes the client ask before every call.
const permission = `{"*": "ask"}`

// Uninstall removes both.
func Uninstall(pluginFile, configFile string, dry bool) ([]settings.Result, error) {
	first, err := settings.Edit(pluginFile, settings.User, dry, func(have []byte) ([]byte, error) {
		if bytes.HasPrefix(have, []byte(mark)) {
			return nil, nil
		}
		return have, nil
	})
	if err != nil {
		return nil, err
	}
	second, err := settings.RemoveMember(configFile, "permission", []byte(permission), dry)
	return []settings.Result{first, second}, err
}

// State is what the files say about the plugin.
type State struct {
	Installed bool
	// Hook is the plugin's program. Asks: without the plugin the client asks a person before
	// each call.
	Hook settings.Hook
	Asks bool
	Err  error
}

// Look reads the plugin and the configuration.
func Look(pluginFile, configFile string) State {
	var s State
	data, err := os.ReadFile(pluginFile)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return s
	case err != nil:
		s.Err = err
		return s
	}
	for line := range strings.Lines(string(data)) {
		list, ok := strings.CutPrefix(strings.TrimSpace(line), commandLine)
		var words []string
		if ok && jsonv2.Unmarshal([]byte(list), &words) == nil && len(words) > 2 {
			s.Hook = settings.Hook{Event: "tool.execute.before", Type: "command", Command: words[0], Args: words[1:], Exec: true, File: pluginFile, Scope: settings.User}
			s.Installed = bytes.HasPrefix(data, []byte(mark)) && s.Hook.OwnOf(Word)
		}
	}
	if text, err := os.ReadFile(configFile); err == nil {
		var doc struct {
			Permission any `json:"permission"`
		}
		if jsonv2.Unmarshal(text, &doc) == nil {
			all, _ := doc.Permission.(map[string]any)
			s.Asks = doc.Permission == "ask" || len(all) == 1 && all["*"] == "ask"
		}
	}
	return s
}
