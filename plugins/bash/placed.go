package bash

import (
	"path"
	"slices"
	"strings"

	"github.com/callgate/callgate/plugins/bash/internal/program"
	"github.com/callgate/callgate/sdk/go/tool"
)

// The host looks at the paths of a line before the line runs. A command of the line may put a link
// under one of them, and another one follows it: git switch x && cat notes shows what a link of that
// branch leads to. RATIONALE.md, "Which files does a line put there itself?".

// replaced implements surroundings.replaced.
func (c *call) replaced(t touch) bool {
	if t.path == "" || c.line.harmless(t.path) || t.cmd.keepsLinks() {
		return false
	}
	return slices.ContainsFunc(c.line.Commands, func(cmd *Command) bool {
		return cmd != t.cmd && !cmd.within(t.cmd) && !t.cmd.within(cmd) && c.placesAt(cmd, t)
	}) || slices.ContainsFunc(c.line.origins(t), func(origin touch) bool { return !c.plain(origin) })
}

// keepsLinks reports whether a command reads the text of a link, and never follows it.
func (c *Command) keepsLinks() bool {
	return len(c.Words) > 0 && c.Use().Program == "git" && !c.Use().Has("--no-index")
}

// plain reports whether a file that is moved or copied is no secret and no link is on the way to it:
// at its new place it would lead elsewhere.
func (c *call) plain(t touch) bool {
	found := c.at(t.path, t.access)
	return len(found) > 0 && !slices.ContainsFunc(found, func(f tool.Target) bool { return f.Error != "" || f.Resolved != f.Lexical }) &&
		!slices.ContainsFunc(c.forms(t), c.policy.SecretPath)
}

// placesAt reports whether cmd puts files there, or above, without naming them.
func (c *call) placesAt(cmd *Command, t touch) bool {
	if len(cmd.Words) == 0 || reads(cmd) {
		return false
	}
	u, at := cmd.Use(), c.set.absolute(t.path)
	name := strings.Join(append([]string{u.Program}, u.Sub...), " ")
	if u.Sweeps() && !slices.Contains([]string{"git rm", "git clean", "git mv"}, name) || slices.Contains(otherTrees, u.Program) || strings.HasPrefix(strings.Join(texts(cmd.Words), " "), "gh pr checkout") {
		// The root of the repository may lie above.
		return !strings.HasPrefix(t.word.Text, "/") && !t.word.Tilde || !c.outside(t) || slices.ContainsFunc(gitDirs(cmd), func(dir string) bool { return within(at, c.set.absolute(dir)) })
	}
	unpacks := u.Row().Makes && u.Row().Fetches
	return slices.ContainsFunc(c.line.touches(cmd), func(made touch) bool {
		unnamed := unpacks || made.spreads || made.recursive && u.Fetches()
		return made.access == write && !made.redirected && unnamed && (made.path == "" || within(at, c.set.absolute(made.path)))
	})
}

// otherTrees are programs that change a working tree of their own kind.
var otherTrees = []string{"hg", "svn", "jj", "sl", "bzr", "brz", "fossil", "darcs", "p4"}

// maxOrigins bounds the files that one path may be a copy of.
const maxOrigins = 16

// origins returns what the line itself copies or moves to a path, or to a directory above it: behind
// cp -r a b, the file b/x is a/x.
func (l *Line) origins(t touch) []touch {
	var out []touch
	todo := []touch{t}
	for len(todo) > 0 && len(out) < maxOrigins {
		next := todo[0]
		todo = todo[1:]
		for _, cmd := range l.Commands {
			if cmd == t.cmd || len(cmd.Words) == 0 || !cmd.Use().Carries() {
				continue
			}
			for _, from := range l.carried(cmd, next.path) {
				one := touch{cmd: cmd, word: Word{Text: from, Literal: true}, path: from, access: read}
				if !slices.ContainsFunc(out, func(o touch) bool { return o.path == from }) {
					out, todo = append(out, one), append(todo, one)
				}
			}
		}
	}
	return out
}

// carried returns the possible sources of what cmd puts at a path, or above it.
func (l *Line) carried(cmd *Command, p string) (out []string) {
	if p == "" {
		return nil
	}
	touches := l.touches(cmd)
	for _, dest := range touches {
		if dest.access != write || dest.removes || dest.derived || dest.redirected || dest.path == "" {
			continue
		}
		for _, src := range touches {
			if src.access != read || src.redirected || src.path == "" {
				continue
			}
			name := program.LastName(src.path)
			from := []string{src.path, src.path}
			to := []string{dest.path, joinDir(dest.path, name)}
			if src.word.Glob {
				from, to = []string{path.Dir(src.path)}, to[:1]
			}
			for i, at := range to {
				if at, below := l.Setting.absolute(at), l.Setting.absolute(p); within(below, at) {
					out = append(out, path.Clean(joinDir(from[i], strings.TrimPrefix(strings.TrimPrefix(below, at), "/"))))
				}
			}
		}
	}
	return out
}
