package demo_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/toolkit/demo"
	"github.com/callgate/callgate/plugins"
	"github.com/callgate/callgate/testdata/deploy"
	"github.com/callgate/callgate/testdata/sessions"
)

// linked hands on the links that a demo prints.
type linked struct {
	screen
	links chan string
}

func (l *linked) Write(p []byte) (int, error) {
	if link := regexp.MustCompile(`http://\S+/enter\?key=\S+`).Find(p); link != nil {
		l.links <- string(link)
	}
	return l.screen.Write(p)
}

// again presses Enter once.
type again struct{ pressed chan struct{} }

func (a again) Line(ctx context.Context, _ string) (string, bool) {
	select {
	case _, ok := <-a.pressed:
		return "", ok
	case <-ctx.Done():
		return "", false
	}
}

func (a again) Key(context.Context, string, []string) (string, bool) { panic("no key is wanted") }

// TestInBrowser: each link opens the console on a week of calls with asks that wait, and the end of
// the context ends the demo without a trace.
func TestInBrowser(t *testing.T) {
	if len(plugins.Names()) == 0 {
		t.Skip("SKIPPED: the tool modules are not built: run make build")
	}
	t.Setenv("TMPDIR", t.TempDir())
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	out, enter := &linked{links: make(chan string, 2)}, again{make(chan struct{})}
	ended := make(chan error, 1)
	go func() {
		ended <- demo.Run(ctx, demo.Options{Sessions: sessions.Files, Own: deploy.WAT, Modules: modules(), CacheDir: cache, Out: out, InBrowser: true, Keyboard: enter})
	}()
	for i := range 2 {
		select {
		case link := <-out.links:
			visitConsole(t, link)
		case err := <-ended:
			t.Fatalf("it ended: %v\n%s", err, out.String())
		}
		if i == 0 {
			enter.pressed <- struct{}{}
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	inOrder(t, out.String(), "Replaying a week", `^1\d\d calls: \d+ allowed`, "^3 calls wait for your answer. Approvals want the PIN", "works once")
	if list, err := os.ReadDir(os.TempDir()); err != nil || len(list) > 0 {
		t.Errorf("left behind: %v, %v", list, err)
	}
}

// visitConsole opens a link, and looks at the pages behind it.
func visitConsole(t *testing.T, link string) {
	t.Helper()
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		_, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		return (&net.Dialer{}).DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port)) // as browsers resolve *.localhost
	}}}
	var cookies []*http.Cookie
	origin, _, _ := strings.Cut(link, "/enter")
	get := func(url string) string {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, cookie := range cookies {
			r.AddCookie(cookie)
		}
		resp, err := c.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %v\n%s", url, resp.StatusCode, err, body)
		}
		cookies = append(cookies, resp.Cookies()...)
		return string(body)
	}
	get(link)
	if n := strings.Count(get(origin+"/"), "<article "); n != 3 {
		t.Errorf("%d asks wait: want 3", n)
	}
	if days := strings.Count(get(origin+"/activity?show=ask_approved"), "<h2>"); days < 3 {
		t.Errorf("approvals on %d days: want some of the week", days)
	}
	for path, want := range map[string]string{"/rules": "src/**", "/tools": "deploy.wasm", "/agents": "demo"} {
		if page := get(origin + path); !strings.Contains(page, want) {
			t.Errorf("%s lacks %q", path, want)
		}
	}
}
