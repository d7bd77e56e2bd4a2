package inventory

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/callgate/callgate/host/internal/hook/codex"
	"github.com/callgate/callgate/host/internal/hook/gemini"
	"github.com/callgate/callgate/host/internal/hook/opencode"
	"github.com/callgate/callgate/host/internal/hook/settings"
)

// State is one client of this machine, as its files tell.
type State struct {
	Client string `json:"client"`
	// Program is the client's own program; empty where PATH has none.
	Program string `json:"program,omitempty"`
	// Place is none, user, project or managed: the strongest place with Callgate's hook.
	Place string `json:"hook"`
	// Protected means the files show the hook in force; Problems say why not, or what else is
	// wrong.
	Protected bool     `json:"protected"`
	File      string   `json:"file,omitempty"`
	Problems  []string `json:"problems,omitempty"`
	// Open are calls that no hook of the client sees, and what switches it off.
	Open []string `json:"open,omitempty"`

	// Hook is the hook; the zero Hook for none. Off says that something switches it off.
	Hook settings.Hook `json:"-"`
	Off  bool          `json:"-"`
}

// None is the Place of a client without a hook.
const None = "none"

// Look looks at every client, for a session in the project of p.
func Look(p Places) []State {
	states := []State{claudeState(p), codexState(p), geminiState(p), opencodeState(p)}
	for i, program := range []string{"claude", "codex", "gemini", "opencode"} {
		s := &states[i]
		if path, err := exec.LookPath(program); err == nil {
			s.Program = path
		}
		s.Place = cmp.Or(s.Place, None)
		s.Open = Open(settings.Client(s.Client))
	}
	return states
}

func claudeState(p Places) State {
	s := State{Client: string(settings.ClaudeCode)}
	found := settings.Read(p.Claude())
	s.trouble(found.Faults()...)
	if own := found.Own(settings.PreToolUse); len(own) > 0 {
		s.found(own[0])
		for _, off := range found.Off(own[0].Scope) {
			s.switched(off.Text + " in " + off.File)
		}
	}
	return s
}

func codexState(p Places) State {
	s := State{Client: string(settings.Codex)}
	machine := codex.LookManaged(codex.ManagedFile)
	account := codex.Look(p.Codex(), p.Codex())
	if p.Project != "" && !account.Installed {
		account = codex.Look(p.CodexHooks(), p.Codex())
	}
	for _, found := range []codex.State{machine, account} {
		s.trouble(found.Err)
		if !found.Installed || s.Protected {
			continue
		}
		s.found(found.Hook)
		if !found.Trusted {
			s.switched("Codex does not trust the hook and skips it; run callgate hook codex --install")
		}
		if found.Off != "" {
			s.switched(found.Off)
		}
	}
	return s
}

func geminiState(p Places) State {
	s := State{Client: string(settings.GeminiCLI)}
	type file struct {
		path  string
		scope settings.Scope
	}
	files := []file{{gemini.ManagedFile, settings.Managed}, {gemini.UserFile(p.Home), settings.User}}
	if p.Project != "" {
		files = append(files, file{gemini.ProjectFile(p.Project), settings.Project})
	}
	for i, at := range files {
		found := gemini.Look(at.path, at.scope)
		s.trouble(found.Err)
		if !found.Installed || s.Protected {
			continue
		}
		s.found(found.Hook)
		for j, other := range files {
			if off := found.Off(gemini.Look(other.path, other.scope), other.path); off != "" && (j != i || j > 0) {
				s.switched(off)
			}
		}
		if loose := gemini.Looser(at.path); i == 0 && loose != "" {
			s.switched("Gemini CLI skips the file, because other accounts can write " + loose)
		}
	}
	return s
}

func opencodeState(p Places) State {
	s := State{Client: string(opencode.Word)}
	places := []Places{{Home: p.Home, XDGConfig: p.XDGConfig}}
	if p.Project != "" {
		places = append(places, p)
	}
	for _, at := range places {
		plugin, config := at.Opencode()
		found := opencode.Look(plugin, config)
		s.trouble(found.Err)
		if !found.Installed || s.Protected {
			continue
		}
		s.found(found.Hook)
		if !found.Asks {
			s.Problems = append(s.Problems, config+` has no "permission": {"*": "ask"}: a plugin that does not load leaves calls unchecked`)
		}
	}
	return s
}

// found records the hook, and that its program can be started.
func (s *State) found(h settings.Hook) {
	s.Protected, s.File, s.Place, s.Hook, s.Off = true, h.File, "user", h, false
	switch h.Scope {
	case settings.Managed:
		s.Place = "managed"
	case settings.Project, settings.Local:
		s.Place = "project"
	}
	words := h.Program()
	if len(words) == 0 {
		s.Problems = append(s.Problems, "the hook's command is not Callgate's own form; install it again")
		return
	}
	if info, err := os.Stat(words[0]); err != nil || info.Mode()&0o111 == 0 {
		s.Problems = append(s.Problems, "the hook's program is missing, so every call is blocked: "+filepath.Clean(words[0]))
	}
}

// switched records what switches the hook off.
func (s *State) switched(why string) {
	s.Protected, s.Off, s.Problems = false, true, append(s.Problems, why)
}

// trouble records unreadable files.
func (s *State) trouble(errs ...error) {
	for _, err := range errs {
		if err != nil {
			s.Problems = append(s.Problems, err.Error())
		}
	}
}
