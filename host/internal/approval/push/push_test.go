package push_test

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/push"
	"github.com/callgate/callgate/host/internal/store"
)

// browser is a subscribed browser: it can read its messages.
type browser struct {
	key  *ecdh.PrivateKey
	auth []byte
}

func newBrowser(t *testing.T) browser {
	t.Helper()
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	must(t, err)
	b := browser{key, make([]byte, 16)}
	_, _ = rand.Read(b.auth) // it never fails
	return b
}

func (b browser) subscription(endpoint string) push.Subscription {
	return push.Subscription{
		Endpoint: endpoint, P256dh: base64.RawURLEncoding.EncodeToString(b.key.PublicKey().Bytes()), Auth: base64.RawURLEncoding.EncodeToString(b.auth),
	}
}

// read decrypts a message of one record (RFC 8188 and 8291).
func (b browser) read(t *testing.T, body []byte) string {
	t.Helper()
	salt, size := body[:16], binary.BigEndian.Uint32(body[16:20])
	length := int(body[20])
	theirs, err := ecdh.P256().NewPublicKey(body[21 : 21+length])
	must(t, err)
	shared, err := b.key.ECDH(theirs)
	must(t, err)
	info := "WebPush: info\x00" + string(b.key.PublicKey().Bytes()) + string(theirs.Bytes())
	ikm, err := hkdf.Key(sha256.New, shared, b.auth, info, 32)
	must(t, err)
	cek, err := hkdf.Key(sha256.New, ikm, salt, "Content-Encoding: aes128gcm\x00", 16)
	must(t, err)
	nonce, err := hkdf.Key(sha256.New, ikm, salt, "Content-Encoding: nonce\x00", 12)
	must(t, err)
	block, err := aes.NewCipher(cek)
	must(t, err)
	gcm, err := cipher.NewGCM(block)
	must(t, err)
	text, err := gcm.Open(nil, nonce, body[21+length:], nil)
	must(t, err)
	if int(size) < len(text) {
		t.Errorf("a record of %d bytes in one of %d", len(text), size)
	}
	return strings.TrimRight(strings.TrimRight(string(text), "\x00"), "\x02")
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newKeeper(t *testing.T) (*push.Keeper, *store.Store) {
	t.Helper()
	s, err := store.Open(t.Context(), t.TempDir()+"/callgate.db", store.Options{})
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return push.New(s, nil), s
}

// got is a message at a push service.
type got struct {
	path   string
	header http.Header
	body   []byte
}

// service is a push service, and a client that reaches it under any name.
func service(t *testing.T, status int) (*http.Client, <-chan got) {
	t.Helper()
	all := make(chan got, 16)
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // a cut one cannot be decrypted
		w.WriteHeader(status)
		all <- got{r.URL.Path, r.Header, body}
	}))
	t.Cleanup(s.Close)
	c := s.Client()
	transport := c.Transport.(*http.Transport).Clone() //nolint:forcetypeassert // httptest's own
	transport.TLSClientConfig.ServerName = "example.com"
	transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, s.Listener.Addr().String())
	}
	return &http.Client{Transport: transport}, all
}

// TestSend: a device gets the ask's id and nothing of its call; a person who is no longer listed gets
// nothing, and a device that its service no longer knows is forgotten.
func TestSend(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusCreated, http.StatusGone} {
		k, s := newKeeper(t)
		ann, bob := newBrowser(t), newBrowser(t)
		_, err := k.Key(t.Context())
		must(t, err)
		_, err = k.Add(t.Context(), "ann", "phone", "ann", ann.subscription("https://push.example.com/ann"))
		must(t, err)
		_, err = k.Add(t.Context(), "bob", "phone", "bob", bob.subscription("https://push.example.com/bob"))
		must(t, err)
		client, messages := service(t, status)
		events, done := make(chan ask.Event, 4), make(chan struct{})
		go func() {
			push.NewSender(k, func(person string) bool { return person == "ann" }, client, slog.New(slog.DiscardHandler)).Run(context.Background(), events)
			close(done)
		}()
		a := ask.Ask{ID: "abc123", Tool: "Bash", Input: []byte(`{"command":"secret"}`), Deadline: time.Now().Add(time.Minute)}
		events <- ask.Event{Kind: ask.EventQueued, Ask: a}
		events <- ask.Event{Kind: ask.EventShown, Ask: a}
		close(events)
		<-done
		m := <-messages
		if text := ann.read(t, m.body); text != `{"ask":"abc123"}` {
			t.Errorf("the message is %q", text)
		}
		if h := m.header; m.path != "/ann" || h.Get("Urgency") != "high" || h.Get("Content-Encoding") != "aes128gcm" || !strings.HasPrefix(h.Get("Authorization"), "vapid t=") || len(h.Get("TTL")) != 2 {
			t.Errorf("to %s with %v", m.path, m.header)
		}
		if len(messages) > 0 {
			t.Errorf("a second message went to %s", (<-messages).path)
		}
		left, err := k.List(t.Context(), "ann")
		must(t, err)
		if gone := len(left) == 0; gone != (status == http.StatusGone) {
			t.Errorf("after status %d: %d devices", status, len(left))
		}
		report, err := s.VerifyAudit(t.Context())
		must(t, err)
		if want := int64(3); report.Rows < want || !report.OK() {
			t.Errorf("the audit: %+v, want %d rows or more", report, want)
		}
	}
}

// TestAlarm: an alarm reaches the listed people's devices, and says nothing else.
func TestAlarm(t *testing.T) {
	t.Parallel()
	k, _ := newKeeper(t)
	ann := newBrowser(t)
	_, err := k.Key(t.Context())
	must(t, err)
	for _, person := range []string{"ann", "bob"} {
		_, err = k.Add(t.Context(), person, "phone", person, ann.subscription("https://push.example.com/"+person))
		must(t, err)
	}
	client, messages := service(t, http.StatusCreated)
	push.NewSender(k, func(person string) bool { return person == "ann" }, client, slog.New(slog.DiscardHandler)).Alarm(t.Context())
	m := <-messages
	if text := ann.read(t, m.body); text != `{"alarm":true}` || m.path != "/ann" || len(messages) > 0 {
		t.Errorf("the message to %s is %q, and %d more", m.path, text, len(messages))
	}
}

// TestAdd_refused: an address that a browser's push service does not have is never kept.
func TestAdd_refused(t *testing.T) {
	t.Parallel()
	k, _ := newKeeper(t)
	good := newBrowser(t).subscription("https://push.example.com/x")
	for name, spoil := range map[string]func(s *push.Subscription){
		"no TLS":          func(s *push.Subscription) { s.Endpoint = "http://push.example.com/x" },
		"an address":      func(s *push.Subscription) { s.Endpoint = "https://192.0.2.1/x" },
		"an IPv6 address": func(s *push.Subscription) { s.Endpoint = "https://[::1]/x" },
		"this machine":    func(s *push.Subscription) { s.Endpoint = "https://localhost/x" },
		"a name of it":    func(s *push.Subscription) { s.Endpoint = "https://a.localhost/x" },
		"another port":    func(s *push.Subscription) { s.Endpoint = "https://push.example.com:8443/x" },
		"a password":      func(s *push.Subscription) { s.Endpoint = "https://a:b@push.example.com/x" },
		"a file":          func(s *push.Subscription) { s.Endpoint = "file:///etc/passwd" },
		"a long address":  func(s *push.Subscription) { s.Endpoint += strings.Repeat("x", 1000) },
		"a short key":     func(s *push.Subscription) { s.P256dh = s.P256dh[:20] },
		"a short secret":  func(s *push.Subscription) { s.Auth = "AAAA" },
		"no base64url":    func(s *push.Subscription) { s.Auth = "!" + s.Auth[1:] },
	} {
		s := good
		spoil(&s)
		if _, err := k.Add(t.Context(), "ann", "phone", "ann", s); !errors.Is(err, push.ErrBadSubscription) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for _, device := range []string{"", strings.Repeat("x", 61), "a\nb"} {
		if _, err := k.Add(t.Context(), "ann", device, "ann", good); !errors.Is(err, push.ErrBadSubscription) {
			t.Errorf("the name %q: got %v", device, err)
		}
	}
	for range 2 { // the same browser again is one device
		if _, err := k.Add(t.Context(), "ann", "phone", "ann", good); err != nil {
			t.Fatal(err)
		}
	}
	devices, err := k.List(t.Context(), "")
	must(t, err)
	if len(devices) != 1 || devices[0].Service != "push.example.com" {
		t.Errorf("devices: %+v", devices)
	}
	if _, err := k.Remove(t.Context(), devices[0].ID, "bob", "bob"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("another's device: got %v", err)
	}
	key, err := k.Key(t.Context())
	must(t, err)
	if again, err := k.Key(t.Context()); err != nil || again != key || key == "" {
		t.Errorf("the key changed: %q, %q, %v", key, again, err)
	}
}

// TestPublicOnly: a name that resolves to an address of this machine or network is not reached.
func TestPublicOnly(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"93.184.216.34:443": true, "[2606:2800:220:1::1]:443": true,
		"127.0.0.1:443": false, "10.0.0.1:443": false, "192.168.1.1:443": false, "169.254.169.254:443": false, "[::1]:443": false, "[fe80::1]:443": false,
		"[fd00::1]:443": false, "100.64.0.1:443": false, "0.0.0.0:443": false, "[::ffff:127.0.0.1]:443": false, "224.0.0.1:443": false, "93.184.216.34:22": false, "x": false,
	} {
		if err := push.PublicOnly(address); (err == nil) != want {
			t.Errorf("%s: got %v, want allowed %t", address, err, want)
		}
	}
}
