package bash

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/callgate/callgate/plugins/bash/internal/program"
	"github.com/callgate/callgate/plugins/internal/paths"
	"github.com/callgate/callgate/sdk/go/tool"
)

// maxEffects is the host's bound. A line with more has, in place of the rest, the
// effect of code that is not known.
const maxEffects = 256

// effects are what the line does, in the kinds of docs/effects.md. They may name too
// much, uncertainly, and never too little.
func (c *call) effects() []tool.Effect {
	e := &effector{line: c.line, consumers: map[*Command]*Command{}, out: []tool.Effect{}}
	switch {
	case len(c.in.text()) > maxBytes || c.line.Opaque != "" || !c.set.Dialect.analysed():
		e.certain(tool.Runs, tool.Unreadable, "")
	case c.line.HiddenCode:
		e.maybe(tool.Runs, tool.Unreadable, "")
	}
	for _, cmd := range c.line.Commands {
		if cmd.Feeder != nil {
			e.consumers[cmd.Feeder] = cmd
		}
	}
	for _, cmd := range c.line.Commands {
		e.command(cmd)
	}
	if c.in.WS != nil {
		e.certain(tool.Reaches, hostOf(c.in.WS.URL), "")
		e.certain(tool.Takes, hostOf(c.in.WS.URL), "")
	}
	return e.out
}

// effector gathers the effects of a line.
type effector struct {
	line *Line
	// consumers are the commands that read the output of others.
	consumers map[*Command]*Command
	out       []tool.Effect
	// unsure tells that the effects of the command at hand are over-approximated.
	unsure bool
	// final are the texts of the commands whose exit status is the line's.
	final     []string
	finalRead bool
}

func (e *effector) certain(kind, value, how string) { e.add(kind, value, how, true) }
func (e *effector) maybe(kind, value, how string)   { e.add(kind, value, how, false) }

func (e *effector) add(kind, value, how string, certain bool) {
	switch {
	case value == "":
		return
	case len(value) > maxTargetBytes || strings.ContainsRune(value, 0):
		kind, value, how, certain = tool.Runs, tool.Unreadable, "", false
	}
	one := tool.Effect{Kind: kind, Value: value, How: how, Certain: certain && !e.unsure}
	for i, had := range e.out {
		if had.Kind == one.Kind && had.Value == one.Value && had.How == one.How {
			e.out[i].Certain = had.Certain || one.Certain
			return
		}
	}
	switch len(e.out) {
	case maxEffects:
	case maxEffects - 1:
		e.out = append(e.out, tool.Effect{Kind: tool.Runs, Value: tool.Unreadable})
	default:
		e.out = append(e.out, one)
	}
}

// command adds the effects of one command. Those of a command that it runs are told by
// that one.
func (e *effector) command(cmd *Command) {
	u := cmd.Use()
	e.unsure = e.line.Opaque != "" || elsewhereRun(cmd)
	e.files(cmd, u)
	e.environment(cmd)
	e.code(cmd, u)
	if len(cmd.Words) == 0 || u.AsksUsage() {
		return
	}
	if ok, _ := u.ReadsOnly(); ok && !u.Connects() && u.Program != "git" && services[u.Program] == "" {
		return
	}
	u = module(u)
	e.network(cmd, u)
	e.packages(u)
	e.publishes(u)
	e.tests(cmd, u)
}

// elsewhereRun reports whether another program runs the command on another machine, or in
// a container, where paths are others.
func elsewhereRun(cmd *Command) bool {
	for p := cmd.Parent; p != nil; p = p.Parent {
		if slices.Contains([]string{"ssh", "docker", "podman", "nerdctl", "kubectl", "docker-compose", "oc", "chroot", "vagrant", "lxc", "wsl", "adb"}, p.Use().Program) {
			return true
		}
	}
	return false
}

// module is the program that a use of Python runs as a module (python -m pip), under the
// name that its kin share; any other use is itself.
func module(u *program.Use) *program.Use {
	if strings.HasPrefix(u.Program, "python") {
		i := slices.IndexFunc(u.Words, func(w Word) bool { return w.Text == "-m" })
		if i < 0 || i+1 >= len(u.Words) {
			return u
		}
		u = program.Read(u.Words[i+1:])
	}
	if u.Program == "pip3" {
		own := *u
		own.Program = "pip"
		return &own
	}
	return u
}

// sure reports whether a touch is what its words say, on one known path.
func sure(t touch) bool {
	u := t.cmd.Use()
	return t.path != "" && t.word.Literal && !t.derived && !t.spreads && len(t.cmd.Dirs) == 1 && (u.Known || t.redirected)
}

// valueOf is the path of a touch, or the words for it where it cannot be told.
func valueOf(t touch) string {
	if t.path != "" {
		return t.path
	}
	return t.word.Text
}

// files adds what happens to paths.
func (e *effector) files(cmd *Command, u *program.Use) {
	appended := map[string]bool{}
	for _, r := range cmd.Redirects {
		if r.Append {
			appended[r.Word.Text] = true
		}
	}
	for _, t := range e.line.touches(cmd) {
		value := valueOf(t)
		if _, _, network := networkAddress(value); network || isURL(value) || paths.HarmlessDevice(value) {
			continue
		}
		switch {
		case t.access == run:
			e.add(tool.Runs, value, "", t.path != "" && t.word.Literal && !t.word.Glob && len(cmd.Dirs) == 1)
		case t.access == read:
			e.shows(cmd, u, t)
		case t.redirected:
			if !appended[t.word.Text] {
				e.add(tool.Overwrites, value, "", sure(t) && !t.word.Glob)
			}
		default:
			e.changes(u, t)
		}
	}
	if takesPaths(cmd) {
		e.added(cmd)
	}
	if files, why := cmd.computes(); why == "" {
		for _, file := range files.Read {
			e.maybe(tool.Shows, file, "")
		}
	}
	if u.Program == "git" {
		e.gitFiles(cmd, u)
	}
}

// added adds what a command does to paths that another one adds to its words.
func (e *effector) added(cmd *Command) {
	for _, one := range program.Read(append(slices.Clone(cmd.Words), Word{Text: "{}"})).Touches() {
		switch {
		case one.Removes:
			e.maybe(tool.Deletes, ".", tool.Glob)
		case one.Access == write && slices.Contains(permissionPrograms, cmd.Use().Program):
			e.maybe(tool.ChangesPermissions, ".", "")
		case one.Access == write && !slices.Contains(keeping, cmd.Use().Program):
			e.maybe(tool.Overwrites, ".", "")
		case one.Access == run:
			e.maybe(tool.Runs, ".", "")
		case one.Access == read && cmd.Use().Shows():
			e.maybe(tool.Shows, ".", "")
		}
	}
}

// permissionPrograms change who may use a file.
var permissionPrograms = []string{"chmod", "gchmod", "chown", "gchown", "chgrp", "gchgrp", "setfacl", "chattr", "chflags", "icacls", "setcap", "chcon"}

// overwriting are programs that replace the file that they write. Others that write may
// do so too.
var overwriting = []string{"cp", "gcp", "mv", "gmv", "install", "ginstall", "tee", "gtee", "dd", "gdd", "truncate", "shred", "curl", "wget", "rsync", "scp"}

// keeping are programs that leave what stands in a file, or make one only where none is.
var keeping = []string{"touch", "gtouch", "mkdir", "gmkdir", "mkfifo", "mknod", "ln", "gln", "sed", "gsed", "perl", "patch", "ed", "ex"}

// changes adds what a program does to a path that it writes.
func (e *effector) changes(u *program.Use, t touch) {
	value, moves := valueOf(t), u.Program == "mv" || u.Program == "gmv" || u.Command() == "git mv"
	switch {
	case t.removes && moves:
	case t.removes:
		how := ""
		if t.recursive {
			how = tool.WholeTree
		}
		if t.word.Glob {
			how = tool.Glob
		}
		if t.word.Text == "{}" {
			return // find names what it finds
		}
		e.add(tool.Deletes, value, how, sure(t) && u.Program != "find" && u.Program != "gfind" && u.Program != "bfs" && u.Program != "fd")
	case slices.Contains(permissionPrograms, u.Program):
		e.add(tool.ChangesPermissions, value, "", sure(t) && !t.word.Glob)
	case (u.Program == "ln" || u.Program == "gln") && u.Has("-f"), u.Program == "install" && u.Has("-m"):
		e.add(tool.Overwrites, value, "", sure(t))
	case slices.Contains(keeping, u.Program), u.Program == "tee" && u.Has("-a"), u.Program == "find", u.Program == "git":
	case slices.Contains(overwriting, u.Program):
		e.add(tool.Overwrites, value, "", sure(t) && !t.word.Glob && !strings.HasSuffix(value, "/") && strings.Trim(value, "./") != "")
	default:
		e.maybe(tool.Overwrites, value, "")
	}
}

// shows adds the content that a program prints.
func (e *effector) shows(cmd *Command, u *program.Use, t touch) {
	switch {
	case t.start, u.Known && !u.Shows() && !t.redirected, changesDir(cmd.Name()):
		return
	case t.word.Output, u.Program == "git" && !t.rooted, slices.Contains(silent, u.Program):
		return
	case !u.Known, u.Row().Reads == "", u.Row().Project:
		e.maybe(tool.Shows, valueOf(t), "")
		return
	}
	elsewhere := slices.ContainsFunc(cmd.Redirects, func(r Redirect) bool { return r.Write })
	if next := e.consumers[cmd]; next != nil && next.Use().Known && !next.Use().Shows() {
		elsewhere = true // a program that counts
	}
	e.add(tool.Shows, valueOf(t), "", sure(t) && !elsewhere)
}

// silent are programs that copy, pack, send or build from what they read, or use it as a
// key, and do not print it.
var silent = []string{
	"cp", "gcp", "mv", "gmv", "scp", "rsync", "sftp", "ssh", "ssh-add", "ssh-copy-id", "install", "ginstall", "ln", "gln", "dd", "gdd", "tar", "gtar", "bsdtar", "zip", "unzip", "gzip", "gunzip", "xz", "bzip2", "zstd", "7z", "cpio", "ar",
	"curl", "wget", "chmod", "chown", "chgrp", "touch", "mkdir", "rm", "test", "[", "docker", "podman", "kubectl", "helm", "terraform", "ansible-playbook", "gh", "glab", "aws", "gcloud",
	"go", "cargo", "rustc", "gcc", "g++", "cc", "c++", "clang", "clang++", "make", "cmake", "ninja", "npm", "pnpm", "yarn", "bun", "npx", "tsc", "javac", "mvn", "gradle", "pip", "pip3", "uv", "poetry",
	"bash", "sh", "zsh", "dash", "python", "python3", "node", "ruby", "perl", "php", "deno", "pytest", "jest", "vitest", "cd", "pushd", "mount", "source", ".", "exec", "nohup", "sudo", "export",
}

// environment adds the variables of the process, where the command prints them all.
func (e *effector) environment(cmd *Command) {
	u := cmd.Use()
	switch name := cmd.Name(); {
	case name == "printenv", (name == "env" || name == "genv") && u.Inner == 0, name == "set" && len(cmd.Words) == 1, name == "compgen" && u.Words[len(u.Words)-1].Text == "-v",
		(name == "export" || name == "declare" || name == "typeset") && len(cmd.Assigns) == 0 && (len(cmd.Words) == 1 || cmd.Words[1].Text == "-p" || cmd.Words[1].Text == "-x" && len(cmd.Words) == 2):
		e.certain(tool.Shows, tool.Environment, "")
	}
	for _, t := range e.line.touches(cmd) {
		if p := valueOf(t); strings.HasPrefix(p, "/proc/") && strings.HasSuffix(p, "/environ") {
			e.certain(tool.Shows, tool.Environment, "")
		}
	}
}

// code adds what the command runs that is no program of the machine.
func (e *effector) code(cmd *Command, u *program.Use) {
	_, acts := cmd.computes()
	if cmd.Inline && acts != "" || cmd.Stdin && (cmd.Piped || cmd.Input == nil) {
		e.certain(tool.Runs, tool.Unreadable, "")
	}
	if len(cmd.Words) == 0 || u.AsksUsage() || !u.Row().Project && !projectRunners[u.Program] {
		return
	}
	if ok, _ := u.ReadsOnly(); ok {
		return
	}
	if file, ok := projectFile(u); ok {
		e.certain(tool.Runs, file, "")
	} else if !slices.ContainsFunc(e.line.touches(cmd), func(t touch) bool { return t.access == run }) {
		e.maybe(tool.Runs, ".", "")
	}
}

// projectRunners run code of the project, whatever their rows say.
var projectRunners = map[string]bool{"make": true, "gmake": true, "just": true, "task": true, "rake": true, "npm": true, "pnpm": true, "yarn": true, "bun": true, "tox": true, "nox": true, "invoke": true, "ninja": true}

// projectFile is the file in which a program finds what to run.
func projectFile(u *program.Use) (string, bool) {
	sub := strings.Join(u.Sub[:min(1, len(u.Sub))], "")
	switch u.Program {
	case "make", "gmake":
		if own := u.Values("-f"); len(own) > 0 {
			return own[0].Text, own[0].Literal
		}
		return "Makefile", true
	case "just":
		return "justfile", true
	case "task":
		return "Taskfile.yml", true
	case "rake":
		return "Rakefile", true
	case "tox":
		return "tox.ini", true
	case "nox":
		return "noxfile.py", true
	case "npm", "pnpm", "yarn", "bun":
		switch sub {
		case "run", "run-script", "test", "t", "tst", "start", "stop", "restart", "build":
			return "package.json", true
		}
	}
	return "", false
}

// gitFiles adds what git does to files of the working tree.
func (e *effector) gitFiles(cmd *Command, u *program.Use) {
	at := "."
	if dirs := gitDirs(cmd); len(dirs) == 1 {
		at = dirs[0]
	}
	operands := func(kind, how string) {
		if len(u.Operands) == 0 {
			e.maybe(kind, at, how)
		}
		for _, o := range u.Operands {
			value := pathText(o)
			if at != "." {
				value = joinDir(at, value)
			}
			e.add(kind, value, how, o.Literal && !o.Glob && o.Text != "HEAD")
		}
	}
	if u.Has("-n", "--dry-run") && u.Command() != "git commit" {
		return
	}
	switch u.Command() {
	case "git diff", "git show", "git log", "git blame", "git annotate", "git grep", "git cat-file", "git stash show", "git format-patch", "git archive":
		e.maybe(tool.Shows, at, "")
	}
	switch u.Command() {
	case "git clean":
		e.maybe(tool.Deletes, at, tool.WholeTree)
	case "git rm":
		if !u.Has("--cached") {
			operands(tool.Deletes, "")
		}
	case "git checkout", "git restore":
		if u.Has("-b", "-B", "--orphan") || u.Command() == "git restore" && u.Has("--staged", "-S") && !u.Has("--worktree", "-W") {
			return
		}
		if u.Command() == "git restore" || slices.ContainsFunc(u.Words, func(w Word) bool { return w.Text == "--" }) {
			operands(tool.Overwrites, "")
			return
		}
		e.maybe(tool.Overwrites, at, "")
	case "git reset":
		if u.Has("--hard", "--merge", "--keep") {
			e.add(tool.Overwrites, at, "", u.Has("--hard"))
		}
	case "git worktree remove":
		operands(tool.Deletes, tool.WholeTree)
	case "git stash", "git stash drop", "git stash clear", "git stash pop", "git stash push", "git switch", "git merge", "git rebase", "git pull", "git apply", "git am", "git cherry-pick", "git revert":
		if u.Command() != "git switch" || u.Has("-f", "--discard-changes", "--force") {
			e.maybe(tool.Overwrites, at, "")
		}
	}
}

// decisive reports whether the exit status of the line tells that of cmd: it is what
// the line ends with, no pipe, "||" or "&" takes it.
func (e *effector) decisive(cmd *Command) bool {
	if !e.finalRead {
		e.finalRead = true
		if f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(e.line.Text), ""); err == nil {
			e.ends(f.Stmts)
		}
	}
	outer := cmd
	for outer.Parent != nil {
		outer = outer.Parent
	}
	return slices.Contains(e.final, outer.Source)
}

// ends notes the commands whose exit status a list ends with: it is 0 only when theirs
// is.
func (e *effector) ends(list []*syntax.Stmt) {
	if len(list) == 0 {
		return
	}
	last := list[len(list)-1]
	if last.Background || last.Negated || last.Coprocess {
		return
	}
	e.end(last.Cmd, pipefail(list[:len(list)-1]))
}

func (e *effector) end(c syntax.Command, whole bool) {
	switch c := c.(type) {
	case *syntax.CallExpr:
		from, to := int(c.Pos().Offset()), int(c.End().Offset())
		if from <= to && to <= len(e.line.Text) {
			e.final = append(e.final, e.line.Text[from:to])
		}
	case *syntax.BinaryCmd:
		switch c.Op {
		case syntax.AndStmt:
			whole = whole || pipefail([]*syntax.Stmt{c.X})
			e.side(c.X, whole)
			e.side(c.Y, whole)
		case syntax.Pipe, syntax.PipeAll:
			if whole {
				e.side(c.X, whole)
			}
			e.side(c.Y, whole)
		}
	case *syntax.Block:
		e.ends(c.Stmts)
	case *syntax.Subshell:
		e.ends(c.Stmts)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			e.side(c.Stmt, whole)
		}
	}
}

func (e *effector) side(s *syntax.Stmt, whole bool) {
	if !s.Background && !s.Negated && !s.Coprocess {
		e.end(s.Cmd, whole)
	}
}

// pipefail reports whether statements make a pipe fail with any of its commands.
func pipefail(list []*syntax.Stmt) (on bool) {
	for _, s := range list {
		call, ok := s.Cmd.(*syntax.CallExpr)
		if !ok || len(call.Args) < 2 || call.Args[0].Lit() != "set" {
			continue
		}
		for _, a := range call.Args[1:] {
			if a.Lit() == "pipefail" {
				on = call.Args[1].Lit() != "+o"
			}
		}
	}
	return on
}
