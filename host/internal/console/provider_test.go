package console_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/callgate/callgate/host/internal/testkit/world"
)

// provider is an OpenID Connect provider where everybody is signed in already. It checks the client's
// redirect, secret and PKCE, and gives each code once.
type provider struct {
	*httptest.Server
	key *ecdsa.PrivateKey

	mu sync.Mutex
	// subject signs in next; change may spoil the token's claims, and alg is its algorithm.
	subject string
	change  func(claims map[string]any)
	forged  bool
	codes   map[string]url.Values
}

const (
	providerClient = "callgate"
	providerSecret = "secret of the client"
)

func newProvider(t *testing.T) *provider {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	p := &provider{key: key, subject: "u-ann", codes: map[string]url.Values{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		p.write(w, map[string]any{"issuer": p.URL, "authorization_endpoint": p.URL + "/auth", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys", "id_token_signing_alg_values_supported": []string{"ES256"}})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		p.write(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "k", Algorithm: "ES256", Use: "sig"}}})
	})
	mux.HandleFunc("GET /auth", p.auth)
	mux.HandleFunc("POST /token", p.token)
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

func (p *provider) write(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the daemon has left
}

func (p *provider) auth(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	to, err := url.Parse(q.Get("redirect_uri"))
	if err != nil || q.Get("client_id") != providerClient || q.Get("code_challenge_method") != "S256" || q.Get("scope") != "openid" || q.Get("nonce") == "" {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	code := rand.Text()
	p.mu.Lock()
	p.codes[code] = q
	p.mu.Unlock()
	to.RawQuery = url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {p.URL}}.Encode()
	http.Redirect(w, r, to.String(), http.StatusFound)
}

func (p *provider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	asked, ok := p.codes[r.FormValue("code")]
	delete(p.codes, r.FormValue("code"))
	id, secret, _ := r.BasicAuth()
	if id == "" {
		id, secret = r.FormValue("client_id"), r.FormValue("client_secret")
	}
	secret, _ = url.QueryUnescape(secret)
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if !ok || id != providerClient || secret != providerSecret || base64.RawURLEncoding.EncodeToString(sum[:]) != asked.Get("code_challenge") {
		http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
		return
	}
	claims := map[string]any{"iss": p.URL, "aud": providerClient, "sub": p.subject, "nonce": asked.Get("nonce"), "exp": time.Now().Add(time.Hour).Unix(), "iat": time.Now().Unix(), "email": "ann@example.org"}
	if p.change != nil {
		p.change(claims)
	}
	key := p.key
	if p.forged {
		key, _ = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key, KeyID: "k"}}, nil)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	text, _ := json.Marshal(claims)
	signed, err := signer.Sign(text)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	token, _ := signed.CompactSerialize()
	p.write(w, map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": token})
}

// outside is a console for other machines, with its provider.
type outside struct {
	*place
	provider *provider
	roots    *x509.CertPool
	// spki is the SHA-256 of the certificate's key, in base64.
	spki string
	port string
}

const outsideOrigin = "https://gate.example.org:8443"

// newOutside serves a console for gate.example.org:8443 at a port of its own.
func newOutside(t *testing.T, settings string) *outside {
	t.Helper()
	p := newProvider(t)
	w := world.New(t, "")
	w.Port = true
	roots, spki := certificate(t, w.Root)
	must(t, os.WriteFile(filepath.Join(w.Root, "secret"), []byte(providerSecret+"\n"), 0o600))
	o := &outside{provider: p, roots: roots, spki: spki}
	o.place = &place{World: w, t: t}
	w.Configure(o.settings(settings))
	log := &logged{lines: make(chan string, 1024)}
	d, _ := w.Serve(slog.New(slog.NewTextHandler(log, nil)))
	o.daemon, o.address = d, d.Address().String()
	o.admin = w.Admin(o.address)
	for line := range log.lines {
		if m := regexp.MustCompile(`console answers" address=\S+:(\d+)`).FindStringSubmatch(line); m != nil {
			o.port = m[1]
			return o
		}
	}
	return nil
}

func (o *outside) settings(more string) string {
	at := func(name string) string { return filepath.Join(o.Root, name) }
	return "console: {listen: '127.0.0.1:0', origin: '" + outsideOrigin + "', tls: {cert_file: " + at("cert") + ", key_file: " + at("key") +
		"}, oidc: {issuer: '" + o.provider.URL + "', client_id: " + providerClient + ", client_secret_file: " + at("secret") + "}, passkeys: true}\n" + settings + more
}

// logged gives a log's lines, as far as they are wanted.
type logged struct{ lines chan string }

func (l *logged) Write(p []byte) (int, error) {
	select {
	case l.lines <- string(p):
	default:
	}
	return len(p), nil
}

// certificate makes one for the console's name in dir, and returns its root and the digest of its key.
func certificate(t *testing.T, dir string) (roots *x509.CertPool, spki string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	made := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"gate.example.org"}, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, made, made, key.Public(), key)
	must(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "cert"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "key"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600))
	roots = x509.NewCertPool()
	read, err := x509.ParseCertificate(der)
	must(t, err)
	roots.AddCert(read)
	sum := sha256.Sum256(read.RawSubjectPublicKeyInfo)
	return roots, base64.StdEncoding.EncodeToString(sum[:])
}

// browser is one of another machine.
func (o *outside) browser() *browser {
	o.t.Helper()
	b := &browser{t: o.t, origin: outsideOrigin}
	b.http = &http.Client{Jar: &named{}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	b.http.Transport = &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: o.roots, ServerName: "gate.example.org"},
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if !strings.HasPrefix(address, "127.0.0.1:") { // where the provider is
				address = net.JoinHostPort("127.0.0.1", o.port)
			}
			return (&net.Dialer{}).DialContext(ctx, network, address)
		},
	}
	o.t.Cleanup(b.http.CloseIdleConnections)
	return b
}

// named keeps cookies by name for the console, as a browser does.
type named struct {
	mu  sync.Mutex
	all map[string]*http.Cookie
}

func (j *named) SetCookies(u *url.URL, cookies []*http.Cookie) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.all == nil {
		j.all = map[string]*http.Cookie{}
	}
	for _, c := range cookies {
		if c.MaxAge < 0 || u.Host != "gate.example.org:8443" {
			delete(j.all, c.Name)
			continue
		}
		j.all[c.Name] = c
	}
}

func (j *named) Cookies(u *url.URL) (out []*http.Cookie) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, c := range j.all {
		if u.Host == "gate.example.org:8443" {
			out = append(out, c)
		}
	}
	return out
}

// begin goes to the provider, and returns where it leads back to.
func (o *outside) begin(b *browser) string {
	o.t.Helper()
	g := b.get("/signin")
	if g.status != http.StatusSeeOther {
		o.t.Fatalf("signin: %d\n%s", g.status, g.body)
	}
	at := g.header.Get("Location")
	r, err := http.NewRequestWithContext(o.t.Context(), http.MethodGet, at, nil)
	must(o.t, err)
	resp, err := b.http.Do(r)
	must(o.t, err)
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusFound {
		body, _ := io.ReadAll(resp.Body)
		o.t.Fatalf("the provider: %d %s", resp.StatusCode, body)
	}
	return resp.Header.Get("Location")
}

// done follows the provider's way back, as a browser's navigation.
func (b *browser) done(at string) got {
	b.t.Helper()
	return b.do(http.MethodGet, at, nil, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document")
}
