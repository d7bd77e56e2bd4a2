package protect

import (
	"context"
	"fmt"
	"os/user"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/gate/target"
)

// resolved returns the targets with the marks of kind tree resolved: the host resolves paths
// alone.
func (j *judge) resolved(targets []engine.Target) ([]engine.Target, string) {
	out := slices.Clone(targets)
	var at []int
	for i, t := range out {
		if t.Kind == "tree" && !strings.HasPrefix(t.Value, inUnknown) {
			at = append(at, i)
		}
	}
	for chunk := range slices.Chunk(at, target.DefaultLimits().Targets) {
		trees := make([]engine.Target, len(chunk))
		for n, i := range chunk {
			trees[n] = out[i]
		}
		got, err := j.resolve(trees)
		if err != nil {
			return out, "Callgate cannot tell which files it reaches: " + err.Error()
		}
		for n, i := range chunk {
			out[i] = got[n]
		}
	}
	return out, ""
}

// resolve looks at paths as the gate does, within the same bounds.
func (j *judge) resolve(targets []engine.Target) ([]engine.Target, error) {
	c := j.call.Context
	place := target.Place{CWD: c.CWD, Home: j.home(), WorkingDirectories: c.WorkingDirectories}
	return j.resolver.Resolve(context.Background(), place, nil, targets)
}

func (j *judge) home() string {
	if j.call.Context.Home != "" {
		return j.call.Context.Home
	}
	return j.facts.Home
}

// readings are the absolute forms of a path target: as the kernel would reach
// it, and as written.
func (j *judge) readings(t engine.Target) []string {
	out := []string{j.absolute(t.Value)}
	for _, p := range []string{t.Resolved, t.Lexical} {
		if p != "" && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// absolute is a path as written, cleaned.
func (j *judge) absolute(value string) string {
	value = strings.ReplaceAll(value, `\`, "/")
	switch {
	case value == "~" || strings.HasPrefix(value, "~/"):
		value = j.home() + value[1:]
	case strings.HasPrefix(value, "~"):
		name, rest, _ := strings.Cut(value[1:], "/")
		if account, err := user.Lookup(name); err == nil {
			value = account.HomeDir + "/" + rest
		}
	}
	if !strings.HasPrefix(value, "/") {
		value = j.call.Context.CWD + "/" + value
	}
	value = "/" + value
	// Links of the kernel must be followed before ".." is removed.
	if ownDirectory().MatchString(value) {
		value = ownDirectory().ReplaceAllLiteralString(value, j.call.Context.CWD)
	}
	for rootOfProcess().MatchString(value) {
		value = rootOfProcess().ReplaceAllLiteralString(value, "/")
	}
	return path.Clean(value)
}

var (
	ownDirectory = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^/+proc/+(self|thread-self)(/+task/+[^/]+)?/+cwd\b`)
	})
	rootOfProcess = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^/+proc/+(self|thread-self)(/+task/+[^/]+)?/+root(/+|$)`)
	})
)

// path judges a single path to read, write or run.
func (j *judge) path(t engine.Target) string {
	if why := astray(t); why != "" {
		return why
	}
	return j.read(t, j.onePath)
}

// read judges every reading of a path, and where its links lead.
func (j *judge) read(t engine.Target, one func(form, access string) string) string {
	for _, form := range j.readings(t) {
		if why := one(form, t.Access); why != "" {
			return why
		}
	}
	return j.linked(t)
}

// onePath's sentences, like all here, put no colon behind a path: "default.token: word"
// is a secret to the masker.
func (j *judge) onePath(form, access string) string {
	parts := components(form)
	if why := j.kernel(form, parts, access); why != "" {
		return why
	}
	if is, _ := j.isSocket(parts); is && access != "read" {
		return "it reaches Callgate's socket " + form
	}
	writes := access == "write"
	for _, p := range j.places {
		within, _ := match(parts, p)
		switch {
		case !within:
		case writes:
			return fmt.Sprintf("it writes %s (%s)", p.what, form)
		case p.secret && (p.file || len(parts) > len(p.parts)):
			return fmt.Sprintf("it reads %s (%s)", p.what, form)
		}
	}
	if writes {
		return j.tie(form, parts)
	}
	return ""
}

// tie judges the files tying projects to the gate, in any place.
func (j *judge) tie(form string, parts []string) string {
	if n := len(parts); n > 0 && names(parts[n-1], projectFile) {
		return fmt.Sprintf("it writes a project's own Callgate rules (%s)", form)
	}
	for i, part := range parts[:max(len(parts)-1, 0)] {
		next := parts[i+1]
		settings := strings.HasPrefix(next, "settings") && !strings.Contains(next, "/")
		for _, name := range settingsFiles {
			settings = settings || mayBe(next, name)
		}
		if names(part, settingsDir) && settings && next != "**" {
			return fmt.Sprintf("it writes settings of Claude Code with Callgate's hook (%s)", form)
		}
	}
	return ""
}

// astray reports a path leading by links to an unresolvable place: into the kernel's own files,
// among them those of processes.
func astray(t engine.Target) string {
	if !strings.Contains(t.Error, "devices and processes") {
		return ""
	}
	for _, tree := range []string{"/dev/", "/proc/", "/sys/"} {
		if strings.HasPrefix(t.Value, tree) {
			return "" // judged as written
		}
	}
	return "it cannot be told where " + t.Value + " leads: " + t.Error
}

// tree judges a path with everything below it.
func (j *judge) tree(t engine.Target) string {
	if why := astray(t); why != "" && t.Access != "run" {
		return why
	}
	return j.read(t, j.oneTree)
}

func (j *judge) oneTree(form, access string) string {
	parts := components(form)
	if why := j.kernel(form, parts, access); why != "" {
		return why
	}
	switch access {
	case "read":
		return j.readTree(form, parts)
	case "run": // given to a program with any possible effect
		return j.onePath(form, "write")
	}
	is, holds := j.isSocket(parts)
	if is {
		return "it reaches Callgate's socket " + form
	}
	for _, p := range j.places {
		switch within, above := match(parts, p); {
		case within:
			return fmt.Sprintf("it would change or remove %s (%s)", p.what, form)
		case above && p.held():
			return fmt.Sprintf("it would change or remove %s and everything in it, including %s", form, p.what)
		}
	}
	if holds {
		return "it would change or remove " + form + " and everything in it, including Callgate's socket"
	}
	if why := j.tie(form, parts); why != "" {
		return why
	}
	n := len(parts)
	if n > 0 && names(parts[n-1], settingsDir) || n > 1 && parts[n-1] == "**" && parts[n-2] == settingsDir {
		return fmt.Sprintf("it would change or remove the settings of Claude Code with Callgate's hook (%s)", form)
	}
	if n > 0 && parts[n-1] == "**" {
		return "" // some files there, such as an archive's; not the project as a whole
	}
	for _, p := range j.project {
		switch within, above := match(parts, p); {
		case within:
			return fmt.Sprintf("it would change or remove %s (%s)", p.what, form)
		case above:
			return fmt.Sprintf("it would change or remove %s and everything in it, including %s", form, p.what)
		}
	}
	return ""
}

// readTree judges a tree to copy or search.
func (j *judge) readTree(form string, parts []string) string {
	for _, p := range j.places {
		within, above := match(parts, p)
		switch {
		case p.secret && (within || above):
			return fmt.Sprintf("it reads all of %s, including %s; name a narrower path", form, p.what)
		case p.program && within && !slices.Contains(parts, "**"):
			return fmt.Sprintf("it copies %s (%s)", p.what, form)
		}
	}
	return ""
}
