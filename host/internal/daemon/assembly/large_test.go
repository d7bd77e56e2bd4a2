package assembly_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
)

// TestLargeCallsAreJudged: a file of 2 MB written by an agent is decided like a small one, not
// refused for the cost of reading it.
func TestLargeCallsAreJudged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "modules: {limits: {timeout: 1m}}\nagents: {default: {mode: accept_edits, working_directories: [PROJECT]}}\n")
	lines := strings.Repeat("a line with a \"word\" in it\n", 2<<20/27)
	path := w.at("big.txt")
	for name, d := range map[string]engine.Decision{
		"Write": w.evaluate("default", w.request("Write", object("file_path", path, "content", lines))),
		"Edit":  w.evaluate("default", w.request("Edit", object("file_path", path, "old_string", lines[:len(lines)/4], "new_string", lines[:len(lines)/2]))),
	} {
		if d.Behavior != engine.Allow {
			t.Errorf("%s: got %s (%s), want allow", name, d.Behavior, d.Reason)
		}
	}
}

// TestLimitsAreTheDefaults: without the operator's settings every module has the default
// limits.
func TestLimitsAreTheDefaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "agents: {default: {mode: default}}\n")
	for _, tool := range w.Catalog.Tools() {
		for _, l := range tool.Limits {
			if l.Value != l.Default {
				t.Errorf("%s of %s: got %s, want %s", l.Name, tool.Name, l.Value, l.Default)
			}
		}
	}
}
