package bash

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	client "github.com/callgate/callgate/plugins/internal/option"
)

// clientInput are the members of other clients' shell tools, besides Claude Code's;
// docs/clients.md has the table.
type clientInput struct {
	// Cmd and Action are where Codex's exec_command and local_shell have the command.
	Cmd    CommandLine `json:"cmd"`
	Action localAction `json:"action"`
	// Shell is the program that reads the line (Codex).
	Shell string `json:"shell"`
	// The members below change nothing for the gate: a terminal, the client's time-out, a text
	// for the user, a permission wanted next time.
	Login       present        `json:"login"`
	TTY         present        `json:"tty"`
	Yield       present        `json:"yield_time_ms"`
	MaxOutput   present        `json:"max_output_tokens"`
	Prefix      jsontext.Value `json:"prefix_rule"`
	Session     client.Value   `json:"sessionId"`
	Mode        client.Value   `json:"mode"`
	InitialWait client.Value   `json:"initial_wait"`
	Async       client.Value   `json:"async"`
	Detach      client.Value   `json:"detach"`
	Explanation string         `json:"explanation"`
	Goal        string         `json:"goal"`
	InTheBack   client.Value   `json:"isBackground"`
	Background2 client.Value   `json:"is_background"`
	WaitFor     client.Value   `json:"wait_for_previous"`
}

// present is a member of the input; only its presence counts.
type present bool

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (p *present) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*p = true
	return new(client.Value).UnmarshalJSONFrom(dec)
}

// localAction is the action of Codex's local_shell.
type localAction struct {
	Type    string            `json:"type"`
	Command CommandLine       `json:"command"`
	Dir     string            `json:"working_directory"`
	Timeout client.Value      `json:"timeout_ms"`
	Env     map[string]string `json:"env"`
	User    *string           `json:"user"`
}

// CommandLine is a command in one of the clients' forms: a line for a shell, or the words of
// one command, read by no shell. Words become the line with this meaning: the line itself of
// ["bash", "-lc", LINE], else each word, quoted where needed.
type CommandLine string

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (c *CommandLine) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	value, err := dec.ReadValue()
	if err != nil {
		return err
	}
	if value.Kind() == '"' { // the usual case, without reflection
		text, err := jsontext.AppendUnquote(nil, value)
		*c = CommandLine(text)
		return err
	}
	if value.Kind() != '[' {
		var text string
		if err := json.Unmarshal(value, &text); err != nil {
			return err
		}
		*c = CommandLine(text)
		return nil
	}
	var words []string
	if err := json.Unmarshal(value, &words); err != nil {
		return err
	}
	*c = CommandLine(lineOf(words))
	return nil
}

// lineOf is the line with the meaning of an argument list.
func lineOf(words []string) string {
	if len(words) == 3 && knownShell(words[0]) && slices.Contains([]string{"-c", "-lc"}, words[1]) {
		return words[2]
	}
	quoted := make([]string, len(words))
	for i, w := range words {
		if quoted[i] = quoteWord(w); i == 0 && slices.Contains(keywords, w) {
			quoted[i] = "'" + w + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// keywords begin a construct of the shell, not a command of that name.
var keywords = strings.Fields("if then elif else fi do done case esac for while until in select function time coproc repeat foreach end nocorrect noglob")

// quoteWord quotes a word so that every shell reads it as itself.
func quoteWord(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,+@%") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// shellPlaces are where the shells of a system are.
var shellPlaces = []string{"/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "/run/current-system/sw/bin"}

// knownShell reports whether a program is a shell with our syntax: named without a directory,
// or in one of the system's own.
func knownShell(program string) bool {
	if !slices.Contains([]string{"sh", "bash", "zsh"}, path.Base(program)) {
		return false
	}
	return program == path.Base(program) || slices.Contains(shellPlaces, path.Dir(program)) && path.Clean(program) == program
}

// errCommands: with two commands the client decides which one counts (threat T25).
var errCommands = errors.New("the input names more than one command")

// line is the command of an input, from any of its members. The error says why more than that
// line runs.
func (in Input) line() (line string, err error) {
	given := 0
	for _, c := range []CommandLine{in.Command, in.Cmd, in.Action.Command} {
		if c != "" {
			line = string(c)
			given++
		}
	}
	switch a := in.Action; {
	case given > 1:
		return line, errCommands
	case in.Cmd != "" && in.Workdir == "" && in.Shell == "" && in.Justification == "" && !bool(in.Yield || in.MaxOutput || in.Login || in.TTY):
		return line, errors.New("the input names its command as Codex does, and nothing else of Codex")
	case a.Type != "" && a.Type != "exec":
		return line, errors.New("the input names an action that is not known")
	case len(a.Env) > 0 || a.User != nil:
		return line, errors.New("the input names variables or a user for the command")
	case in.Shell != "" && !knownShell(in.Shell):
		return line, errors.New("the input names a shell that is not known")
	}
	return line, nil
}

// text is line without the error.
func (in Input) text() string {
	line, _ := in.line()
	return line
}
