package push_test

import (
	"encoding/base64"
	"net/netip"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/approval/push"
)

// FuzzSubscription: a browser's words for a subscription never lead to another place than a public
// name's own port 443.
func FuzzSubscription(f *testing.F) {
	goodKey := base64.RawURLEncoding.EncodeToString(append([]byte{4}, make([]byte, 64)...))
	goodAuth := base64.RawURLEncoding.EncodeToString(make([]byte, 16))
	for _, endpoint := range []string{
		"https://push.example.com/x", "https://push.example.com:443/x", "http://push.example.com/x", "https://127.0.0.1/x", "https://[::1]/x",
		"https://a@push.example.com/", "https://push.example.com:8443/", "https://localhost/", "https://x.localhost/", "https:push.example.com", "https://0x7f.1/", "https://a.b./", "https://x.localhost./",
	} {
		f.Add(endpoint, goodKey, goodAuth)
	}
	f.Add("https://push.example.com/x", "BA", "AA")
	f.Fuzz(func(t *testing.T, endpoint, key, auth string) {
		host, err := push.Check(push.Subscription{Endpoint: endpoint, P256dh: key, Auth: auth})
		if err != nil {
			return
		}
		_, address := netip.ParseAddr(host)
		if address == nil || !strings.Contains(host, ".") || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".") || strings.ContainsAny(host, "@:/?#[] ") || !strings.HasPrefix(strings.ToLower(endpoint), "https://") {
			t.Errorf("%q was taken for the service %q", endpoint, host)
		}
	})
}
