package daemon_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// example are the settings of docs/gateway/envoy.yaml that say how Envoy asks.
type example struct {
	FailureModeAllow bool `yaml:"failure_mode_allow"`
	WithRequestBody  struct {
		MaxRequestBytes     int64 `yaml:"max_request_bytes"`
		AllowPartialMessage bool  `yaml:"allow_partial_message"`
	} `yaml:"with_request_body"`
	HTTPService struct {
		PathPrefix           string `yaml:"path_prefix"`
		AuthorizationRequest struct {
			HeadersToAdd []struct{ Key, Value string } `yaml:"headers_to_add"`
		} `yaml:"authorization_request"`
	} `yaml:"http_service"`
}

func readExample(t *testing.T) (e example) {
	t.Helper()
	data, err := os.ReadFile(repo.File("docs/gateway/envoy.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	place, err := yaml.PathString("$.static_resources.listeners[0].filter_chains[0].filters[0].typed_config.http_filters[0].typed_config")
	if err == nil {
		err = place.Read(bytes.NewReader(data), &e)
	}
	if err != nil {
		t.Fatal(err)
	}
	if e.FailureModeAllow || e.WithRequestBody.AllowPartialMessage || e.WithRequestBody.MaxRequestBytes == 0 || len(e.HTTPService.AuthorizationRequest.HeadersToAdd) != 1 {
		t.Fatalf("docs/gateway/envoy.yaml does not fail closed: %+v", e)
	}
	return e
}

// gateway asks at authz as Envoy does with the example's settings, and forwards to server what may
// pass.
func (e example) gateway(authz, token string, server *url.URL) http.Handler {
	forward := httputil.NewSingleHostReverseProxy(server)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, e.WithRequestBody.MaxRequestBytes+1))
		if err != nil || int64(len(body)) > e.WithRequestBody.MaxRequestBytes {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		ask, err := http.NewRequestWithContext(r.Context(), r.Method, authz+e.HTTPService.PathPrefix+r.URL.RequestURI(), bytes.NewReader(body))
		if err != nil {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		ask.Host = r.Host
		for _, h := range e.HTTPService.AuthorizationRequest.HeadersToAdd {
			ask.Header.Set(h.Key, strings.Replace(h.Value, "CHECK_TOKEN", token, 1))
		}
		answer, err := http.DefaultClient.Do(ask)
		if err != nil {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		defer answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			w.WriteHeader(answer.StatusCode)
			_, _ = io.Copy(w, answer.Body)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		forward.ServeHTTP(w, r)
	})
}

// TestGateway runs the example of docs/gateway.md: a gateway with the settings of the file, a
// daemon, and an MCP server that counts what reaches it.
func TestGateway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `
gateway: {listen: 127.0.0.1:0}
agents: {builder: {mode: dont_ask}}
rules:
  - {tool: mcp__files__read_file, behavior: allow}
  - {tool: mcp__files__remove, behavior: deny}
`)
	log := newLines()
	_, stop := w.Serve(log.logger())
	at := "http://" + regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(log.await(t, "serving gateways"))[1]
	token, err := tokenfile.Read(tokenfile.Check(w.Dirs.State, "builder"))
	if err != nil {
		t.Fatal(err)
	}
	var reached atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer server.Close()
	to, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	e := readExample(t)
	good, bad := e.gateway(at, token, to), e.gateway(at, "cg_check_unknown", to)
	call := func(tool string) string {
		return `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"` + tool + `","arguments":{"path":"a"}}}`
	}
	try := func(name string, g http.Handler, method, body string, status int, text string) {
		t.Helper()
		before := reached.Load()
		r := httptest.NewRequest(method, "http://tools.example/mcp", strings.NewReader(body)).WithContext(t.Context())
		out := httptest.NewRecorder()
		g.ServeHTTP(out, r)
		if passed := reached.Load() > before; out.Code != status || passed != (status == http.StatusOK) || !strings.Contains(out.Body.String(), text) {
			t.Errorf("%s: got %d %s, reached the server: %t; want %d with %q", name, out.Code, out.Body, passed, status, text)
		}
	}
	try("initialize", good, "POST", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, 200, "")
	try("allowed", good, "POST", call("read_file"), 200, "")
	try("denied", good, "POST", call("remove"), 403, `"id":7`)
	try("nothing says so", good, "POST", call("write_file"), 403, `"error"`)
	try("two parsers", good, "POST", strings.Replace(call("remove"), `"method"`, `"Method":"ping","method"`, 1), 400, `"error"`)
	try("unknown method", good, "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/run"}`, 400, "does not know this method")
	try("stream", good, "GET", "", 200, "")
	try("GET with a body", good, "GET", call("read_file"), 400, "")
	try("end", good, "DELETE", "", 200, "")
	try("other method", good, "PATCH", call("read_file"), 405, "")
	try("garbage", good, "POST", "read_file", 400, "")
	try("unknown token", bad, "POST", call("read_file"), 401, "invalid token")
	admin, err := tokenfile.Read(tokenfile.Admin(w.Dirs.State))
	if err != nil {
		t.Fatal(err)
	}
	try("an admin's token", e.gateway(at, admin, to), "POST", call("read_file"), 403, "check token of one agent")
	elsewhere := e
	elsewhere.HTTPService.PathPrefix = "/v1/check"
	try("another path", elsewhere.gateway(at, token, to), "POST", call("read_file"), 404, "")
	elsewhere.HTTPService.PathPrefix = "/mcp/a__b"
	try("a name that could be another server's tool", elsewhere.gateway(at, token, to), "POST", call("read_file"), 400, "MCP server")
	stop()
	try("no daemon", good, "POST", call("read_file"), 403, "")
}
