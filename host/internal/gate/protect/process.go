package protect

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/callgate/callgate/engine"
)

// process judges a process to signal or trace; docs/abi.md has the forms of a value.
func (j *judge) process(value string) string {
	form, rest, _ := strings.Cut(value, ":")
	ours := false
	switch form {
	case "job":
		return ""
	case "tmux":
		ours = j.facts.Multiplexed
	case "port":
		ours = rest == "" || slices.Contains(j.ports(), rest)
	case "exact":
		ours = slices.ContainsFunc(j.facts.Names, func(name string) bool { return fold(name) == fold(path.Base(rest)) })
	case "name":
		ours = found(rest, j.facts.Names)
	case "pattern":
		ours = found(rest, slices.Concat(j.facts.Names, j.facts.CommandLines))
	default:
		return j.processID(value)
	}
	if ours {
		return "it may signal or trace Callgate's process (" + value + "); name another process by its id"
	}
	return ""
}

func (j *judge) processID(value string) string {
	n, err := strconv.Atoi(value)
	switch {
	case err != nil:
		return "the process it signals or traces is unknown; name the process by its id"
	case n <= 0:
		return "it signals a group of processes (" + value + "), perhaps Callgate's among them"
	case n == j.facts.PID || n == j.facts.Parent || j.isThread(n):
		return "it signals or traces Callgate's process " + value
	}
	return ""
}

// found reports whether a pattern finds one of the texts; an unreadable one finds everything.
func found(pattern string, texts []string) bool {
	re, err := regexp.Compile(pattern)
	return err != nil || slices.ContainsFunc(texts, re.MatchString)
}

var wholeDomain = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^((gui|user|system|login|session)(/\d+)?|user@.*|user-.*|.*\.slice|.*\.target)$`)
})

// service judges an action on a service.
func (j *judge) service(t engine.Target) string {
	if t.Access == "read" {
		return ""
	}
	name := fold(path.Base(t.Value))
	switch {
	case t.Value == unknown:
		return "the service it changes is unknown; name the service"
	case strings.Contains(name, "callgate"), strings.ContainsAny(name, "*?[") && (mayBe(name, "callgate") || mayBe(name, "callgate.service")):
		return "it changes Callgate's service " + t.Value
	case wholeDomain().MatchString(fold(t.Value)):
		return "it may change Callgate's service (" + t.Value + ")"
	}
	return ""
}
