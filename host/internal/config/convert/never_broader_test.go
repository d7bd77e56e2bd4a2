package convert_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/host/internal/config/convert"
	"github.com/callgate/callgate/host/internal/testkit/compiledtest"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
)

// verdict is the old program's answer about one command or path; "" without a matching rule.
type verdict string

const (
	allow verdict = "allow"
	ask   verdict = "ask"
	deny  verdict = "deny"
)

// source is a foreign file made at random, and an oracle reading it as its own program does.
// The oracles know nothing of the import.
type source struct {
	format convert.Format
	name   string
	// make returns the file and the oracle for one simple command.
	make func(t *rapid.T) (file string, oracle func(command string) verdict)
}

var (
	commands = []string{"git", "git status", "git push", "git push origin main", "git pushx", "gitk", "npm run test", "npm run test:unit", "npm runner", "npm run", "npm", "make", "make deploy", "make deployx", "rm x", "rm -rf x", "rmdir x", "go test ./...", "go vet ./..."}
	prefixes = []string{"git", "git push", "npm run", "npm", "make deploy", "rm", "rm -rf", "go"}
	globs    = []string{"git *", "git push*", "npm *", "npm run *", "*", "make deploy*", "rm *", "go * ./...", "* x", "go test ./...", "npm:*"}
)

func pick(t *rapid.T, from []string, name string) string {
	return rapid.SampledFrom(from).Draw(t, name)
}

// strictest of several verdicts, as deny beats ask beats allow.
func strictest(vs ...verdict) verdict {
	for _, v := range []verdict{deny, ask, allow} {
		for _, x := range vs {
			if x == v {
				return v
			}
		}
	}
	return ""
}

// wild matches a text against a pattern with * as any text; before a last star, a blank and the
// star may both be absent.
func wild(pattern, s string) bool {
	var re strings.Builder
	for _, r := range strings.TrimSuffix(pattern, " *") {
		if r == '*' {
			re.WriteString("(?s:.*)")
			continue
		}
		re.WriteString(regexp.QuoteMeta(string(r)))
	}
	if strings.HasSuffix(pattern, " *") {
		re.WriteString("( (?s:.*))?")
	}
	return regexp.MustCompile(`\A(?:` + re.String() + `)\z`).MatchString(s)
}

func words(prefix, command string) bool {
	return command == prefix || strings.HasPrefix(command, prefix+" ")
}

func mustJSON(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(out)
}

var sources = []source{
	{convert.ClaudeSettings, "settings.json", func(t *rapid.T) (string, func(string) verdict) {
		lists := map[verdict][]string{}
		for _, v := range []verdict{allow, ask, deny} {
			for range rapid.IntRange(0, 3).Draw(t, string(v)) {
				rule := pick(t, commands, "exact")
				switch rapid.IntRange(0, 2).Draw(t, "kind") {
				case 0:
					rule = pick(t, prefixes, "prefix") + ":*"
				case 1:
					rule = pick(t, globs, "glob")
				}
				lists[v] = append(lists[v], "Bash("+rule+")")
			}
		}
		oracle := func(command string) verdict {
			var found []verdict
			for v, rules := range lists {
				for _, r := range rules {
					r = strings.TrimSuffix(strings.TrimPrefix(r, "Bash("), ")")
					if p, ok := strings.CutSuffix(r, ":*"); ok && words(p, command) || !ok && (wild(r, command)) {
						found = append(found, v)
					}
				}
			}
			return strictest(found...)
		}
		return mustJSON(map[string]any{"permissions": lists}), oracle
	}},
	{convert.Codex, "default.rules", func(t *rapid.T) (string, func(string) verdict) {
		type rule struct {
			pattern string
			v       verdict
		}
		var rules []rule
		var file strings.Builder
		for range rapid.IntRange(0, 5).Draw(t, "rules") {
			r := rule{pick(t, prefixes, "prefix"), verdict(pick(t, []string{"allow", "ask", "deny"}, "decision"))}
			rules = append(rules, r)
			fmt.Fprintf(&file, "prefix_rule(pattern = %s, decision = %q)\n", mustJSON(strings.Fields(r.pattern)), map[verdict]string{allow: "allow", ask: "prompt", deny: "forbidden"}[r.v])
		}
		return file.String(), func(command string) verdict {
			var found []verdict
			for _, r := range rules {
				if words(r.pattern, command) {
					found = append(found, r.v)
				}
			}
			return strictest(found...)
		}
	}},
	{convert.Gemini, "settings.json", func(t *rapid.T) (string, func(string) verdict) {
		var allowed, excluded []string
		for range rapid.IntRange(0, 3).Draw(t, "allowed") {
			allowed = append(allowed, pick(t, prefixes, "allowed"))
		}
		for range rapid.IntRange(0, 2).Draw(t, "excluded") {
			excluded = append(excluded, pick(t, prefixes, "excluded"))
		}
		item := func(list []string) []string {
			out := []string{}
			for _, p := range list {
				out = append(out, "run_shell_command("+p+")")
			}
			return out
		}
		return mustJSON(map[string]any{"tools": map[string]any{"allowed": item(allowed), "exclude": item(excluded)}}), func(command string) verdict {
			for _, p := range excluded {
				if strings.HasPrefix(command, p) {
					return deny
				}
			}
			for _, p := range allowed {
				if words(p, command) {
					return allow
				}
			}
			return ""
		}
	}},
	{convert.Gemini, "policy.toml", func(t *rapid.T) (string, func(string) verdict) {
		type rule struct {
			prefix   string
			v        verdict
			priority int
		}
		var rules []rule
		var file strings.Builder
		for i := range rapid.IntRange(0, 5).Draw(t, "rules") {
			r := rule{pick(t, prefixes, "prefix"), verdict(pick(t, []string{"allow", "ask", "deny"}, "decision")), rapid.IntRange(0, 9).Draw(t, "priority")*10 + i}
			rules = append(rules, r)
			fmt.Fprintf(&file, "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = %q\ndecision = %q\npriority = %d\n", r.prefix, map[verdict]string{allow: "allow", ask: "ask_user", deny: "deny"}[r.v], r.priority)
		}
		return file.String(), func(command string) verdict {
			best, v := -1, verdict("")
			for _, r := range rules {
				if words(r.prefix, command) && r.priority > best {
					best, v = r.priority, r.v
				}
			}
			return v
		}
	}},
	{convert.OpenCode, "opencode.json", func(t *rapid.T) (string, func(string) verdict) {
		var file strings.Builder
		type rule struct {
			pattern string
			v       verdict
		}
		var rules []rule
		seen := map[string]bool{}
		for range rapid.IntRange(0, 6).Draw(t, "rules") {
			r := rule{pick(t, append(globs, commands...), "pattern"), verdict(pick(t, []string{"allow", "ask", "deny"}, "action"))}
			if seen[r.pattern] {
				continue
			}
			seen[r.pattern] = true
			rules = append(rules, r)
			fmt.Fprintf(&file, ", %s: %q", mustJSON(r.pattern), r.v)
		}
		return `{"permission": {"bash": {` + strings.TrimPrefix(file.String(), ", ") + `}}}`, func(command string) verdict {
			v := verdict("")
			for _, r := range rules {
				if wild(r.pattern, command) {
					v = r.v
				}
			}
			return v
		}
	}},
	{convert.AgentScope, "state.json", func(t *rapid.T) (string, func(string) verdict) {
		lists := map[string]map[string][]map[string]any{}
		rules := map[verdict][]string{}
		for _, v := range []verdict{allow, ask, deny} {
			list := []map[string]any{}
			for range rapid.IntRange(0, 3).Draw(t, string(v)) {
				rule := pick(t, commands, "text")
				switch rapid.IntRange(0, 2).Draw(t, "kind") {
				case 0:
					rule = pick(t, prefixes, "prefix") + ":*"
				case 1:
					rule = pick(t, globs, "glob")
				}
				rules[v] = append(rules[v], rule)
				list = append(list, map[string]any{"tool_name": "Bash", "rule_content": rule, "behavior": string(v), "source": "s"})
			}
			lists[string(v)+"_rules"] = map[string][]map[string]any{"Bash": list}
		}
		return mustJSON(lists), func(command string) verdict {
			var found []verdict
			for v, list := range rules {
				for _, r := range list {
					p, prefix := strings.CutSuffix(r, ":*")
					switch {
					case prefix && words(p, command), !prefix && strings.Contains(r, "*") && wild(r, command), !prefix && !strings.Contains(r, "*") && strings.Contains(command, r):
						found = append(found, v)
					}
				}
			}
			return strictest(found...)
		}
	}},
}

// runs is the effect of one part of a line beside another: a reading one runs where the
// report says so, as it does alone, and an allow rule covers the other.
func runs(was verdict, reads, weaker bool) verdict {
	if was != "" && reads && weaker {
		return allow
	}
	return was
}

// TestNeverBroader: a call allowed by an import was allowed by the old program, or it only
// reads; denials stay denials and asks are never allowed, unless the report says that something
// is weaker. For single commands and for two in a row, each in need of an allow.
func TestNeverBroader(t *testing.T) {
	t.Parallel()
	if raceflag.Enabled {
		t.Skip("SKIPPED under the race detector: each case is one goroutine's, and they take ten minutes there")
	}
	compiledtest.Modules(t)
	for _, s := range sources {
		t.Run(string(s.format)+" "+s.name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				file, oracle := s.make(t)
				r, err := convert.Import(s.format, s.name, []byte(file), convert.Options{Agent: "a"})
				if err != nil {
					t.Fatalf("%v\n%s", err, file)
				}
				weaker := r.Counts()[convert.Weaker] > 0
				one, two := pick(t, commands, "one"), pick(t, commands, "two")
				got, reads := gateOf(t, r, "a").decide(t, shell(one), shell(two), shell(one+" && "+two))
				first, second := oracle(one), oracle(two)
				both := strictest(runs(first, reads[0], weaker), runs(second, reads[1], weaker))
				if both == allow && (first == "" && !reads[0] || second == "" && !reads[1]) {
					both = ""
				}
				for i, x := range []struct {
					line string
					want verdict
				}{{one, first}, {two, second}, {one + " && " + two, both}} {
					switch {
					case got[i] == "allow" && x.want != allow && !reads[i],
						got[i] == "allow" && (x.want == ask || x.want == deny) && !weaker,
						got[i] == "ask" && x.want == deny && !weaker:
						t.Fatalf("%s: there %q, here %s\n%s\n%s", x.line, x.want, got[i], file, r.Text())
					}
				}
			})
		})
	}
}
