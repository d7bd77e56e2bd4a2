package convert_test

import (
	"path"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/host/internal/config/convert"
	"github.com/callgate/callgate/host/internal/testkit/compiledtest"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
)

var (
	paths = []string{"/p/a.ts", "/p/src/a.ts", "/p/src/b/a.ts", "/p/src/b/c/a.md", "/p/x.env", "/p/src/x.env", "/p/secrets/k", "/p/sub/secrets/k", "/p/docs/{a,b}.md", "/p/docs/a.md", "/q/a.ts", "/q/src/a.ts", "/home/dev/.zshrc", "/home/dev/src/a.ts", "/p/srcx/a.ts", "/p/src"}
	// ignores are patterns as in .gitignore, wilds those with * crossing directories.
	ignores = []string{"src/**", "src/*.ts", "*.env", "x.env", "secrets/", "secrets", "**/a.ts", "./a.ts", "./src/b/**", "//q/**", "~/.zshrc", "~/src/*", "docs/{a,b}.md", "src/b/", "/src/**", "*", "src"}
	wilds   = []string{"src/*", "*.env", "src/*.ts", "src*", "*a.ts", "docs/{a,b}.md", "secrets/*", "*/secrets/*", "src/**", "/p/src/*", "a.ts", "src/?.ts", "*"}
)

// ignored is the answer of a .gitignore pattern in a rule of Claude Code about a path: it
// starts at /p, a name alone matches at any depth, and a directory means everything in it.
func ignored(pattern, file string) bool {
	base, p := "/p", pattern
	switch {
	case strings.HasPrefix(p, "//"):
		base, p = "", p[1:]
	case strings.HasPrefix(p, "~/"):
		base, p = "/home/dev", p[1:]
	case strings.HasPrefix(p, "./"):
		p = p[1:]
	}
	p, isDir := strings.CutSuffix(p, "/")
	if !strings.Contains(p, "/") {
		p = "/**/" + p
	}
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	var re strings.Builder
	re.WriteString(regexp.QuoteMeta(base))
	for p != "" {
		switch {
		case strings.HasPrefix(p, "/**/"):
			re.WriteString("/(.*/)?")
			p = p[4:]
		case p == "/**":
			re.WriteString("/.+")
			p = ""
		case p[0] == '*':
			re.WriteString("[^/]*")
			p = p[1:]
		default:
			re.WriteString(regexp.QuoteMeta(p[:1]))
			p = p[1:]
		}
	}
	tail := "(/.*)?"
	if isDir {
		tail = "/.*"
	}
	return regexp.MustCompile(`\A` + re.String() + tail + `\z`).MatchString(file)
}

// crosses matches a pattern with * as any text and ? as any character.
func crosses(pattern, text string) bool {
	re := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern))
	return regexp.MustCompile(`\A(?s:` + re + `)\z`).MatchString(text)
}

// TestNeverBroader_paths: as TestNeverBroader, for rules over paths. Links and other spellings
// are the tool's business and no matter here.
func TestNeverBroader_paths(t *testing.T) {
	t.Parallel()
	if raceflag.Enabled {
		t.Skip("SKIPPED under the race detector: each case is one goroutine's, and they take ten minutes there")
	}
	compiledtest.Modules(t)
	verdicts := []string{"allow", "ask", "deny"}
	kinds := []struct {
		name     string
		format   convert.Format
		tool     string
		patterns []string
		file     func(rules map[string][]string, order [][2]string) string
		oracle   func(rules map[string][]string, order [][2]string, file string) verdict
	}{
		{"claude", convert.ClaudeSettings, "Edit", ignores, func(rules map[string][]string, _ [][2]string) string {
			lists := map[string][]string{}
			for v, list := range rules {
				for _, p := range list {
					lists[v] = append(lists[v], "Edit("+p+")")
				}
			}
			return mustJSON(map[string]any{"permissions": lists})
		}, func(rules map[string][]string, _ [][2]string, file string) verdict {
			return byLists(rules, func(p string) bool {
				if p == "/src/**" {
					p = "//p/src/**" // where the settings file belongs: --dir
				}
				return p == "*" || ignored(p, file)
			})
		}},
		{"opencode", convert.OpenCode, "Edit", wilds, func(_ map[string][]string, order [][2]string) string {
			var out strings.Builder
			for _, r := range order {
				out.WriteString("," + mustJSON(r[1]) + ":" + mustJSON(r[0]))
			}
			return `{"permission": {"edit": {` + strings.TrimPrefix(out.String(), ",") + `}}}`
		}, func(_ map[string][]string, order [][2]string, file string) verdict {
			relative, v := relativeTo("/p", file), verdict("")
			for _, r := range order {
				if crosses(r[1], relative) {
					v = verdict(r[0])
				}
			}
			if v == allow && strings.HasPrefix(relative, "../") {
				return ask // external_directory
			}
			return v
		}},
		{"agentscope", convert.AgentScope, "Edit", wilds, func(rules map[string][]string, _ [][2]string) string {
			out := map[string]any{}
			for v, list := range rules {
				var items []map[string]any
				for _, p := range list {
					items = append(items, map[string]any{"tool_name": "Edit", "rule_content": p, "behavior": v, "source": "s"})
				}
				out[v+"_rules"] = map[string]any{"Edit": items}
			}
			return mustJSON(out)
		}, func(rules map[string][]string, _ [][2]string, file string) verdict {
			return byLists(rules, func(p string) bool {
				// Relative patterns start at the working directory: its document's meaning.
				if inside, ok := strings.CutPrefix(file, "/p/"); ok && crosses(p, inside) {
					return true
				}
				return crosses(p, file)
			})
		}},
	}
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				rules, seen := map[string][]string{}, map[string]bool{}
				var order [][2]string
				for range rapid.IntRange(0, 4).Draw(t, "rules") {
					v, p := pick(t, verdicts, "behavior"), pick(t, k.patterns, "pattern")
					if seen[p] {
						continue
					}
					seen[p] = true
					rules[v] = append(rules[v], p)
					order = append(order, [2]string{v, p})
				}
				source := k.file(rules, order)
				r, err := convert.Import(k.format, "f.json", []byte(source), convert.Options{Agent: "a", Dir: "/p"})
				if err != nil {
					t.Fatalf("%v\n%s", err, source)
				}
				weaker := r.Counts()[convert.Weaker] > 0
				file := pick(t, paths, "path")
				got, _ := gateOf(t, r, "a").decide(t, call{k.tool, map[string]any{"file_path": file, "old_string": "x", "new_string": "y"}})
				want := k.oracle(rules, order, file)
				if got[0] == "allow" && (want != allow) || got[0] == "ask" && want == deny && !weaker {
					t.Fatalf("%s: there %q, here %s\n%s\n%s", file, want, got[0], source, r.Text())
				}
			})
		})
	}
}

func byLists(rules map[string][]string, matches func(pattern string) bool) verdict {
	var found []verdict
	for v, list := range rules {
		for _, p := range list {
			if matches(p) {
				found = append(found, verdict(v))
			}
		}
	}
	return strictest(found...)
}

func relativeTo(base, file string) string {
	if inside, ok := strings.CutPrefix(file, base+"/"); ok {
		return inside
	}
	return ".." + path.Clean(file)
}
