package bash

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/sdk/go/tool"
)

// processes adds the processes signalled, traced or opened by a command.
func (m *marker) processes() {
	name, args := m.cmd.Name(), m.cmd.Args()
	switch name {
	case "kill":
		m.kill(args)
	case "pkill":
		m.pkill(args)
	case "killall", "killall5", "skill", "xkill", "fuser", "slay":
		m.killall(name, args)
	case "loginctl":
		if slices.ContainsFunc(args, func(a Word) bool {
			return strings.HasPrefix(a.Text, "kill-") || strings.HasPrefix(a.Text, "terminate-")
		}) {
			m.add(tool.Process, tool.Unknown, tool.Write)
		}
	case "renice", "taskset", "ionice", "chrt":
		if n := len(args); n > 0 && (name == "renice" || slices.ContainsFunc(args, func(a Word) bool { return a.Text == "-p" || a.Text == "--pid" })) && number(args[n-1].Text) {
			m.process(args[n-1])
		}
	case "dlv", "gcore", "reptyr", "jattach", "rbspy":
		for _, a := range args {
			if number(a.Text) {
				m.process(a)
			}
		}
	default:
		m.tracers(name, args)
	}
}

func (m *marker) process(word Word) {
	switch {
	case !word.Literal && word.Text == "$(...)":
		m.add(tool.Process, lookedUp(strings.Fields(substituted(m.cmd.Source))), tool.Write)
		return
	case len(word.Vars) == 1 && word.Text == "$"+word.Vars[0] && m.ownJob(word.Vars[0]):
		m.add(tool.Process, "job", tool.Write)
		return
	}
	m.add(tool.Process, processOf(word), tool.Write)
}

// substituted is the only command in a command's text, in a substitution; empty when there are
// several, or more than plain words.
func substituted(source string) string {
	inner := ""
	switch {
	case strings.Count(source, "$(") == 1 && !strings.Contains(source, "`"):
		_, inner, _ = strings.Cut(source, "$(")
		inner, _, _ = strings.Cut(inner, ")")
	case strings.Count(source, "`") == 2 && !strings.Contains(source, "$("):
		inner = strings.Split(source, "`")[1]
	}
	if strings.ContainsAny(inner, "$`|;&<>()\\'\"*?[{") {
		return ""
	}
	return inner
}

// ownJob reports whether a variable can only be the number of a process started by the line
// itself: it is set to "$!" before, and the line otherwise only uses it.
func (m *marker) ownJob(name string) bool {
	given := 0
	for _, cmd := range m.line.Commands {
		if cmd == m.cmd {
			break
		}
		for _, a := range cmd.Assigns {
			if a.Name == name && a.Value.Text == "$!" {
				given++
			}
		}
	}
	if given == 0 || m.line.reasons > m.traps() {
		return false
	}
	text, named := m.line.Text, 0
	for at := strings.Index(text, name); at >= 0; at = strings.Index(text, name) {
		before, after := "", text[at+len(name):]
		if at > 0 {
			before = text[at-1 : at]
		}
		if plainName(name+after[:min(1, len(after))]) == "" || after == "" {
			switch {
			case before == "$":
			case before == "{" && strings.HasPrefix(after, "}"):
			case before == "" || plainName("x"+before) == "":
				named++
			}
		}
		text = after
	}
	return named == given
}

// traps counts the traps with a literal script on the line: its text shows its effect on a
// variable.
func (m *marker) traps() int {
	count := 0
	for _, cmd := range m.line.Commands {
		if args := cmd.Args(); cmd.Name() == "trap" && len(args) > 0 && args[0].Literal {
			count++
		}
	}
	return count
}

// number tells whether text is a whole number with or without a sign.
func number(text string) bool {
	digits := strings.TrimLeft(text, "+-")
	return digits != "" && len(text)-len(digits) <= 1 && strings.Trim(digits, "0123456789") == ""
}

// processOf names the process in an operand of kill: a number, "job" for the shell's own
// children, "exact:NAME", "?" for an unknown one.
func processOf(word Word) string {
	text := word.Text
	switch {
	case text == "$!" || word.Literal && strings.HasPrefix(text, "%"):
		return "job"
	case word.Literal && number(text):
		return text
	case word.Literal && text != "":
		return "exact:" + text
	}
	return tool.Unknown
}

// lookedUp reads lsof -ti:PORT, pgrep NAME and pidof NAME, whose output names processes:
// "port:N", "name:REGEXP", "pattern:REGEXP".
func lookedUp(words []string) string {
	if len(words) < 2 {
		return tool.Unknown
	}
	last := words[len(words)-1]
	switch words[0] {
	case "lsof":
		terse := strings.Contains(strings.Join(words[1:], " "), "-t")
		if i := strings.LastIndexByte(last, ':'); terse && i >= 0 && number(last[i+1:]) {
			return "port:" + last[i+1:]
		}
	case "pidof":
		if len(words) == 2 && !strings.HasPrefix(last, "-") {
			return "exact:" + last
		}
	case "pgrep":
		switch {
		case len(words) == 2 && !strings.HasPrefix(last, "-"):
			return "name:" + last
		case len(words) == 3 && words[1] == "-f":
			return "pattern:" + last
		}
	}
	return tool.Unknown
}

func (m *marker) kill(args []Word) {
	operands := 0
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		switch {
		case t == "-l" || t == "-L" || t == "--list" || t == "--table":
			return
		case t == "-s" || t == "-n" || t == "--signal" || t == "-q" || t == "--queue":
			i++
		case t == "--" || strings.HasPrefix(t, "--"):
		case i == 0 && strings.HasPrefix(t, "-") && (len(args) > 1 || m.gathered()) && args[i].Literal:
			// the signal
		default:
			operands++
			m.process(args[i])
		}
	}
	if operands == 0 && (m.cmd.Parent != nil || len(args) > 0) { // xargs and its like add the operands
		source := strings.TrimSuffix(strings.TrimSpace(m.cmd.Fed), "2>/dev/null")
		if !m.gathered() || strings.ContainsAny(source, "$`|;&<>()\\'\"*?[{\n") {
			source = ""
		}
		m.add(tool.Process, lookedUp(strings.Fields(source)), tool.Write)
	}
}

func (m *marker) pkill(args []Word) {
	var rest []Word
	for i, a := range args {
		one := len(a.Text) == 2 && (a.Text[1] < '0' || a.Text[1] > '9') // an option, not a signal
		if i == 0 && strings.HasPrefix(a.Text, "-") && len(a.Text) > 1 && !one && strings.Trim(a.Text[1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+") == "" {
			continue // the signal
		}
		rest = append(rest, a)
	}
	options, operands := arguments(rest, "gGPstuUFrdL", "signal", "group", "pgroup", "parent", "session", "terminal", "euid", "uid", "pidfile")
	if len(operands) != 1 || !operands[0].Literal || has(options, "-v", "--inverse", "-F", "--pidfile") {
		m.add(tool.Process, tool.Unknown, tool.Write)
		return
	}
	pattern, form := operands[0].Text, "name:"
	if has(options, "-f", "--full") {
		form = "pattern:"
	}
	if has(options, "-x", "--exact") {
		pattern = "^(" + pattern + ")$"
	}
	if has(options, "-i", "--ignore-case") {
		pattern = "(?i)" + pattern
	}
	m.add(tool.Process, form+pattern, tool.Write)
}

func (m *marker) killall(name string, args []Word) {
	if name == "fuser" && !slices.ContainsFunc(args, func(a Word) bool { return strings.HasPrefix(a.Text, "-") && strings.Contains(a.Text, "k") }) {
		return
	}
	options, operands := arguments(args, "usoyZntcm", "user", "signal", "older-than", "younger-than", "context", "ns")
	if name == "fuser" && len(operands) > 0 {
		for _, o := range operands {
			port, _, tcp := strings.Cut(o.Text, "/")
			if tcp && number(port) && o.Literal {
				m.add(tool.Process, "port:"+port, tool.Write)
			} else {
				m.add(tool.Process, tool.Unknown, tool.Write)
			}
		}
		return
	}
	if name != "killall" || len(operands) == 0 {
		m.add(tool.Process, tool.Unknown, tool.Write)
		return
	}
	for _, o := range operands {
		switch {
		case !o.Literal:
			m.add(tool.Process, tool.Unknown, tool.Write)
		case has(options, "-r", "--regexp", "-m"):
			m.add(tool.Process, "name:(?i)"+o.Text, tool.Write)
		default:
			m.add(tool.Process, "exact:"+o.Text, tool.Write)
		}
	}
}

// tracerOptions are, by program, the options for a process.
var tracerOptions = map[string][]string{
	"gdb": {"-p", "--pid", "-pid"}, "lldb": {"-p", "--attach-pid", "-n", "--attach-name"}, "strace": {"-p", "--attach"}, "ltrace": {"-p"},
	"perf": {"-p", "--pid", "-t", "--tid"}, "py-spy": {"-p", "--pid"}, "bpftrace": {"-p"}, "nsenter": {"-t", "--target"}, "criu": {"-t", "--tree"},
	"frida": {"-p", "--attach-pid"}, "truss": {"-p"}, "dtruss": {"-p"}, "dtrace": {"-p"}, "prlimit": {"-p", "--pid"}, "dump-syms": {"-p"},
}

// tracers adds the processes debuggers and their like attach to.
func (m *marker) tracers(name string, args []Word) {
	names, ok := tracerOptions[name]
	if !ok {
		return
	}
	for i, a := range args {
		for _, option := range names {
			value := a
			switch {
			case a.Text == option && i+1 < len(args):
				value = args[i+1]
			case strings.HasPrefix(option, "--") && strings.HasPrefix(a.Text, option+"="):
				value.Text = a.Text[len(option)+1:]
			default:
				var ok bool
				if value, ok = clustered(args[i:], option); !ok {
					continue
				}
			}
			m.traced(value)
		}
		if name == "gdb" && i > 0 && number(a.Text) {
			m.process(a) // gdb PROGRAM PID
		}
	}
}

func (m *marker) traced(value Word) {
	fields := strings.FieldsFunc(value.Text, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' })
	if !value.Literal || len(fields) == 0 {
		m.add(tool.Process, tool.Unknown, tool.Write)
		return
	}
	for _, f := range fields {
		m.process(Word{Text: f, Literal: true})
	}
}

// readVerbs are verbs of service managers that change nothing.
var readVerbs = []string{
	"status", "show", "cat", "is-active", "is-enabled", "is-failed", "list-units", "list-unit-files", "list-timers", "list-sockets", "list-jobs",
	"list-dependencies", "get-default", "show-environment", "help", "list", "print", "print-disabled", "blame", "version",
}

// drasticVerbs end services without naming them.
var drasticVerbs = []string{
	"exit", "isolate", "halt", "poweroff", "reboot", "kexec", "soft-reboot", "default", "rescue", "emergency", "suspend", "hibernate", "reboot-userspace", "logout",
}

// services adds the services a command acts on.
func (m *marker) services() {
	_, operands := arguments(m.cmd.Args(), "HMtpsno", "host", "machine", "type", "property", "signal", "lines", "output", "root", "state", "job-mode", "kill-who")
	verbAt := 0
	switch m.cmd.Name() {
	case "systemctl", "launchctl", "supervisorctl", "sv", "initctl", "start", "stop", "restart":
	case "service", "rc-service", "invoke-rc.d":
		verbAt = 1
	case "busctl", "gdbus", "dbus-send", "qdbus":
		m.bus(operands)
		return
	default:
		return
	}
	if len(operands) <= verbAt {
		return
	}
	access := tool.Write
	if slices.Contains(readVerbs, operands[verbAt].Text) && operands[verbAt].Literal {
		access = tool.Read
	}
	units := slices.Delete(slices.Clone(operands), verbAt, verbAt+1)
	if len(units) == 0 && (slices.Contains(drasticVerbs, operands[verbAt].Text) || !operands[verbAt].Literal) {
		m.add(tool.Service, tool.Unknown, access)
	}
	for _, u := range units {
		m.service(u, access)
	}
}

func (m *marker) service(unit Word, access string) {
	if !unit.Literal {
		m.add(tool.Service, tool.Unknown, access)
		return
	}
	m.add(tool.Service, unit.Text, access)
}

// bus adds the names in a message on the desktop's or the system's bus.
func (m *marker) bus(operands []Word) {
	for _, o := range operands {
		for _, word := range []string{"sendText", "runCommand"} { // terminals' own methods
			if strings.Contains(o.Text, word) {
				m.add(tool.Terminal, m.cmd.Name()+" "+word, tool.Write)
			}
		}
		m.service(Word{Text: strings.Trim(strings.TrimPrefix(o.Text, "string:"), `"'`), Literal: o.Literal}, tool.Write)
	}
}

// clustered is the value of a short option behind others in one word, as in -fp 42 and -p42.
func clustered(args []Word, option string) (Word, bool) {
	text := args[0].Text
	if len(option) != 2 || !strings.HasPrefix(text, "-") || strings.HasPrefix(text, "--") {
		return Word{}, false
	}
	at := strings.IndexByte(text[1:], option[1])
	switch {
	case at < 0:
		return Word{}, false
	case at+2 < len(text):
		value := args[0]
		value.Text = text[at+2:]
		return value, true
	case len(args) > 1:
		return args[1], true
	}
	return Word{}, false
}
