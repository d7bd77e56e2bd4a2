package console_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/daemon"
	"github.com/callgate/callgate/host/internal/testkit/compiledtest"
	"github.com/callgate/callgate/host/internal/testkit/world"
	"github.com/callgate/callgate/host/wire"
	"github.com/callgate/callgate/plugins"
)

func TestMain(m *testing.M) {
	os.Exit(compiledtest.Tests{M: m, Modules: plugins.Modules()}.Run())
}

const settings = "asks: {per_session: 100, per_agent: 1000, timeout: 10m}\n"

// place is a running daemon with its clients.
type place struct {
	*world.World
	t       testing.TB
	daemon  *daemon.Daemon
	admin   *client.Client
	address string
	calls   atomic.Int64
}

func newPlace(t testing.TB) *place {
	t.Helper()
	return newPlaceWith(t, settings)
}

func newPlaceWith(t testing.TB, settings string) *place {
	t.Helper()
	w := world.New(t, settings)
	w.Port = true
	d, _ := w.Serve(nil)
	at := d.Address().String()
	return &place{World: w, t: t, daemon: d, admin: w.Admin(at), address: at}
}

// check has an agent's call checked; the result comes when it was answered.
func (p *place) check(session, tool string, input map[string]string) <-chan wire.Result {
	p.t.Helper()
	text, err := json.Marshal(input)
	must(p.t, err)
	out := make(chan wire.Result, 1)
	agent := p.Agent(p.address, "default")
	go func() {
		res, err := agent.Check(context.Background(), wire.Request{CallID: fmt.Sprint(p.calls.Add(1)), Tool: tool, Input: text, Context: wire.CallContext{Session: session, CWD: "/"}}, nil)
		if err != nil && p.t.Context().Err() == nil {
			p.t.Error(err)
		}
		out <- res
	}()
	return out
}

// client connects as the holder of a token.
func (p *place) client(token string) *client.Client {
	p.t.Helper()
	c, err := client.Dial(p.address, token)
	must(p.t, err)
	p.t.Cleanup(c.Close)
	return c
}

// browser is a client with cookies and a browser's headers.
type browser struct {
	t      testing.TB
	http   *http.Client
	origin string
}

// open opens a new link of a client's person.
func (p *place) open(c *client.Client, by string) *browser {
	p.t.Helper()
	link, err := c.Console(p.t.Context(), by)
	must(p.t, err)
	b := newBrowser(p.t, link.URL)
	if got := b.get(link.URL); got.status != http.StatusOK {
		p.t.Fatalf("the link: %d\n%s", got.status, got.body)
	}
	return b
}

func newBrowser(t testing.TB, link string) *browser {
	t.Helper()
	at, err := url.Parse(link)
	must(t, err)
	b := &browser{t: t, origin: "http://" + at.Host}
	b.http = &http.Client{Jar: &jar{}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	b.http.Transport = &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		_, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		return (&net.Dialer{}).DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port)) // as browsers resolve *.localhost
	}}
	t.Cleanup(b.http.CloseIdleConnections)
	return b
}

// jar keeps the one cookie.
type jar struct{ cookie *http.Cookie }

func (j *jar) SetCookies(_ *url.URL, cookies []*http.Cookie) { j.cookie = cookies[0] }
func (j *jar) Cookies(*url.URL) []*http.Cookie {
	if j.cookie == nil || j.cookie.MaxAge < 0 {
		return nil
	}
	return []*http.Cookie{j.cookie}
}

// got is an answer.
type got struct {
	status int
	header http.Header
	body   string
}

func (b *browser) do(method, path string, form url.Values, header ...string) got {
	b.t.Helper()
	if strings.HasPrefix(path, "/") {
		path = b.origin + path
	}
	r, err := http.NewRequestWithContext(b.t.Context(), method, path, strings.NewReader(form.Encode()))
	must(b.t, err)
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", b.origin)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	resp, err := b.http.Do(r)
	must(b.t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	must(b.t, err)
	return got{resp.StatusCode, resp.Header, string(body)}
}

func (b *browser) get(path string) got { b.t.Helper(); return b.do(http.MethodGet, path, nil) }

// page is a page that must be there.
func (b *browser) page(path string) string {
	b.t.Helper()
	g := b.get(path)
	if g.status != http.StatusOK {
		b.t.Fatalf("GET %s: %d\n%s", path, g.status, g.body)
	}
	return g.body
}

var (
	inCSRF     = regexp.MustCompile(`name="csrf" value="([^"]+)"`)
	inRead     = regexp.MustCompile(`name="read" value="([^"]+)"`)
	inID       = regexp.MustCompile(`id="ask-([^"]+)"`)
	inDigest   = regexp.MustCompile(`name="digest" value="([^"]*)"`)
	inReplaces = regexp.MustCompile(`name="replaces" value="([^"]*)"`)
)

func found(t testing.TB, in *regexp.Regexp, text string) string {
	t.Helper()
	m := in.FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("%s is not in\n%s", in, text)
	}
	return m[1]
}

// ask waits until an ask is on the page, and returns its id and the fields of its form.
func (b *browser) ask() (id string, form url.Values) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.origin+"/events", nil)
	must(b.t, err)
	resp, err := b.http.Do(r)
	must(b.t, err)
	defer resp.Body.Close()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if lines.Text() != "event: asks" {
			continue
		}
		if page := b.page("/"); inID.MatchString(page) {
			return found(b.t, inID, page), url.Values{"csrf": {found(b.t, inCSRF, page)}, "read": {found(b.t, inRead, page)}}
		}
	}
	b.t.Fatal("the stream ended before an ask came")
	return "", nil
}

// with is a form with more fields.
func with(form url.Values, pairs ...string) url.Values {
	out := url.Values{}
	for name, values := range form {
		out[name] = values
	}
	for i := 0; i < len(pairs); i += 2 {
		out.Set(pairs[i], pairs[i+1])
	}
	return out
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
