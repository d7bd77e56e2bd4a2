package bash

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/callgate/callgate/plugins/bash/internal/program"
	"github.com/callgate/callgate/sdk/go/tool"
)

// maxTargets is the host's bound (docs/abi.md); beyond it the targets count as
// unknown.
const (
	maxTargets     = 256
	maxTargetBytes = 4 << 10
)

// describe names the call and its targets.
func (c *call) describe() tool.Description {
	if len(c.in.text()) > maxBytes {
		// Nothing of it is analysed, and its text would not fit into an answer.
		return tool.Description{
			Action: fmt.Sprintf("tool:bash:(a command of %d bytes)", len(c.in.text())), Title: "Run a very long shell command", TargetsUnknown: true, ChangesShell: c.changesShell(),
		}
	}
	readable := c.line.Opaque == ""
	d := tool.Description{
		Action: "tool:bash:" + c.in.text(), Title: "Run a shell command", Preview: c.in.text(), Language: "bash",
		TargetsUnknown: !readable, Analysed: &readable, Moves: c.moves(), ChangesShell: c.changesShell(),
	}
	if c.in.Description != "" {
		d.Title = c.in.Description
	}
	d.Actions = c.actions()
	g := &gatherer{d: &d}
	m := &marker{d: &d, line: c.line}
	for _, cmd := range c.line.Commands {
		c.gather(g, cmd)
		m.command(cmd)
	}
	d.TargetsUnknown = d.TargetsUnknown || g.lists
	if c.in.WS != nil {
		c.in.WS.describe(g, m)
	}
	return d
}

// describe adds the web socket of a call to the description.
func (s *WebSocket) describe(g *gatherer, m *marker) {
	g.d.Title, g.d.Preview, g.d.Language = "Listen to a web socket", strings.TrimSpace(s.URL+"\n"+g.d.Preview), ""
	g.d.Action = "tool:bash:ws " + s.URL
	g.d.Actions = append(g.d.Actions, g.d.Action)
	host := hostOf(s.URL)
	if host == "" {
		g.d.TargetsUnknown = true
		m.endpoint(tool.Unknown, tool.Unknown)
	}
	g.add(tool.Host, host, tool.Read)
	m.urls(s.URL)
}

// reposKnown reports whether the host inspected every directory whose configuration counts for
// the line, and targets are unknown only because of programs adding words of their input.
func (c *call) reposKnown() bool {
	d := tool.Description{TargetsUnknown: c.line.Opaque != ""}
	g := &gatherer{d: &d}
	for _, cmd := range c.line.Commands {
		c.gather(g, cmd)
		if !cmd.Use().Row().Repo {
			continue
		}
		dirs := gitDirs(cmd)
		for _, dir := range dirs {
			if found := c.at(dir, read); len(found) == 0 || found[0].Error != "" {
				return false
			}
		}
		if len(dirs) == 0 {
			return false
		}
	}
	return g.lists && !d.TargetsUnknown
}

// actions returns one action string per command, redirections included. A line beyond analysis
// adds itself as a whole, so that a profile pattern for one of its commands does not decide
// about the rest.
func (c *call) actions() []string {
	var out []string
	add := func(text string) {
		if a := "tool:bash:" + text; !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	for _, cmd := range c.line.Commands {
		text := cmd.Source
		if cmd.Parent != nil && cmd.Offset > 0 || text == "" {
			text = strings.Join(texts(cmd.Words), " ")
		}
		for _, r := range cmd.Redirects {
			if r.Write {
				text += " > " + r.Word.Text
			}
		}
		if text != "" {
			add(strings.TrimSpace(text))
		}
	}
	if c.line.Opaque != "" {
		add(c.in.text())
	}
	return out
}

type gatherer struct {
	d *tool.Description
	// lists means: a program adds paths to the words of another.
	lists bool
}

func (g *gatherer) add(kind, value, access string) {
	if value == "" {
		return
	}
	t := tool.Target{Kind: kind, Value: value, Access: access}
	if len(value) > maxTargetBytes || strings.ContainsRune(value, 0) || len(g.d.Targets) >= maxTargets {
		g.d.TargetsUnknown = true
		return
	}
	if !slices.Contains(g.d.Targets, t) {
		g.d.Targets = append(g.d.Targets, t)
	}
}

// gather adds the targets of one command.
func (c *call) gather(g *gatherer, cmd *Command) {
	_, acts := cmd.computes()
	if cmd.Inline && acts != "" || cmd.Stdin {
		g.d.TargetsUnknown = true
	}
	g.lists = g.lists || takesPaths(cmd) || listsUnknown(cmd)
	for _, t := range c.line.touches(cmd) {
		if t.path == "" {
			if t.word.Text != "" {
				g.d.TargetsUnknown = true
			}
			continue
		}
		if isURL(t.path) || isURL(t.word.Text) {
			continue
		}
		if host, _, ok := networkAddress(t.path); ok {
			g.add(tool.Host, host, string(t.access))
			continue
		}
		g.add(tool.Path, t.path, string(t.access))
		if t.follows() {
			g.add(tool.Path, below(t.path), tool.Read)
		}
		for _, origin := range c.line.origins(t) {
			g.add(tool.Path, origin.path, tool.Read)
		}
	}
	if cmd.Use().Row().Repo || cmd.Inline && acts == "" {
		dirs := gitDirs(cmd)
		for _, dir := range dirs {
			g.add(tool.Path, dir, tool.Read)
		}
		g.d.TargetsUnknown = g.d.TargetsUnknown || len(dirs) == 0
	}
	for _, w := range cmd.Words {
		if host := hostOf(w.Text); host != "" {
			g.add(tool.Host, host, tool.Read)
		}
	}
	for _, a := range cmd.Assigns { // a proxy, an endpoint
		if host := hostOf(a.Value.Text); host != "" {
			g.add(tool.Host, host, tool.Read)
		}
	}
	for _, w := range append(cmd.Use().Hosts(), remotes(cmd)...) {
		switch {
		case !w.Literal:
			g.d.TargetsUnknown = true
		case !isURL(w.Text):
			g.add(tool.Host, bareHost(w.Text), tool.Read)
		}
	}
}

// takesPaths reports whether a program adding words of its input to cmd may add paths for it to
// read or change.
func takesPaths(cmd *Command) bool {
	p := cmd.Parent
	if p == nil || !p.Use().Row().Adds || len(cmd.Words) == 0 {
		return false
	}
	words := slices.Clone(cmd.Words)
	holes := []string{"{}"}
	for _, v := range p.Use().Values("-I", "-J", "-i") {
		holes = append(holes, v.Text)
	}
	for i := range words[1:] {
		word := &words[1+i]
		word.Literal = word.Literal && !slices.ContainsFunc(holes, func(h string) bool { return h != "" && strings.Contains(word.Text, h) })
	}
	words = append(words, Word{Text: "{}"})
	return slices.ContainsFunc(program.Read(words).Touches(), func(t program.Touch) bool { return !t.Word.Literal })
}

// listsUnknown reports whether cmd reads names of files from a list outside the command line.
func listsUnknown(cmd *Command) bool {
	if len(cmd.Words) == 0 || !cmd.Use().Listing() {
		return false
	}
	_, fed := said(cmd)
	known := cmd.Input != nil && cmd.Input.Literal && cmd.Input.Text != "(a file)" || fed
	return !known || len(cmd.Use().Lists()) > 0
}

// said returns the output of echo or printf to cmd, where it is plain text.
func said(cmd *Command) (text string, ok bool) {
	program, text, _ := strings.Cut(strings.TrimSpace(cmd.Fed), " ")
	return text, (program == "echo" || program == "printf") && !strings.ContainsAny(text, "$`|;&<>()")
}

// remotes are the operands HOST:PATH of programs copying between machines, and names with a
// host as first part: Go's packages, images of containers.
func remotes(cmd *Command) []Word {
	u := cmd.Use()
	switch u.Program {
	case "scp", "rsync", "sftp":
	case "go", "docker", "podman", "nerdctl", "socat":
		return hosted(u)
	case "git":
		if !slices.Contains([]string{"clone", "fetch", "pull", "push", "ls-remote", "remote", "submodule"}, strings.Join(u.Sub[:min(1, len(u.Sub))], "")) {
			return nil
		}
	default:
		return nil
	}
	var out []Word
	for _, o := range u.Operands {
		if before, _, ok := strings.Cut(o.Text, ":"); ok && !strings.Contains(before, "/") && before != "" && before[0] != '+' && !isURL(o.Text) {
			out = append(out, o)
		}
	}
	return out
}

// hosted are the words of a command with a possible host as first part.
func hosted(u *program.Use) []Word {
	var list []Word
	switch u.Command() {
	case "go get", "go install", "go run":
		list = u.Operands
	case "docker pull", "docker push", "docker run", "docker create", "docker image pull", "docker container run", "docker login",
		"podman pull", "podman push", "podman run", "podman create", "podman login", "nerdctl pull", "nerdctl push", "nerdctl run", "nerdctl create":
		list = u.Operands[:min(1, len(u.Operands))]
	case "socat":
		var out []Word
		for _, o := range u.Operands {
			if parts := strings.Split(o.Text, ":"); len(parts) > 2 {
				o.Text = parts[1]
				out = append(out, o)
			}
		}
		return out
	}
	var out []Word
	for _, o := range list {
		first, _, _ := strings.Cut(o.Text, "/")
		if o.Literal && strings.Contains(strings.Trim(first, "."), ".") && (len(first) < len(o.Text) || strings.HasSuffix(u.Command(), "login")) {
			out = append(out, o)
		}
	}
	return out
}

// bareHost returns the host of USER@HOST:PORT/PATH; only the host is required.
func bareHost(text string) string {
	text, _, _ = strings.Cut(text, "/")
	if at := strings.LastIndexByte(text, '@'); at >= 0 {
		text = text[at+1:]
	}
	if strings.HasPrefix(text, "[") {
		text, _, _ = strings.Cut(text[1:], "]")
	} else if strings.Count(text, ":") == 1 {
		text, _, _ = strings.Cut(text, ":")
	}
	return strings.ToLower(strings.TrimSuffix(text, "."))
}

// gitDirs are the directories whose configuration counts for a program.
func gitDirs(cmd *Command) []string {
	var out []string
	into := cmd.Use().Starts()
	for _, dir := range cmd.Dirs {
		at := dir
		for _, w := range into {
			at = joinDir(at, pathText(w))
		}
		if at == "" {
			at = "."
		}
		out = append(out, at)
	}
	return out
}

func isURL(s string) bool {
	_, slashed := webSlashes(s)
	return slashed || strings.Contains(s, "://")
}

// webSchemes begin addresses; curl and others accept them with one slash too, or with more than
// two.
var webSchemes = []string{"https", "http", "ftps", "ftp", "wss", "ws"}

// webSlashes returns s with two slashes behind each of webSchemes at its beginning or behind
// "=", and whether there is any.
func webSlashes(s string) (out string, found bool) {
	if !strings.Contains(s, ":/") {
		return s, false
	}
	for at := 0; at < len(s); at++ {
		if at > 0 && s[at-1] != '=' {
			continue
		}
		for _, scheme := range webSchemes {
			end := at + len(scheme)
			if strings.HasPrefix(s[min(end, len(s)):], ":/") && strings.EqualFold(s[at:end], scheme) {
				s, found = s[:end]+"://"+strings.TrimLeft(s[end+1:], "/"), true
				at = end + 2
				break
			}
		}
	}
	return s, found
}

// hostOf returns the host of a URL in a word. A word beyond parsing is returned unchanged, so
// that nothing is mistaken for another host.
func hostOf(word string) string {
	word, _ = webSlashes(word)
	at := strings.Index(word, "://")
	if at <= 0 {
		return ""
	}
	start := at
	for start > 0 && (word[start-1] >= 'a' && word[start-1] <= 'z' || word[start-1] >= 'A' && word[start-1] <= 'Z') {
		start--
	}
	text := word[start:]
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.User != nil || strings.Contains(text, `\`) {
		host, _, _ := strings.Cut(word[at+3:], "/")
		return host
	}
	return strings.ToLower(u.Hostname())
}
