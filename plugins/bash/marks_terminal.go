package bash

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/sdk/go/tool"
)

// tmuxReaders are the sub-commands of tmux that neither type nor run anything; tmuxStarters
// begin a terminal of their own for the command they name. Any other, abbreviations included,
// counts as typing.
var (
	tmuxReaders = []string{
		"ls", "list-sessions", "lsw", "list-windows", "lsp", "list-panes", "has", "has-session", "capture-pane", "capturep", "show-buffer", "showb",
		"list-buffers", "lsb", "list-clients", "lsc", "info", "list-keys", "lsk", "show-options", "show", "wait-for", "kill-session", "kill-window",
		"killw", "kill-pane", "killp", "select-window", "selectw", "select-pane", "selectp", "resize-pane", "resizep", "rename-window", "rename-session", "-V",
	}
	tmuxStarters = []string{"new", "new-session", "neww", "new-window", "splitw", "split-window", "start", "start-server"}
)

// typists are programs that can type into a terminal others look at.
var typists = []string{
	"xdotool", "ydotool", "wtype", "dotool", "ttyecho", "writevt", "injcode", "tiocsti", "cliclick", "xte", "expect", "autoexpect", "empty", "pexpect",
}

// terminals adds commands typing into another terminal: they could answer for a person.
func (m *marker) terminals() {
	name, args := m.cmd.Name(), m.cmd.Args()
	said := texts(args)
	typed := func(ok bool, what string) {
		if ok {
			m.add(tool.Terminal, name+what, tool.Write)
		}
	}
	switch name {
	case "tmux":
		if !reads(m.cmd) {
			m.tmux(args)
		}
	case "screen":
		typed(slices.ContainsFunc(said, func(t string) bool {
			return t == "-X" || t == "-Q" || t == "-x" || t == "-r" || strings.HasPrefix(t, "-R") || t == "-S" && slices.Contains(said, "-X")
		}), " -X")
	case "kitty", "kitten":
		typed(slices.Contains(said, "@") || slices.Contains(said, "send-text"), " @ send-text")
	case "wezterm":
		typed(len(said) > 1 && said[0] == "cli" && said[1] != "list", " cli send-text")
	case "zellij":
		typed(len(said) > 0 && (said[0] == "action" || said[0] == "ac"), " action write")
	case "dtach", "abduco":
		typed(slices.Contains(said, "-p") || slices.Contains(said, "-a"), " -p")
	case "script":
		options, operands := arguments(args, "cIOBoEmT", "command")
		driven := m.cmd.Piped || slices.ContainsFunc(m.cmd.Redirects, func(r Redirect) bool { return r.Read })
		typed(!has(options, "-c", "--command") && driven, "(1) fed from a pipe")
		if len(operands) > 1 { // BSD: script FILE COMMAND...
			m.add(tool.Program, strings.Join(texts(operands[1:]), " "), tool.Read)
		}
	case "osascript":
		text := strings.Join(said, " ")
		typed(strings.Contains(text, "keystroke") || strings.Contains(text, "do script") || strings.Contains(text, "write text") || strings.Contains(text, "key code"), " keystroke")
	default:
		typed(slices.Contains(typists, name), "")
	}
}

// tmux reads the commands of a tmux line, separated by semicolons.
func (m *marker) tmux(args []Word) {
	i := 0
	for ; i < len(args) && strings.HasPrefix(args[i].Text, "-"); i++ {
		switch args[i].Text {
		case "-L", "-S", "-T":
			i++
		case "-V":
			return
		case "-2", "-u", "-d", "-D", "-l", "-N", "-q", "-v":
		default: // -C, -c, -f: commands from elsewhere
			m.add(tool.Terminal, "tmux "+args[i].Text, tool.Write)
			return
		}
	}
	first := true
	for _, a := range args[min(i, len(args)):] {
		switch {
		case a.Text == ";" || strings.HasSuffix(a.Text, ";"):
			first = true
			continue
		case !first:
			continue
		}
		first = false
		if !a.Literal || !slices.Contains(tmuxReaders, a.Text) && !slices.Contains(tmuxStarters, a.Text) {
			m.add(tool.Terminal, "tmux "+a.Text, tool.Write)
		}
		if strings.HasPrefix(a.Text, "kill") {
			m.add(tool.Process, "tmux", tool.Write)
		}
	}
}
