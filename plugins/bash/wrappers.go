package bash

import (
	"slices"
	"strings"
)

// wrapper says how a program names the command it runs.
type wrapper struct {
	// short and long are the options that take a value.
	short string
	long  []string
	// skip is how many operands come before the command.
	skip int
	// assigns tells that NAME=value operands may come first.
	assigns bool
	// plain wrappers change nothing about what the command does.
	plain bool
}

// wrappers are the programs that run the command in their arguments. A program
// that is not here is taken at its word: its arguments are data.
var wrappers = map[string]wrapper{
	"sudo":              {short: "ugpCDRTUrth", long: []string{"user", "group", "prompt", "close-from", "chdir", "chroot", "host", "role", "type"}, assigns: true},
	"doas":              {short: "uC"},
	"pkexec":            {long: []string{"user"}},
	"runuser":           {short: "ugGc", long: []string{"user", "group", "command"}},
	"env":               {short: "uCS", long: []string{"unset", "chdir", "split-string"}, assigns: true},
	"command":           {},
	"builtin":           {},
	"exec":              {short: "a"},
	"repeat":            {skip: 1},       // zsh
	"-":                 {},              // zsh
	"nocorrect":         {assigns: true}, // zsh
	"noglob":            {},
	"nohup":             {},
	"setsid":            {},
	"time":              {short: "fo", long: []string{"format", "output"}, plain: true},
	"timeout":           {short: "ks", long: []string{"kill-after", "signal"}, skip: 1, plain: true},
	"gtimeout":          {short: "ks", long: []string{"kill-after", "signal"}, skip: 1, plain: true},
	"nice":              {short: "n", long: []string{"adjustment"}, plain: true},
	"ionice":            {short: "cnp", long: []string{"class", "classdata", "pid"}, plain: true},
	"stdbuf":            {short: "ioe", long: []string{"input", "output", "error"}},
	"chrt":              {short: "TPDp", skip: 1},
	"taskset":           {short: "p", skip: 1},
	"unbuffer":          {},
	"caffeinate":        {short: "tw"},
	"strace":            {short: "abeEIoOpPsSuX"},
	"ltrace":            {short: "aeFnopsuwx"},
	"chroot":            {long: []string{"userspec", "groups"}, skip: 1},
	"unshare":           {short: "RwSG"},
	"nsenter":           {short: "tSG"},
	"fakeroot":          {short: "lsibu"},
	"proot":             {short: "rbqkw"},
	"firejail":          {},
	"systemd-run":       {short: "pMHtu"},
	"xargs":             {short: "aEIiLnPsd", long: []string{"arg-file", "delimiter", "max-lines", "max-args", "max-procs", "max-chars", "replace", "eof", "process-slot-var"}},
	"gxargs":            {short: "aEIiLnPsd", long: []string{"arg-file", "delimiter", "max-lines", "max-args", "max-procs", "max-chars", "replace"}},
	"parallel":          {short: "jNILnaSdC", long: []string{"jobs", "max-args", "colsep", "arg-file", "delay", "timeout", "joblog", "results", "tmpdir", "sshlogin", "workdir"}},
	"watch":             {short: "nq", long: []string{"interval", "equexit"}},
	"busybox":           {},
	"toybox":            {},
	"npx":               {short: "pc", long: []string{"package", "call"}},
	"bunx":              {},
	"xvfb-run":          {short: "aenpsf"},
	"dbus-run-session":  {},
	"entr":              {},
	"coproc":            {},
	"then":              {},
	"rlwrap":            {},
	"faketime":          {skip: 1},
	"direnv":            {skip: 2},
	"dotenv":            {short: "ef"},
	"catchsegv":         {},
	"valgrind":          {},
	"gdb":               {short: "xpc"},
	"run0":              {short: "ug"},
	"start-stop-daemon": {short: "xapu"},
	"daemonize":         {},
	"torsocks":          {},
	"proxychains":       {short: "f"},
	"proxychains4":      {short: "f"},
}

// runners are programs whose sub-command runs the command that follows.
var runners = map[string][]string{
	"npm":     {"exec", "x"},
	"pnpm":    {"exec", "dlx"},
	"yarn":    {"exec", "dlx"},
	"uv":      {"run"},
	"poetry":  {"run"},
	"pipenv":  {"run"},
	"pdm":     {"run"},
	"rye":     {"run"},
	"hatch":   {"run"},
	"bundle":  {"exec"},
	"mise":    {"exec", "x"},
	"asdf":    {"exec"},
	"rbenv":   {"exec"},
	"pyenv":   {"exec"},
	"conda":   {"run"},
	"nix":     {"run", "shell", "develop"},
	"devbox":  {"run"},
	"opam":    {"exec"},
	"swift":   {"run"},
	"flatpak": {"run"},
	"rustup":  {"run"},
}

// unwrapOld adds the commands that cmd runs on behalf of its arguments.
func (w *walker) unwrapOld(cmd *Command) {
	name := cmd.Name()
	switch name {
	case "find", "gfind":
		w.unwrapFind(cmd)
		return
	case "fd", "fdfind":
		w.unwrapFd(cmd)
		return
	case "git":
		w.unwrapGit(cmd)
		return
	case "man":
		w.unwrapOption(cmd, "P", "pager")
		return
	case "su", "script", "flock", "runuser", "npx":
		if w.unwrapScriptOption(cmd) {
			return
		}
	case "at", "batch", "crontab", "make", "gmake":
		w.readsScript(cmd)
	case "bwrap", "proot", "unshare", "systemd-nspawn", "podman-unshare":
		w.line.opaque(name + " runs a command behind options of every sort")
	}
	if strings.HasPrefix(name, "ld-linux") || strings.HasPrefix(name, "ld-musl") || name == "ld.so" {
		w.unwrapPlain(cmd, wrapper{long: []string{"library-path", "preload", "argv0", "audit"}})
		return
	}
	if isShell(name) {
		w.unwrapShell(cmd)
		return
	}
	if isInterpreter(name) {
		w.interpreter(cmd)
		return
	}
	if subs, ok := runners[name]; ok {
		if args := cmd.Args(); len(args) > 1 && slices.Contains(subs, args[0].Text) {
			if i := skipOptions(cmd.Words, 2, wrapper{}); i > 0 && i < len(cmd.Words) {
				w.inner(cmd, i)
			}
		}
		return
	}
	if name == "watch" || name == "parallel" {
		w.unwrapJoined(cmd, wrappers[name])
		return
	}
	if name == "flock" {
		w.unwrapFlock(cmd)
		return
	}
	if spec, ok := wrappers[name]; ok {
		w.unwrapPlain(cmd, spec)
	}
}

// skipOptions returns the index of the first word from i on that is no option
// of spec, len(words) when there is none, and -1 when a word before it is not
// literal.
func skipOptions(words []Word, i int, spec wrapper) int {
	for ; i < len(words); i++ {
		word := words[i]
		if !word.Literal {
			return -1
		}
		t := word.Text
		if t == "--" {
			return i + 1
		}
		if !strings.HasPrefix(t, "-") || t == "-" {
			return i
		}
		if long, ok := strings.CutPrefix(t, "--"); ok {
			if slices.Contains(spec.long, long) {
				i++
			}
			continue
		}
		if at := strings.IndexAny(t[1:], spec.short); spec.short != "" && at >= 0 && at == len(t)-2 {
			i++
		}
	}
	return len(words)
}

func (w *walker) unwrapPlain(cmd *Command, spec wrapper) {
	name := cmd.Name()
	if name == "command" || name == "exec" || name == "builtin" {
		if len(cmd.Args()) > 0 && (cmd.Args()[0].Text == "-v" || cmd.Args()[0].Text == "-V") {
			return
		}
	}
	i := skipOptions(cmd.Words, 1, spec)
	if name == "env" {
		for _, a := range cmd.Args() {
			if strings.HasPrefix(a.Text, "-S") || strings.HasPrefix(a.Text, "--split-string") {
				w.line.opaque("env -S splits its argument into a command")
			}
		}
	}
	for spec.assigns && i >= 0 && i < len(cmd.Words) && strings.Contains(cmd.Words[i].Text, "=") {
		cmd.Assigns = append(cmd.Assigns, splitAssign(cmd.Words[i]))
		i++
	}
	if i < 0 {
		w.line.opaque(name + " with options that are not literal")
		return
	}
	for n := 0; n < spec.skip && i < len(cmd.Words); n++ {
		i++
	}
	if i < len(cmd.Words) {
		w.inner(cmd, i)
	}
}

// inner adds the command that begins at words[i] of cmd.
func (w *walker) inner(cmd *Command, i int) {
	w.innerWords(cmd, i, cmd.Words[i:])
}

// replaces reports whether an xargs pastes what it reads into its arguments.
func replaces(cmd *Command) bool {
	if cmd.Name() != "xargs" && cmd.Name() != "gxargs" && cmd.Name() != "parallel" {
		return false
	}
	options, _ := arguments(cmd.Words[1:max(1, cmd.Inner)], "I", "replace")
	return has(options, "-I", "-i", "-J", "--replace")
}

// readsScript handles programs that read a list of commands from their input.
func (w *walker) readsScript(cmd *Command) {
	name := cmd.Name()
	fromInput := name == "at" || name == "batch" || slices.ContainsFunc(cmd.Args(), func(a Word) bool { return a.Text == "-" })
	if name == "crontab" && w.stdin == nil && !cmd.Piped {
		fromInput = false
	} else if name == "crontab" {
		fromInput = true
	}
	if fromInput && !slices.ContainsFunc(cmd.Args(), func(a Word) bool { return a.Text == "-l" || a.Text == "-c" || a.Text == "-q" }) {
		cmd.Stdin = true
		w.line.opaque(name + " runs whatever its input says")
	}
}

// unwrapScriptOption handles -c SCRIPT of programs that are no shells.
func (w *walker) unwrapScriptOption(cmd *Command) bool {
	for i, a := range cmd.Args() {
		cluster := strings.HasPrefix(a.Text, "-") && !strings.HasPrefix(a.Text, "--") && strings.HasSuffix(a.Text, "c")
		if (cluster || a.Text == "--command" || a.Text == "--call") && i+1 < len(cmd.Args()) {
			w.innerScript(cmd, cmd.Args()[i+1])
			return true
		}
		if v, ok := strings.CutPrefix(a.Text, "--command="); ok {
			a.Text = v
			w.innerScript(cmd, a)
			return true
		}
	}
	return false
}

func (w *walker) unwrapOption(cmd *Command, short, long string) {
	args := cmd.Args()
	for i, a := range args {
		switch {
		case (a.Text == "-"+short || a.Text == "--"+long) && i+1 < len(args):
			w.innerScript(cmd, args[i+1])
		case strings.HasPrefix(a.Text, "--"+long+"="):
			a.Text = strings.TrimPrefix(a.Text, "--"+long+"=")
			w.innerScript(cmd, a)
		case strings.HasPrefix(a.Text, "-"+short) && len(a.Text) > 2:
			a.Text = a.Text[2:]
			w.innerScript(cmd, a)
		}
	}
}

// unwrapJoined joins the operands of watch and parallel, which give them to a
// shell.
func (w *walker) unwrapJoined(cmd *Command, spec wrapper) {
	i := skipOptions(cmd.Words, 1, spec)
	if i < 0 {
		w.line.opaque(cmd.Name() + " with options that are not literal")
		return
	}
	words := cmd.Words[min(i, len(cmd.Words)):]
	if end := slices.IndexFunc(words, func(word Word) bool { return strings.HasPrefix(word.Text, ":::") }); end >= 0 {
		words = words[:end]
	}
	if len(words) == 0 {
		return
	}
	script := Word{Literal: true, Text: strings.Join(texts(words), " ")}
	for _, word := range words {
		script.Literal = script.Literal && word.Literal && !word.Glob
	}
	w.innerScript(cmd, script)
}

func (w *walker) unwrapFlock(cmd *Command) {
	i := skipOptions(cmd.Words, 1, wrapper{short: "wE", long: []string{"timeout", "wait", "conflict-exit-code"}})
	if i >= 0 && i+1 < len(cmd.Words) {
		w.inner(cmd, i+1)
	}
}

// unwrapFind adds what -exec and its kin run.
func (w *walker) unwrapFind(cmd *Command) {
	for i := 1; i < len(cmd.Words); i++ {
		switch cmd.Words[i].Text {
		case "-exec", "-execdir", "-ok", "-okdir":
		default:
			continue
		}
		end := i + 1
		for end < len(cmd.Words) && cmd.Words[end].Text != ";" && cmd.Words[end].Text != "+" {
			end++
		}
		if end > i+1 {
			w.innerWords(cmd, i+1, cmd.Words[i+1:end])
		}
		i = end
	}
}

func (w *walker) unwrapFd(cmd *Command) {
	for i := 1; i+1 < len(cmd.Words); i++ {
		switch cmd.Words[i].Text {
		case "-x", "-X", "--exec", "--exec-batch":
			w.inner(cmd, i+1)
			return
		}
	}
}

// unwrapGit adds what git runs on behalf of its arguments.
func (w *walker) unwrapGit(cmd *Command) {
	i := gitSubcommand(cmd)
	if i >= len(cmd.Words) {
		return
	}
	rest := cmd.Words[i+1:]
	switch cmd.Words[i].Text {
	case "submodule":
		if len(rest) > 1 && rest[0].Text == "foreach" {
			words := rest[1:]
			for len(words) > 0 && strings.HasPrefix(words[0].Text, "-") {
				words = words[1:]
			}
			if len(words) == 1 {
				w.innerScript(cmd, words[0])
			} else if len(words) > 1 {
				w.innerWords(cmd, len(cmd.Words)-len(words), words)
			}
		}
	case "bisect":
		if len(rest) > 1 && rest[0].Text == "run" {
			w.inner(cmd, i+2)
		}
	case "rebase":
		w.unwrapOption(cmd, "x", "exec")
	case "filter-branch":
		for k, a := range rest {
			if strings.HasSuffix(a.Text, "-filter") && k+1 < len(rest) {
				w.innerScript(cmd, rest[k+1])
			}
		}
	}
}

// gitGlobals are git's own options that take a value as the next word.
var gitGlobals = []string{"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix", "--config-env", "--attr-source"}

// gitSubcommand returns the index of the sub-command word of a git command.
func gitSubcommand(cmd *Command) int {
	for i := 1; i < len(cmd.Words); i++ {
		t := cmd.Words[i].Text
		if slices.Contains(gitGlobals, t) {
			i++
			continue
		}
		if !strings.HasPrefix(t, "-") {
			return i
		}
	}
	return len(cmd.Words)
}
