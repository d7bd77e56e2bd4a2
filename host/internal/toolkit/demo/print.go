package demo

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// printer writes a person's view.
type printer struct {
	w     io.Writer
	color bool
	// project is removed from paths.
	project string
}

// shows introduces a session by what it shows.
var shows = map[string]string{
	"fix-a-bug":            "An everyday task: readers pass, the first edit and the first build ask, and each answer stores a rule for the calls after it.",
	"injected":             "Injected text makes the agent try harm between readers: a private key, a git hook, a path out of the project. No stored rule covers these calls.",
	"upgrade-a-dependency": "A second task in the same project: stored rules answer the calls they cover. To publish, to push and to write rules of its own, the agent needs a person.",
	"a-tool-of-your-own":   "A module for a new tool is added while the gate runs, and a false one in its place is refused.",
}

func (p printer) title(name string) {
	fmt.Fprintf(p.w, "\nSession %s\n", name)
	if text := shows[name]; text != "" {
		fmt.Fprintln(p.w, text)
	}
}

// call prints one line: the decision, its source, the call, the reason, the time.
func (p printer) call(r wire.Request, res wire.Result) {
	stage := string(res.Decision.Stage)
	if res.AskID != "" {
		stage = string(res.Outcome)
	}
	fmt.Fprintf(p.w, "%s %-12s %-48s %s  %s\n", p.verdict(res.Decision.Behavior), stage, clip(r.Tool+" "+p.short(what(r)), 48), clip(p.short(why(res)), 90),
		time.Duration(res.Micros*int64(time.Microsecond)).Round(10*time.Microsecond))
}

var marks = map[engine.Behavior]string{engine.Allow: "\x1b[32mallow\x1b[0m", engine.Deny: "\x1b[31mdeny \x1b[0m", engine.Ask: "\x1b[33mask  \x1b[0m"}

func (p printer) verdict(b engine.Behavior) string {
	if p.color {
		return marks[b]
	}
	return fmt.Sprintf("%-5s", b)
}

// why is the deciding rule, or the reason.
func why(res wire.Result) string {
	reason := res.Decision.Reason
	if r := res.Decision.Rule; r != nil {
		reason = "rule " + r.String()
	}
	if res.DecidedBy != "" && !strings.Contains(reason, res.DecidedBy) {
		reason += " (" + res.DecidedBy + ")"
	}
	return card.Line(reason)
}

// short takes the project's directory out of a text.
func (p printer) short(text string) string {
	// A bare ** would say every file there is.
	return strings.NewReplacer(p.project+"/**", "./**", p.project+"/", "", p.project, ".").Replace(text)
}

// what is the most telling part of the input.
func what(r wire.Request) string {
	var input map[string]any
	if json.Unmarshal(r.Input, &input) != nil {
		return string(r.Input)
	}
	operation, _ := input["operation"].(string)
	if target, ok := input["target"].(string); ok && operation != "" {
		return card.Line(operation + " " + target)
	}
	for _, member := range []string{"command", "file_path", "url", "pattern", "target"} {
		if text, ok := input[member].(string); ok {
			return card.Line(text)
		}
	}
	return string(r.Input)
}

func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

func (p printer) summary(calls int, counts map[store.Outcome]int, rules []engine.Rule, report store.Report) {
	fmt.Fprintf(p.w, "\n%d calls:", calls)
	for _, o := range []store.Outcome{store.Allowed, store.AskApproved, store.AskDenied, store.AskTimeout, store.AskCancelled, store.Denied} {
		if counts[o] > 0 {
			fmt.Fprintf(p.w, "  %d %s", counts[o], o)
		}
	}
	fmt.Fprintf(p.w, "\n%d rules stored by answers:\n", len(rules))
	for _, r := range rules {
		fmt.Fprintf(p.w, "  %s %s (%s)\n", r.Behavior, p.short(r.String()), r.Scope)
	}
	fmt.Fprintf(p.w, "%d audit rows, hash chain verified.\n\nWhat to try next:\n  callgate serve                         start the daemon and choose a PIN\n  callgate hook claude-code --install    connect Claude Code\n  callgate doctor                        check the setup\n", report.Rows)
}
