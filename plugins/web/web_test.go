package web_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/callgate/callgate/plugins/web"
	"github.com/callgate/callgate/sdk/go/tool"
	"github.com/callgate/callgate/sdk/go/tooltest"
)

var host = tooltest.Host{Module: tool.Module{Name: "web", Version: "1", Tools: web.Tools()}}

func fetch(url string) string {
	data, _ := json.Marshal(map[string]string{"url": url}) // a map of strings is JSON
	return string(data)
}

func TestExamples(t *testing.T) {
	t.Parallel()
	host.CheckExamples(t)
}

func TestFetchMatch(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		rule, url       string
		asAllow, asDeny bool
	}{
		// The vibing seed's.
		{"github.com", "https://github.com", true, true},
		{"github.com", "https://github.com/a/b?c#d", true, true},
		{"github.com", "HTTPS://GITHUB.COM/", true, true},
		{"github.com", "https://DOCS.github.com:443/", false, false},
		{"docs.python.org", "https://DOCS.python.org:443/3/", true, true},
		{"github.com", "https://github.com#f", true, true},
		{"github.com", "https://api.github.com/x", false, false},
		{"github.com", "https://github.com.example.org/", false, false},
		{"github.com", "https://example.org/github.com", false, false},
		{"*.npmjs.com", "https://registry.npmjs.com/", true, true},
		{"*.npmjs.com", "https://a.b.npmjs.com/", true, true},
		{"*.npmjs.com", "https://npmjs.com/", false, false},
		{"*.npmjs.com", "https://evilnpmjs.com/", false, false},
		{"*.npmjs.com", "https://npmjs.com.example.org/", false, false},
		{"domain:github.com", "https://github.com/", true, true},
		{"127.0.0.1", "http://127.0.0.1/", true, true},
		// Where the host only seems to be.
		{"docs.python.org", "https://evil.example/?u=https://docs.python.org/", false, false},
		{"docs.python.org", "https://evil.example/#@docs.python.org", false, false},
		// Odd spellings: never allowed, always caught.
		{"github.com", "https://git%68ub.com/", false, true},
		{"github.com", "https://github\u3002com/", false, true},
		{"github.com", "https://github.com:8443/", false, true},
		{"b\u00fccher.example", "https://b\u00fccher.example/", false, true},
		{"xn--bcher-kva.example", "https://b\u00fccher.example/", false, true},
		{"xn--bcher-kva.example", "https://xn--bcher-kva.example/", true, true},
		{"evil.example", "https://evil.example./", false, true},
		{"evil.example", "https://evil%2Eexample/", false, true},
		{"169.254.169.254", "http://0xa9fea9fe/", false, true},
		{"169.254.169.254", "http://2852039166/", false, true},
		{"169.254.169.254", "http://169.254.43518/", false, true},
		{"169.254.169.254", "http://0251.0376.0251.0376/", false, true},
		{"169.254.169.254", "http://[::ffff:169.254.169.254]/", false, true},
		{"::1", "http://[0:0:0:0:0:0:0:1]/", false, true},
		{"[::1]", "http://[::1]/", true, true},
		{"github.com", "https://[::1]/", false, false},
		// What cannot be judged is caught by every deny rule.
		{"docs.python.org", `https://evil.example\@docs.python.org/`, false, true},
		{"docs.python.org", "https://docs.python.org@evil.example/", false, true},
		{"docs.python.org", "https://user:pw@docs.python.org/", false, true},
		{"docs.python.org", "https://docs.python.org\t.evil.example/", false, true},
		{"docs.python.org", " https://docs.python.org/", false, true},
		{"docs.python.org", "https:/docs.python.org/", false, true},
		{"docs.python.org", "https:///docs.python.org/", false, true},
		{"docs.python.org", "docs.python.org/x", false, true},
		{"docs.python.org", "//docs.python.org/x", false, true},
		{"docs.python.org", "https://docs.python.org:99999/", false, true},
		{"docs.python.org", "https://1.2.3.4.5/", false, true},
		{"docs.python.org", "https://a..b/", false, true},
		// No host is reached at all.
		{"github.com", "javascript:fetch('https://github.com')", false, false},
		{"github.com", "", false, false},
		// Rules that cannot be read.
		{"*.*.com", "https://a.b.com/", false, true},
		{"https://github.com/", "https://github.com/", false, true},
	} {
		t.Run(tc.rule+" "+tc.url, func(t *testing.T) {
			t.Parallel()
			for behavior, want := range map[tool.Behavior]bool{tool.Allow: tc.asAllow, tool.Deny: tc.asDeny, tool.Ask: tc.asDeny} {
				if got := host.Match(t, behavior, tc.rule, "WebFetch", fetch(tc.url)); got != want {
					t.Errorf("%s: got %v, want %v", behavior, got, want)
				}
			}
		})
	}
}

func TestUnknownMembersMayHideAnAddress(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]bool{
		`{"url":"https://a.example/","mirror_url":"https://evil.example/"}`: true,
		`{"url":"https://a.example/","verbose":true}`:                       false,
	} {
		if got := host.Match(t, tool.Deny, "evil.example", "WebFetch", input); got != want {
			t.Errorf("deny on %s: got %v, want %v", input, got, want)
		}
		if host.Match(t, tool.Allow, "a.example", "WebFetch", input) {
			t.Errorf("allow on %s: got a match", input)
		}
		if got := host.Describe(t, "WebFetch", input).TargetsUnknown; got != want {
			t.Errorf("targets unknown on %s: got %v, want %v", input, got, want)
		}
	}
}

func TestFetchCheck(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		input  string
		want   tool.Behavior
		immune bool
	}{
		{fetch("https://github.com/"), tool.Passthrough, false},
		{fetch("http://example.org:8080/x"), tool.Passthrough, false},
		{fetch(""), tool.Passthrough, false},
		{fetch("http://8.8.8.8/"), tool.Passthrough, false},
		{fetch("http://localhost:3000/"), tool.Ask, true},
		{fetch("http://app.localhost/"), tool.Ask, true},
		{fetch("http://127.0.0.1/"), tool.Ask, true},
		{fetch("http://127.1/"), tool.Ask, true},
		{fetch("http://0/"), tool.Ask, true},
		{fetch("http://[::1]/"), tool.Ask, true},
		{fetch("http://[::ffff:10.0.0.1]/"), tool.Ask, true},
		{fetch("http://[64:ff9b::a00:1]/"), tool.Ask, true},
		{fetch("http://[fd00::1]/"), tool.Ask, true},
		{fetch("http://[fe80::1]/"), tool.Ask, true},
		{fetch("http://10.0.0.1/"), tool.Ask, true},
		{fetch("http://172.16.0.1/"), tool.Ask, true},
		{fetch("http://192.168.1.1/"), tool.Ask, true},
		{fetch("http://100.64.0.1/"), tool.Ask, true},
		{fetch("http://169.254.169.254/latest/meta-data/"), tool.Ask, true},
		{fetch("http://0xa9fea9fe/"), tool.Ask, true},
		{fetch("http://metadata.google.internal/"), tool.Ask, true},
		{fetch("http://metadata/"), tool.Ask, true},
		{fetch("http://intranet/"), tool.Ask, true},
		{fetch("http://printer.local/"), tool.Ask, true},
		{fetch("http://127.0.0.1.nip.io/"), tool.Ask, true},
		{fetch("https://a@b.example/"), tool.Ask, true},
		{fetch(`https://a.example\b`), tool.Ask, true},
		{fetch("github.com/x"), tool.Ask, true},
		{fetch("file:///etc/passwd"), tool.Deny, false},
		{fetch("javascript:alert(1)"), tool.Deny, false},
		{fetch("ftp://example.org/"), tool.Deny, false},
		{`{"url":5}`, tool.Ask, true},
		{`{"prompt":"read https://example.org/ for me"}`, tool.Ask, true},
		{`{"prompt":"hello"}`, tool.Passthrough, false},
	} {
		t.Run(tc.input, func(t *testing.T) {
			t.Parallel()
			got := host.Check(t, "WebFetch", tc.input)
			if got.Behavior != tc.want || got.BypassImmune != tc.immune {
				t.Errorf("got %+v, want %s, immune %v", got, tc.want, tc.immune)
			}
		})
	}
}

func TestReadOnlyHosts(t *testing.T) {
	t.Parallel()
	listed := host
	listed.Config = `{"read_only_hosts":["docs.python.org","*.example.org","127.0.0.1"]}`
	for _, tc := range []struct {
		url  string
		want bool
	}{
		{"https://docs.python.org/3/", true},
		{"https://a.example.org/", true},
		{"https://example.org/", false},
		{"https://docs.python.org./", false},
		{"https://docs.python.org:8443/", false},
		{"https://github.com/", false},
		{"http://127.0.0.1/", false},
	} {
		if got := listed.ReadOnly(t, "WebFetch", fetch(tc.url)); got != tc.want {
			t.Errorf("%s: got %v, want %v", tc.url, got, tc.want)
		}
		if host.ReadOnly(t, "WebFetch", fetch(tc.url)) {
			t.Errorf("%s: read-only without a list", tc.url)
		}
	}
}

func TestFetchSuggestionsAndTargets(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ url, suggestion, target string }{
		{"https://github.com/a", "github.com", "github.com"},
		{"https://GitHub.com:443/a", "github.com", "github.com"},
		{"https://github.com:444/a", "", "github.com"},
		{"http://127.0.0.1/", "", "127.0.0.1"},
		{"http://[2001:db8:1::1]/", "2001:db8:1::1", "[2001:db8:1::1]"},
	} {
		got := host.Suggest(t, "WebFetch", fetch(tc.url))
		switch {
		case tc.suggestion == "" && len(got) != 0:
			t.Errorf("%s: got %q, want no suggestion", tc.url, got)
		case tc.suggestion != "" && (len(got) != 1 || got[0] != tc.suggestion || !host.Match(t, tool.Allow, got[0], "WebFetch", fetch(tc.url))):
			t.Errorf("%s: got %q, want %q, matching its own call", tc.url, got, tc.suggestion)
		}
		d := host.Describe(t, "WebFetch", fetch(tc.url))
		if len(d.Targets) != 1 || d.Targets[0].Value != tc.target {
			t.Errorf("%s: got targets %+v, want %s", tc.url, d.Targets, tc.target)
		}
		if d.Action != "tool:web_fetch:"+tc.url {
			t.Errorf("got action %q", d.Action)
		}
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	in := `{"query":"go maps"}`
	if !host.Match(t, tool.Allow, "go maps", "WebSearch", in) || host.Match(t, tool.Allow, "go", "WebSearch", in) {
		t.Error("a rule must be the query, exactly")
	}
	if host.Match(t, tool.Deny, "github.com", "WebSearch", `{"query":"x","allowed_domains":["github.com"]}`) {
		t.Error("a rule must not look at the domains")
	}
	if host.ReadOnly(t, "WebSearch", in) {
		t.Error("a search tells the query to a stranger: got read-only")
	}
	if got := host.Suggest(t, "WebSearch", in); len(got) != 2 || got[0] != "go maps" || got[1] != "" {
		t.Errorf("got %q, want the query, then the whole tool", got)
	}
}

// FuzzFetch checks that no URL makes a rule for one host allow another, as far
// as another parser can tell, and that allow implies deny.
func FuzzFetch(f *testing.F) {
	for _, seed := range []string{
		"https://github.com/", "https://github.com.evil/", "http://0x7f.1/", "https://[::1]/", "https://a@github.com", `https://x\github.com`,
		"https://github.com:443", "//github.com", "https://github.com%2eevil/", "javascript:1", "https://gıthub.com",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, url string) {
		in := fetch(url)
		allowed := host.Match(t, tool.Allow, "github.com", "WebFetch", in)
		if allowed && !strictlyGitHub(in) {
			t.Errorf("%q is allowed by a rule for github.com", url)
		}
		if allowed && !host.Match(t, tool.Deny, "github.com", "WebFetch", in) {
			t.Errorf("%q is allowed by a rule that does not deny it", url)
		}
	})
}

// strictlyGitHub parses the address with net/url.
func strictlyGitHub(in string) bool {
	var fields map[string]string
	if err := json.Unmarshal([]byte(in), &fields); err != nil {
		return false
	}
	u, err := url.Parse(fields["url"])
	return err == nil && u.User == nil && strings.EqualFold(u.Hostname(), "github.com")
}
