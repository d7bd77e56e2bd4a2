package web_test

import (
	"encoding/json"
	"net/url"
	"slices"
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
		// vibing.nvim's.
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
		{"*.npmjs.com", "https://npmjs.com/", false, true},
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
		// Every deny rule catches an input beyond judgement.
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
		// Unreadable rules.
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

func TestPathsAndPorts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		rule, url       string
		asAllow, asDeny bool
	}{
		{"github.com/org/*", "https://github.com/org/site", true, true},
		{"github.com/org/*", "https://github.com/org/site?tab=x#y", true, true},
		{"github.com/org/*", "https://github.com/org/", true, true},
		{"github.com/org/*", "https://github.com/org", false, true}, // a server may take it for /org/
		{"github.com/org/*", "https://github.com/organization/x", false, false},
		{"github.com/org/*", "https://github.com/", false, false},
		{"github.com/org/*", "https://github.com/x?p=/org/", false, false},
		{"github.com/org/*", "https://github.com/x/org/y", false, false},
		{"github.com/org/*", "https://example.org/org/x", false, false},
		{"github.com/org/*", "https://github.com/org/caf%C3%A9/a%20b", true, true},
		{"github.com/org", "https://github.com/org", true, true},
		{"github.com/org", "https://github.com/org/x", true, true},
		{"github.com/org", "https://github.com/organization", false, false},
		{"domain:docs.python.org/3/", "https://docs.python.org/3/library/json.html", true, true},
		{"domain:docs.python.org/3/", "https://docs.python.org/3", false, true},
		{"domain:docs.python.org/3/", "https://docs.python.org/2/", false, false},
		{"*.npmjs.com/package/*", "https://www.npmjs.com/package/left-pad", true, true},
		{"*.npmjs.com/package/*", "https://npmjs.com/package/left-pad", false, true},
		{"github.com/*", "https://github.com/any/thing", true, true},
		{"github.com/", "https://github.com/any/thing", true, true},
		{"example.org/caf\u00e9/*", "https://example.org/caf%C3%A9/x", true, true},
		// Out of the path, or into it, in other spellings.
		{"github.com/org/*", "https://github.com/org/../evil/x", false, true},
		{"github.com/org/*", "https://github.com/org/%2e%2e/evil", false, true},
		{"github.com/org/*", "https://github.com/org/.%2E/evil", false, true},
		{"github.com/org/*", "https://github.com/org/..%2fevil", false, true},
		{"github.com/org/*", "https://github.com/org/%252e%252e/evil", false, true},
		{"github.com/org/*", "https://github.com/org/..;/evil", false, true},
		{"github.com/org/*", "https://github.com/org//x", false, true},
		{"github.com/org/*", "https://github.com/org/a%2Fb", false, true},
		{"github.com/org/*", "https://github.com/org/a%5Cb", false, true},
		{"github.com/org/*", "https://github.com//org/x", false, true},
		{"github.com/org/*", "https://github.com/./org/x", false, true},
		{"github.com/org/*", "https://github.com/a/../org/x", false, true},
		{"github.com/org/*", "https://github.com/%6Frg/x", true, true},
		{"github.com/org/*", "https://github.com/%256Frg/x", false, true},
		{"github.com/org/*", "https://github.com/%2Forg/x", false, true},
		{"github.com/org/*", "https://github.com%2Forg/x", false, true},
		{"github.com/org/*", "https://github.com/ORG/x", false, true},
		{"github.com/org/*", "https://github.com/org;v=1/x", false, true},
		{"github.com/org/*", "https://github.com/%2525252525252525256f/x", false, true}, // more layers than are read
		{"github.com/org/*", "https://github.com/org/%zz", false, true},
		// As the gate asks about another tool's call.
		{"github.com/org/*", "https://github.com/*", false, true},
		{"localhost:3000", "https://localhost/*", false, true},
		{"github.com", "https://example.org/*", false, false},
		// Ports.
		{"localhost:3000", "http://localhost:3000/x", true, true},
		{"localhost:3000", "http://localhost:3001/x", false, false},
		{"localhost:3000", "http://localhost/", false, false},
		{"localhost:80", "http://localhost/", true, true},
		{"localhost", "http://localhost:3000/", false, true},
		{"[::1]:3000", "http://[::1]:3000/", true, true},
		{"*.example.org:8443/api/*", "https://a.example.org:8443/api/v1", true, true},
		{"example.org:443", "https://example.org/", true, true},
		// Unreadable rules.
		{"github.com/*/issues", "https://github.com/a/issues", false, true},
		{"github.com/org*", "https://github.com/org", false, true},
		{"github.com/a/../b", "https://github.com/b", false, true},
		{"github.com/a%2fb", "https://github.com/a/b", false, true},
		{"github.com:port", "https://github.com/", false, true},
		{"github.com/x?y", "https://github.com/x", false, true},
	} {
		for behavior, want := range map[tool.Behavior]bool{tool.Allow: tc.asAllow, tool.Deny: tc.asDeny, tool.Ask: tc.asDeny} {
			if got := host.Match(t, behavior, tc.rule, "WebFetch", fetch(tc.url)); got != want {
				t.Errorf("%s(%s) on %s: got %v, want %v", behavior, tc.rule, tc.url, got, want)
			}
		}
	}
}

// TestHostSpellings walks the classes of the URL standard's tests (urltestdata, toascii): a
// browser's host for a written one. A host of "" is unreachable in browsers, or refused because
// clients differ about it.
func TestHostSpellings(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"example.org": "example.org", "EXAMPLE.Org": "example.org", "example.org.": "example.org", "ex%61mple.org": "example.org",
		"\uff45xample.org": "example.org", "example\u3002org": "example.org", "example\uff0eorg": "example.org", "example\uff61org": "example.org",
		"ex\u00adample.org": "example.org", "ex\u200bample.org": "example.org", "ex\u2060ample.org": "example.org",
		"xn--xn--xn--": "", "fa\u00df.example": "xn--fa-hia.example", "xn--fa-hia.example": "xn--fa-hia.example", "XN--FA-HIA.example": "xn--fa-hia.example",
		"b\u00fccher.example": "xn--bcher-kva.example", "B\u00dcCHER.example": "xn--bcher-kva.example", "bu\u0308cher.example": "xn--bcher-kva.example",
		"b%C3%BCcher.example": "xn--bcher-kva.example", "\u65e5\u672c.example": "xn--wgv71a.example", "\u2603.example": "xn--n3h.example",
		"a_b.example": "a_b.example", "-a.example": "-a.example", "a--b.example": "a--b.example", "1.example": "1.example", "0x.example": "0x.example",
		"\u0251.example": "xn--kna.example", "\u212a.example": "k.example", "\U0001d5d1.example": "x.example",
		"127.0.0.1": "127.0.0.1", "127.1": "127.0.0.1", "127.0.1": "127.0.0.1", "2130706433": "127.0.0.1", "0x7f000001": "127.0.0.1",
		"0x7F.1": "127.0.0.1", "0177.0.0.1": "127.0.0.1", "017700000001": "127.0.0.1", "0x7f.0x0.0x0.0x1": "127.0.0.1", "127.0.0.1.": "127.0.0.1",
		"0": "0.0.0.0", "0x": "0.0.0.0", "4294967295": "255.255.255.255", "1.0xffffff": "1.255.255.255", "\uff11\uff12\uff17.0.0.1": "127.0.0.1",
		"%31%32%37.0.0.1": "127.0.0.1", "00000000177.1": "127.0.0.1", "0xc0.0250.01": "192.168.0.1", "\u2460.1.1.1": "1.1.1.1",
		"[::1]": "::1", "[0:0::0:1]": "::1", "[::0.0.0.1]": "::1", "[::FFFF:7f00:1]": "127.0.0.1", "[::ffff:127.0.0.1]": "127.0.0.1",
		"[2001:DB8:0:0:0:0:0:1]": "2001:db8::1",
		"4294967296":             "", "256.256.256.256": "", "1.2.3.4.5": "", "1.2.3.256": "", "08.1.1.1": "", "0x100.1.1.1": "", "1..1": "", "1.2.3.4..": "",
		"foo.0x4": "", "foo.09": "", "a.1": "", "[::1": "", "::1": "", "[::1%25eth0]": "", "[fe80::1%eth0]": "", "[1.2.3.4]": "", "[:::1]": "", "[::1]x": "",
		"": "", ".": "", "a..b": "", ".a": "", "a b": "", "a%20b": "", "a%00b": "", "a%2Fb": "", "a%40b": "", "a%3Ab": "", "a<b": "", "a^b": "", "a|b": "",
		"a%zz": "", "%": "", "xn--": "", "xn--a": "", "xn--zn7c.com": "", "\u00ad": "", "\ufffd.example": "", "a\u2488b": "", "%ff.example": "",
		"user@example.org": "", "example.org@": "", "example.org%40evil.example": "", "\uff05\uff14\uff11.com": "", "a\u2215b.example": "xn--ab-6bv.example", "example.org\u2044x": "example.xn--orgx-2g7a",
	} {
		d := host.Describe(t, "WebFetch", fetch("http://"+written+"/"))
		got := ""
		if len(d.Targets) == 1 {
			got = strings.Trim(d.Targets[0].Value, "[]")
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", written, got, want)
		}
		if (want == "") != d.TargetsUnknown {
			t.Errorf("%q: targets unknown is %v", written, d.TargetsUnknown)
		}
		if want != "" && !host.Match(t, tool.Deny, want, "WebFetch", fetch("http://"+written+"/")) {
			t.Errorf("%q: a deny rule for %s does not hold", written, want)
		}
	}
}

func TestPrivate(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]bool{
		"localhost.": true, "LOCALHOST": true, "a.b.localhost": true, "localhost.localdomain": true, "ip6-localhost": true, "host.docker.internal": true,
		"metadata.google.internal.": true, "metadata.goog": true, "instance-data": true, "instance-data.ec2.internal": true, "100.100.100.200": true,
		"168.63.129.16": true, "169.254.170.2": true, "[fd00:ec2::254]": true, "169.254.0.1": true, "10.255.255.255": true, "172.31.0.1": true, "172.32.0.1": false,
		"192.168.0.1": true, "100.64.0.1": true, "100.128.0.1": false, "192.0.0.1": true, "198.18.0.1": true, "198.20.0.1": false, "224.0.0.1": true, "255.255.255.255": true,
		"0.0.0.0": true, "[::]": true, "[::1]": true, "[fe80::1]": true, "[fec0::1]": true, "[fc00::1]": true, "[ff02::1]": true, "[64:ff9b::7f00:1]": true,
		"[64:ff9b:1::1]": true, "[2002:7f00:1::]": true, "[2001:0:1::]": true, "[100::1]": true, "[::7f00:1]": true, "[::ffff:0:7f00:1]": true, "[5f00::1]": true,
		"[2606:4700::1111]": false, "[2001:db8::1]": false, "[2a00:1450::1]": false, "8.8.8.8": false, "203.0.113.9": false, "[::ffff:8.8.8.8]": false,
		"x.nip.io": true, "10.0.0.1.anything.example": true, "app-127-0-0-1.anything.example": true, "192-168-1-1.my.example": true, "1-2-3-4.my.example": false,
		"v10-0-0-1.docs.example": false, "1.2.3.4.example": false, "10.0.0.example": false, "router.lan": true, "x.svc": true, "a.svc.cluster.local": true,
		"%6c%6f%63%61lhost": true, "\uff4cocalhost": true, "loc\u00adalhost": true, "metadata.example.org": false, "local.example.org": false, "internal.example": false,
		"example.test": false,
	} {
		got := host.Check(t, "WebFetch", fetch("http://"+written+"/"))
		if (got.Behavior == tool.Ask && got.BypassImmune) != want || !want && got.Behavior != tool.Passthrough {
			t.Errorf("%s: got %+v, want private: %v", written, got, want)
		}
	}
}

func TestLookAlikes(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]bool{
		"g\u0456thub.com": true, "\u0430\u0440\u0440\u04cf\u0435.com": true, "xn--80ak6aa92e.com": true, "\u03b1pple.com": true, "github.com\u2044x.evil.example": true, "github.com\u2215x.evil.example": true,
		"github.com": false, "b\u00fccher.example": false, "\u65e5\u672cabc.example": false, "\u30ab\u30bf\u6f22\u5b57.example": false,
		"\u043f\u0440\u0438\u043c\u0435\u0440.example": false, "\ud55c\uad6d.example": false, "\u05d3\u05d5\u05d2.example": false,
	} {
		got := host.Check(t, "WebFetch", fetch("https://"+written+"/"))
		if (got.Behavior == tool.Ask) != want || got.BypassImmune {
			t.Errorf("%s: got %+v, want a plain ask: %v", written, got, want)
		}
	}
}

// TestOtherClients: the members for addresses in other agents' tools.
func TestOtherClients(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		tool, rule, input string
		asAllow, asDeny   bool
	}{
		{"web_fetch", "github.com", `{"prompt":"summarize https://github.com/a please"}`, true, true},
		{"web_fetch", "github.com", `{"prompt":"compare https://github.com/a and https://evil.example/"}`, false, true},
		{"web_fetch", "evil.example", `{"prompt":"compare https://github.com/a and https://evil.example/"}`, false, true},
		{"web_fetch", "github.com", `{"prompt":"read https://github.com/a, then evil.example"}`, false, true},
		{"web_fetch", "other.example", `{"prompt":"read <https://github.com/a>"}`, false, true},
		{"web_fetch", "github.com", `{"urls":["https://github.com/a","https://github.com/b"],"prompt":"x"}`, true, true},
		{"web_fetch", "github.com", `{"url":"https://github.com/a","urls":["https://evil.example/"]}`, false, true},
		{"fetch", "github.com", `{"url":"https://github.com/a","max_length":5000,"start_index":0,"raw":false}`, true, true},
		{"webfetch", "github.com", `{"url":"https://github.com/a","format":"markdown","timeout":10}`, true, true},
	} {
		for behavior, want := range map[tool.Behavior]bool{tool.Allow: tc.asAllow, tool.Deny: tc.asDeny} {
			if got := host.Match(t, behavior, tc.rule, tc.tool, tc.input); got != want {
				t.Errorf("%s(%s) on %s: got %v, want %v", behavior, tc.rule, tc.input, got, want)
			}
		}
	}
	d := host.Describe(t, "web_fetch", `{"prompt":"compare https://a.example/x and https://b.example/"}`)
	if want := []string{"tool:web_fetch:https://a.example/x", "tool:web_fetch:https://b.example/"}; !slices.Equal(d.Actions, want) {
		t.Errorf("actions: got %q, want %q", d.Actions, want)
	}
	for url, want := range map[string][]string{
		"https://a.example/x?y#z":         nil,
		"https://a.example":               nil,
		"HTTPS://A.Example.:443/x?Y":      {"tool:web_fetch:HTTPS://A.Example.:443/x?Y", "tool:web_fetch:https://a.example/x?Y"},
		"http://0x7f.1:8080":              {"tool:web_fetch:http://0x7f.1:8080", "tool:web_fetch:http://127.0.0.1:8080/"},
		"https://a.example/b/%2E%2e/c/./": {"tool:web_fetch:https://a.example/b/%2E%2e/c/./", "tool:web_fetch:https://a.example/c/"},
		"https://a.example/b/..?q":        {"tool:web_fetch:https://a.example/b/..?q", "tool:web_fetch:https://a.example/?q"},
	} {
		if got := host.Describe(t, "WebFetch", fetch(url)).Actions; !slices.Equal(got, want) {
			t.Errorf("%s: got the actions %q, want %q", url, got, want)
		}
	}
	// Without a pattern for one address, a prompt may hide another.
	if d := host.Describe(t, "web_fetch", `{"prompt":"https://a.example/x, then b.example"}`); strings.HasPrefix(d.Action, "tool:web_fetch:https:") || !d.TargetsUnknown {
		t.Errorf("got %+v", d)
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
		{`{"prompt":"read https://example.org/ for me"}`, tool.Passthrough, false},
		{`{"prompt":"read https://example.org/ and evil.example"}`, tool.Ask, true},
		{`{"prompt":"read (https://example.org/)"}`, tool.Ask, true},
		{`{"prompt":"read https://example.org/ and http://10.1/x"}`, tool.Ask, true},
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
		{"https://github.com:444/a", "github.com:444", "github.com"},
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
	for _, tc := range []struct {
		rule, input     string
		asAllow, asDeny bool
	}{
		{"github.com", `{"query":"x","allowed_domains":["github.com"]}`, false, false}, // a query, as every content without a prefix
		{"domain:github.com", `{"query":"x","allowed_domains":["github.com"]}`, true, true},
		{"domain:github.com", `{"query":"x","allowed_domains":["GitHub.com."]}`, false, true},
		{"domain:github.com", `{"query":"x","allowed_domains":["github.com/org"]}`, true, true},
		{"domain:github.com/org/*", `{"query":"x","allowed_domains":["github.com"]}`, false, true},
		{"domain:github.com", `{"query":"x","allowed_domains":["github.com","evil.example"]}`, false, true},
		{"domain:*.github.com", `{"query":"x","allowed_domains":["docs.github.com"]}`, true, true},
		{"domain:github.com", `{"query":"x","allowed_domains":["docs.github.com"]}`, false, false},
		{"domain:github.com", `{"query":"x","allowed_domains":"github.com"}`, false, true},
		{"domain:github.com", `{"query":"x","allowed_domains":["a b"]}`, false, true},
		{"domain:github.com", `{"query":"x","allowed_domains":[]}`, false, false},
		{"domain:github.com", `{"query":"x"}`, false, false},
	} {
		for behavior, want := range map[tool.Behavior]bool{tool.Allow: tc.asAllow, tool.Deny: tc.asDeny} {
			if got := host.Match(t, behavior, tc.rule, "WebSearch", tc.input); got != want {
				t.Errorf("%s(%s) on %s: got %v, want %v", behavior, tc.rule, tc.input, got, want)
			}
		}
	}
	if d := host.Describe(t, "WebSearch", `{"query":"x","allowed_domains":["github.com"]}`); len(d.Targets) != 1 || d.Targets[0].Value != "github.com" {
		t.Errorf("targets: got %+v, want the domain, so that WebFetch's deny rules hold", d.Targets)
	}
	if host.ReadOnly(t, "WebSearch", in) {
		t.Error("a search tells the query to a stranger: got read-only")
	}
	if got := host.Suggest(t, "WebSearch", in); len(got) != 2 || got[0] != "" || got[1] != "go maps" {
		t.Errorf("got %q, want the whole tool, then the query", got)
	}
}

// FuzzFetch checks that no URL makes a rule for one host allow another, as far as another
// parser knows, and that allow implies deny.
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
	u, err := url.Parse(withoutPath(fields["url"]))
	return err == nil && u.User == nil && strings.EqualFold(u.Hostname(), "github.com")
}
