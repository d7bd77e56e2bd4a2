package web_test

import (
	"fmt"
	"net/url"
	"path"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/sdk/go/tool"
)

var hostName = rapid.StringMatching(`[a-z][a-z0-9-]{0,6}[a-z0-9](\.[a-z][a-z0-9]{0,6}){1,3}`).Filter(func(s string) bool {
	return !strings.Contains(s, "--") // "xn--" and its like are no plain names
})

func TestHostRules(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		name := hostName.Draw(rt, "host")
		other := hostName.Draw(rt, "other")
		url := "https://" + name + rapid.SampledFrom([]string{"", "/", "/a?b=c#d", ":443/x"}).Draw(rt, "rest")
		for _, content := range host.Suggest(t, "WebFetch", fetch(url)) {
			if !host.Match(t, tool.Allow, content, "WebFetch", fetch(url)) {
				rt.Fatalf("the suggestion %q does not match %q", content, url)
			}
		}
		odd := "HTTPS://" + strings.ToUpper(name) + rapid.SampledFrom([]string{"", ".", ":8080"}).Draw(rt, "tail") + "/"
		if !host.Match(t, tool.Deny, name, "WebFetch", fetch(odd)) {
			rt.Fatalf("a deny rule for %q misses %q", name, odd)
		}
		if other != name && host.Match(t, tool.Allow, other, "WebFetch", fetch(url)) {
			rt.Fatalf("a rule for %q allows %q", other, url)
		}
		if got, want := host.Match(t, tool.Allow, "*."+other, "WebFetch", fetch(url)), strings.HasSuffix(name, "."+other); got != want {
			rt.Fatalf("*.%s on %q: got %v, want %v", other, url, got, want)
		}
	})
}

// respelt writes a text as a browser or a server may read it the same.
func respelt(rt *rapid.T, text string, how ...func(*rapid.T, rune) string) string {
	var out strings.Builder
	for _, r := range text {
		i := rapid.IntRange(0, 3*len(how)).Draw(rt, "how")
		if i < len(how) {
			out.WriteString(how[i](rt, r))
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

func upper(_ *rapid.T, r rune) string { return strings.ToUpper(string(r)) }

func escaped(rt *rapid.T, r rune) string {
	return fmt.Sprintf(rapid.SampledFrom([]string{"%%%02x", "%%%02X"}).Draw(rt, "hex"), r)
}

func twiceEscaped(_ *rapid.T, r rune) string { return fmt.Sprintf("%%25%02x", r) }

func fullWidth(_ *rapid.T, r rune) string { return string(r - 0x20 + 0xff00) }

func withNothing(rt *rapid.T, r rune) string {
	return string(r) + rapid.SampledFrom([]string{"\u00ad", "\u200b", "\u2060", "\ufe0f"}).Draw(rt, "nothing")
}

// TestSpellingsOfHosts: every deny rule for a host holds for a browser's reading of it, and no
// allow rule does outside the canonical spelling.
func TestSpellingsOfHosts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		name := hostName.Draw(rt, "host")
		odd := respelt(rt, name, upper, escaped, fullWidth, withNothing)
		url := rapid.SampledFrom([]string{"https://", "HTTP://", "https://u@", "https:/", "https:\\\\"}).Draw(rt, "scheme") + odd +
			rapid.SampledFrom([]string{"", ".", ":8443", ":0443", ".:80"}).Draw(rt, "tail") + rapid.SampledFrom([]string{"", "/", "?q", "#f", "/a/b"}).Draw(rt, "rest")
		for _, rule := range []string{name, strings.ToUpper(name), "domain:" + name, name + ".", "*." + name[strings.Index(name, ".")+1:]} {
			if !host.Match(t, tool.Deny, rule, "WebFetch", fetch(url)) {
				rt.Fatalf("a deny rule for %q misses %q", rule, url)
			}
		}
		if !strings.EqualFold(odd, name) && host.Match(t, tool.Allow, name, "WebFetch", fetch(url)) {
			rt.Fatalf("a rule for %q allows %q", name, url)
		}
	})
}

// TestSpellingsOfAddresses does so for IPv4 addresses.
func TestSpellingsOfAddresses(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		value := rapid.Uint32().Draw(rt, "address")
		octet := func(i int) uint32 { return value >> (8 * (3 - i)) & 0xff }
		number := func(n uint32) string {
			return fmt.Sprintf(rapid.SampledFrom([]string{"%d", "0x%x", "0X%X", "0%o", "000%o", "0x00%x"}).Draw(rt, "base"), n)
		}
		plain := fmt.Sprintf("%d.%d.%d.%d", octet(0), octet(1), octet(2), octet(3))
		odd := rapid.SampledFrom([]string{
			number(value), number(octet(0)) + "." + number(value&0xffffff), number(octet(0)) + "." + number(octet(1)) + "." + number(value&0xffff),
			number(octet(0)) + "." + number(octet(1)) + "." + number(octet(2)) + "." + number(octet(3)),
			fmt.Sprintf("[::ffff:%s]", plain), fmt.Sprintf("[::ffff:%x:%x]", value>>16, value&0xffff), fmt.Sprintf("[0:0:0:0:0:FFFF:%s]", plain),
		}).Draw(rt, "spelling")
		url := "http://" + odd + rapid.SampledFrom([]string{"", ":8080", "/x"}).Draw(rt, "rest")
		if !host.Match(t, tool.Deny, plain, "WebFetch", fetch(url)) {
			rt.Fatalf("a deny rule for %s misses %s", plain, url)
		}
		same := host.Check(t, "WebFetch", fetch("http://"+plain+"/")).BypassImmune
		if got := host.Check(t, "WebFetch", fetch(url)).BypassImmune; got != same {
			rt.Fatalf("%s is private: %v, but %s: %v", plain, same, url, got)
		}
	})
}

var segment = rapid.StringMatching(`[a-z][a-z0-9_.~-]{0,5}`)

// TestSpellingsOfPaths: a path a server may read as below the rule's is denied, and an allowed
// one is below it for every server.
func TestSpellingsOfPaths(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		base := rapid.SliceOfN(segment, 1, 3).Draw(rt, "base")
		rule := "example.org/" + strings.Join(base, "/") + rapid.SampledFrom([]string{"", "/", "/*"}).Draw(rt, "end")
		var odd strings.Builder
		for _, s := range base {
			odd.WriteString(rapid.SampledFrom([]string{"/", "/", "//", "/./", "/x/../", "/%2e/", "/x/%2E%2e/", "%2f", "%5c", "/x%2f../", "/;a/"}).Draw(rt, "slash"))
			odd.WriteString(respelt(rt, s, upper, escaped, twiceEscaped))
			odd.WriteString(rapid.SampledFrom([]string{"", "", ";v=1"}).Draw(rt, "parameter"))
		}
		url := "https://example.org/" + odd.String() + rapid.SampledFrom([]string{"/", "/x", "/x?y", "//x"}).Draw(rt, "rest")
		if !host.Match(t, tool.Deny, rule, "WebFetch", fetch(url)) {
			rt.Fatalf("a deny rule for %q misses %q", rule, url)
		}
		leaving := "https://example.org/" + strings.Join(base, "/") + "/" + rapid.SampledFrom([]string{"..", "%2e%2e", ".%2e", "..%2f", "%252e%252e", "..;", "a/../..", "..%5c", "%2e%2e%2f"}).Draw(rt, "out") + "/y"
		if host.Match(t, tool.Allow, rule, "WebFetch", fetch(leaving)) {
			rt.Fatalf("a rule for %q allows %q", rule, leaving)
		}
	})
}

// FuzzRule checks that a rule denies everything it allows, and that an allowed URL is below the
// rule's host and path for another parser, too.
func FuzzRule(f *testing.F) {
	for _, rule := range []string{"github.com", "*.npmjs.com", "github.com/org/*", "domain:docs.python.org/3", "localhost:3000", "[::1]:80/x", "b\u00fccher.example", "*.*.com", "a/../b"} {
		for _, url := range []string{"https://github.com/org/x", "https://a.npmjs.com", "http://localhost:3000", "http://[::1]/x/y", "https://docs.python.org/3/../2", "https://xn--bcher-kva.example"} {
			f.Add(rule, url)
		}
	}
	f.Fuzz(func(t *testing.T, rule, address string) {
		if strings.ToValidUTF8(rule, "") != rule || strings.ToValidUTF8(address, "") != address {
			t.Skip()
		}
		in := fetch(address)
		if !host.Match(t, tool.Allow, rule, "WebFetch", in) {
			return
		}
		if !host.Match(t, tool.Deny, rule, "WebFetch", in) {
			t.Errorf("%q is allowed by %q, which does not deny it", address, rule)
		}
		if u, err := url.Parse(withoutPath(address)); err != nil || u.User != nil || u.Host == "" {
			t.Fatalf("%q is allowed by %q, but net/url reads no plain host: %v", address, rule, err)
		}
		if _, p, ok := strings.Cut(strings.TrimPrefix(rule, "domain:"), "/"); ok {
			p = strings.TrimRight(p, "*/")
			want, err := url.PathUnescape(p)
			u, parseErr := url.Parse(address)
			if p == "" {
				return // the whole host
			}
			if parseErr != nil {
				t.Fatalf("%q is allowed by %q, but net/url reads no address: %v", address, rule, parseErr)
			}
			if clean := path.Clean("/" + u.Path); err != nil || clean != "/"+want && !strings.HasPrefix(clean, "/"+want+"/") {
				t.Errorf("%q is allowed by %q: its path is %q", address, rule, clean)
			}
		}
	})
}

// withoutPath cuts off the part behind the authority: net/url refuses escapes there that
// browsers leave alone.
func withoutPath(address string) string {
	scheme, rest, _ := strings.Cut(address, "://")
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	return scheme + "://" + rest
}
