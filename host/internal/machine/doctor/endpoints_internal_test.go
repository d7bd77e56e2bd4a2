package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/machine/finding"
	"github.com/callgate/callgate/host/internal/testkit/webhooktest"
)

// TestEndpoints: a callback and a webhook are fine with a listener and a private secret, and
// otherwise an error, with a fix.
func TestEndpoints(t *testing.T) {
	t.Parallel()
	up, down := webhooktest.New(t, nil), webhooktest.New(t, nil)
	down.Close()
	open := filepath.Join(t.TempDir(), "open")
	if err := os.WriteFile(open, []byte(strings.Repeat("k", 32)), 0o644); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`
agents:
  a: {callback: {url: %q, secret_file: %q}}
  b: {callback: {url: %q, secret_file: %q}}
webhooks:
  - {url: "https://127.0.0.1:1/", secret_file: %q}
`, up.URL, up.SecretFile, down.URL, down.SecretFile, open)
	c, err := config.Parse("callgate.yaml", []byte(text), config.Dirs{Home: "/home/dev"})
	if err != nil {
		t.Fatal(err)
	}
	d := &examination{Options: Options{Config: c}}
	d.endpoints(context.Background())
	got := map[string]int{}
	for _, f := range d.findings {
		got[fmt.Sprintf("%s %s", f.Check, f.State)]++
		if f.State == finding.Error && f.Fix == "" {
			t.Errorf("%s has no fix", f.Check)
		}
	}
	for _, want := range []string{fmt.Sprintf("callback.reachable %s", finding.Passed), fmt.Sprintf("callback.reachable %s", finding.Error), fmt.Sprintf("webhook.secret %s", finding.Error)} {
		if got[want] != 1 {
			t.Errorf("got %v, want one %q", got, want)
		}
	}
	if n := len(up.Posts()); n != 0 {
		t.Errorf("got %d posts, want none", n)
	}
}
