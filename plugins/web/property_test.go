package web_test

import (
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
