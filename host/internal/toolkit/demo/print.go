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
	// width is the number of columns a line may have; 0 for any.
	width int
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
		p.text(text)
	}
}

// text prints a sentence, on as many lines as it needs.
func (p printer) text(text string) {
	for _, line := range card.Wrap(text, p.columns()) {
		fmt.Fprintln(p.w, strings.TrimRight(line, " "))
	}
}

func (p printer) columns() int {
	if p.width <= 0 {
		return 1 << 15
	}
	return p.width
}

// call prints one line: the decision, its source, the call, the reason, and the time if there is
// room for it.
func (p printer) call(r wire.Request, res wire.Result) {
	stage := string(res.Decision.Stage)
	if res.AskID != "" {
		stage = string(res.Outcome)
	}
	const fixed, wide = 20, 150 // columns of decision and source; columns with room for all
	call, reason, took := 48, 90, "  "+time.Duration(res.Micros*int64(time.Microsecond)).Round(10*time.Microsecond).String()
	if columns := max(p.columns(), 60); columns < wide {
		call = min(call, (columns-fixed)/2)
		reason, took = columns-fixed-call-1, ""
	}
	fmt.Fprintf(p.w, "%s %-12s %-*s %s%s\n", p.verdict(res.Decision.Behavior), stage, call, clip(r.Tool+" "+p.short(what(r)), call), clip(p.short(why(r.Tool, res)), reason), took)
}

var marks = map[engine.Behavior]string{engine.Allow: "\x1b[32mallow\x1b[0m", engine.Deny: "\x1b[31mdeny \x1b[0m", engine.Ask: "\x1b[33mask  \x1b[0m"}

func (p printer) verdict(b engine.Behavior) string {
	if p.color {
		return marks[b]
	}
	return fmt.Sprintf("%-5s", b)
}

// why is the deciding rule, or the reason.
func why(tool string, res wire.Result) string {
	reason := strings.TrimPrefix(res.Decision.Reason, "The "+tool+" call was not run: ")
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

// mostRules is how many stored rules the summary lists.
const mostRules = 8

// outcomes are the counts of the summary, in its order.
var outcomes = []struct {
	store.Outcome
	text string
}{
	{store.Allowed, "allowed without a question"}, {store.AskApproved, "approved by a person"}, {store.AskDenied, "denied by a person"},
	{store.AskTimeout, "not answered in time"}, {store.AskCancelled, "cancelled"}, {store.Denied, "denied at once"},
}

// countsText are the outcomes of all calls.
func countsText(counts map[store.Outcome]int) string {
	var parts []string
	for _, o := range outcomes {
		if counts[o.Outcome] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[o.Outcome], o.text))
		}
	}
	return strings.Join(parts, ", ")
}

func (p printer) summary(calls int, counts map[store.Outcome]int, rules []engine.Rule, report store.Report) {
	fmt.Fprintln(p.w)
	p.text(fmt.Sprintf("%d calls: %s.", calls, countsText(counts)))
	fmt.Fprintf(p.w, "%d rules stored by answers:\n", len(rules))
	for _, r := range rules[:min(len(rules), mostRules)] {
		fmt.Fprintf(p.w, "  %s\n", clip(fmt.Sprintf("%s %s (%s)", r.Behavior, p.short(r.String()), r.Scope), p.columns()-2))
	}
	if n := len(rules) - mostRules; n > 0 {
		fmt.Fprintf(p.w, "  and %d more\n", n)
	}
	fmt.Fprintf(p.w, `%d audit rows, hash chain verified.

What to try next:
  callgate serve                         start the daemon and choose a PIN
  callgate hook claude-code --install    connect Claude Code (or codex, gemini-cli, opencode)
  callgate doctor                        check the setup
  callgate demo --discord                the same sessions, with asks as cards in Discord
  callgate demo --console                a week of them in the web console
docs/first-ten-minutes.md walks through it.
`, report.Rows)
}
