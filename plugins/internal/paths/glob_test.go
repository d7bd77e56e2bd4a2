package paths_test

import (
	"path"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/plugins/internal/paths"
	"github.com/callgate/callgate/sdk/go/tool"
)

// place is a path without links.
func place(p string) paths.Place { return paths.Place{Lexical: p, Resolved: p} }

var here = tool.Context{CWD: "/p", WorkingDirectories: []string{"/p"}, Home: "/home/u"}

func matches(behavior tool.Behavior, content string, p paths.Place) bool {
	return paths.Matches(behavior, tool.Rule{Content: content}, here, p)
}

// TestCrossingPartOfASegment: every "**" in a segment crosses directories, an
// escaped one and one in a class do not.
func TestCrossingPartOfASegment(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		pattern, path string
		want          bool
	}{
		{"/**secrets**", "/my/secrets/k", true}, {"/**secrets**", "/mysecretsk", true}, {"/**secrets**", "/my/secret/k", false},
		{"/a**b**c", "/a1/2b3/4c", true}, {"/a**b**c", "/abc", true}, {"/a**b**c", "/a/c", false},
		{`/a\**b`, "/a*xb", true}, {`/a\**b`, "/axb", false}, {`/a\**b`, "/a*/b", false}, {"/a[**]b", "/a*b", true}, {"/a[**]b", "/a/b", false},
	} {
		g, err := paths.Compile(tc.pattern)
		if err != nil || g.Match(tc.path, false) != tc.want {
			t.Errorf("%s on %s: got %t, %v; want %t", tc.pattern, tc.path, g.Match(tc.path, false), err, tc.want)
		}
	}
	if _, err := paths.Compile("/" + strings.Repeat("a**", 40)); err == nil {
		t.Error("forty crossings: got no error")
	}
}

func TestGlobBounds(t *testing.T) {
	t.Parallel()
	deep := "/p/" + strings.Repeat("a/", 200) + "b"
	for name, pattern := range map[string]string{
		"nested braces":        strings.Repeat("{a,b}", 30),
		"many partial stars":   strings.Repeat("a**b/", 60),
		"many stars":           strings.Repeat("*a", 500),
		"many directory stars": strings.Repeat("**/", 100) + "b",
		"long":                 strings.Repeat("a", 5000),
		"many segments":        strings.Repeat("a/", 300),
		"open braces":          strings.Repeat("{", 3000),
		"open classes":         strings.Repeat("[", 3000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			allowed := matches(tool.Allow, pattern, place(deep))
			denied := matches(tool.Deny, pattern, place(deep))
			if allowed && !denied {
				t.Error("allowed but not denied")
			}
			if d := time.Since(start); d > 2*time.Second {
				t.Errorf("took %v", d)
			}
		})
	}
}

func TestHolds(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		rule, dir string
		want      bool
	}{
		{"secrets/**", "/p", true},
		{"secrets/**", "/", true},
		{"SECRETS/**", "/p", true},
		{"secrets/**", "/p/src", false},
		{"/etc/shadow", "/etc", false},
		{"/etc/*", "/", true},
		{"~/.ssh/**", "/home", true},
		{"**/.env", "/p", false},
	} {
		if got := matches(tool.Deny, tc.rule, paths.Place{Lexical: tc.dir, Resolved: tc.dir, Tree: true}); got != tc.want {
			t.Errorf("%s below %s: got %v, want %v", tc.rule, tc.dir, got, tc.want)
		}
	}
}

func TestSeeksSecret(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]bool{
		"**/.env": true, "**/.env*": true, "*.pem": true, "**/.ssh/*": true, "{a,.aws}/*": true, "id_rsa*": true, "**/.[e]nv": true,
		"**/*.go": false, "src/**": false, "": false, "**/*": false, "*.{ts,tsx}": false, ".github/**": false,
	} {
		if got := paths.NewPolicy(nil, here).SeeksSecret(pattern); got != want {
			t.Errorf("%q: got %v, want %v", pattern, got, want)
		}
	}
}

// name draws a path segment with all special characters of globs.
var name = rapid.StringMatching(`[a-cA-C.*?\[\]{}!,é-]{1,5}`).Filter(func(s string) bool { return s != "." && s != ".." })

func drawPath(t *rapid.T, label string) string {
	return "/" + strings.Join(rapid.SliceOfN(name, 1, 4).Draw(t, label), "/")
}

func TestSuggestionsMatchTheirCall(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := place(drawPath(t, "path"))
		access := rapid.SampledFrom([]string{tool.Read, tool.Write}).Draw(t, "access")
		for _, s := range paths.Suggest(here, p, access) {
			if !matches(tool.Allow, *s.Content, p) {
				t.Fatalf("%q does not allow %q", *s.Content, p.Lexical)
			}
			if root := here.WorkingDirectories[0]; access == tool.Write && path.Dir(p.Lexical) == root && *s.Content != paths.Escape(p.Lexical) {
				t.Fatalf("%q is proposed for %q, which stands in the project's root", *s.Content, p.Lexical)
			}
			if *s.Content == "/**" || *s.Content == "**" {
				t.Fatalf("%q is proposed for %q", *s.Content, p.Lexical)
			}
		}
	})
}

func TestAllowIsNarrowerThanDeny(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		content := strings.TrimPrefix(drawPath(t, "pattern"), rapid.SampledFrom([]string{"", "/"}).Draw(t, "cut"))
		lexical, resolved := drawPath(t, "lexical"), drawPath(t, "resolved")
		both := paths.Place{Lexical: lexical, Resolved: resolved}
		allowed := matches(tool.Allow, content, both)
		if want := matches(tool.Allow, content, place(lexical)) && matches(tool.Allow, content, place(resolved)); allowed != want {
			t.Fatalf("allow: got %v, want %v: both forms must be named", allowed, want)
		}
		if allowed && !matches(tool.Deny, content, both) {
			t.Fatal("allowed but not denied")
		}
		shouting := paths.Place{Lexical: strings.ToUpper(lexical), Resolved: strings.ToUpper(resolved)}
		if matches(tool.Deny, content, both) && !matches(tool.Deny, content, shouting) {
			t.Fatal("a deny rule missed the same path in capitals")
		}
	})
}

func TestADirectoryRuleStaysInside(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		dir, p := drawPath(t, "dir"), drawPath(t, "path")
		got := matches(tool.Allow, paths.Escape(dir)+"/**", place(p))
		if want := strings.HasPrefix(p, dir+"/"); got != want {
			t.Fatalf("%q in %q: got %v, want %v", p, dir, got, want)
		}
	})
}

// FuzzMatch looks for patterns that panic, that allow more than they deny, or that reach across
// a slash without a "**".
func FuzzMatch(f *testing.F) {
	for _, seed := range [][2]string{
		{"src/**/*.py", "/p/src/a.py"}, {"{a,{b,c}}/[!x]?", "/p/b/yz"}, {`\*`, "/p/*"}, {"a**b/[a-", "/p/ab"}, {"~/x", "/home/u/x"}, {"[", "/p/["}, {"{,}", "/p/{,}"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, content, p string) {
		if !strings.HasPrefix(p, "/") {
			return
		}
		allowed := matches(tool.Allow, content, place(p))
		if allowed && !matches(tool.Deny, content, place(p)) {
			t.Errorf("%q allows %q but does not deny it", content, p)
		}
		if allowed && !strings.ContainsAny(content, "*{") && strings.Count(strings.TrimPrefix(content, "./"), "/") < strings.Count(p, "/")-2 {
			t.Errorf("%q allows %q, which lies deeper", content, p)
		}
	})
}
