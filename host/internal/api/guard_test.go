package api_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/client/protocol/view"
	"github.com/callgate/callgate/host/internal/store"
)

// T13: DNS rebinding, CSRF, and a check token reading others' asks.

// forCalls are the operations of a check token.
var forCalls = []string{"/v1/check", "/v1/evaluate", "/v1/offer", "/v1/calls/finished", "/v1/mcp/tools"}

// forChats are the further operations of an integrator's token: a widening takes the roles of
// the named person.
var forChats = []string{"/v1/command", "/v1/sessions/{id}/lists"}

// TestT13_tokenByOperation tries every operation of the document with every kind of token, with
// none, and with dead ones.
func TestT13_tokenByOperation(t *testing.T) {
	t.Parallel()
	d, w := openDocument(t), newWorld(t, nil)
	dead := w.deadSecrets()
	for path, ops := range d.Paths {
		for method, op := range ops {
			at := rawRequest{method: strings.ToUpper(method), path: strings.NewReplacer("{id}", "x", "{name}", "x", "{file}", "x.wasm").Replace(path), body: "{}"}
			if op.Security == nil {
				t.Fatalf("%s %s: the document does not say who may use it", method, path)
			}
			for state, secret := range dead {
				at.secret = secret
				got := w.begun(t, at)
				want := http.StatusUnauthorized
				if len(op.Security) == 0 {
					want = http.StatusOK
				}
				if got.status != want {
					t.Errorf("%s %s with a token that is %s: got %d, want %d: %s", method, path, state, got.status, want, got.body)
				}
			}
			at.secret = ""
			for token, kind := range map[string]string{"default": "check", "ci": "check", "approver": "approver", "integrator": "integrator", "admin": "admin"} {
				at.token = token
				w.tryKind(t, d, path, op, at, kind)
			}
		}
	}
}

// deadSecrets are secrets of no token in force.
func (w *world) deadSecrets() map[string]string {
	w.t.Helper()
	out := map[string]string{"missing": "", "garbage": "Bearer cg_admin_" + strings.Repeat("A", 43)}
	for state, n := range map[string]view.NewToken{
		"revoked": {Kind: store.TokenAdmin, Name: "revoked"},
		"expired": {Kind: store.TokenAdmin, Name: "expired", ExpiresAt: time.Now().Add(time.Hour)},
	} {
		made, err := w.tokens.Create(w.t.Context(), n, "test")
		must(w.t, err)
		out[state] = "Bearer " + made.Secret
	}
	_, err := w.tokens.Revoke(w.t.Context(), "revoked", "test")
	must(w.t, err)
	w.ahead.Store(int64(2 * time.Hour))
	return out
}

// tryKind checks one operation against the document for one kind of token, and the document
// against forCalls and forChats.
func (w *world) tryKind(t *testing.T, d *document, path string, op operation, at rawRequest, kind string) {
	t.Helper()
	opened := len(op.Security) == 0 || slices.ContainsFunc(op.Security, func(s map[string][]string) bool { _, ok := s[kind]; return ok })
	public := slices.Contains([]string{"/v1/health", "/v1/openapi.json", "/livez", "/readyz"}, path)
	calls := slices.Contains(forCalls, path)
	designed := map[string]bool{
		"admin": true, "check": calls || public, "integrator": calls || public || slices.Contains(forChats, path),
		"approver": public || path == "/v1/evaluate" || path == "/v1/offer" || !calls && !strings.HasPrefix(path, "/v1/tokens") && path != "/v1/presence/reset" && !grantsModules(at.method, path),
	}[kind]
	if opened != designed {
		t.Errorf("%s %s: the document opens it to %s: %t, the design %t", at.method, path, kind, opened, designed)
	}
	got := w.begun(t, at)
	refused := got.status == http.StatusUnauthorized || got.status == http.StatusForbidden && strings.Contains(got.body, `"code":"forbidden"`)
	if refused == opened {
		t.Errorf("%s %s with %s: got %d, want it opened: %t: %s", at.method, path, kind, got.status, opened, got.body)
	}
	if !opened {
		wantsDeny(t, got)
		d.answer(t, at.method, path, got)
		if want := "yours is of kind " + kind; !strings.Contains(got.body, want) || !strings.Contains(got.body, "needs a token of kind ") {
			t.Errorf("%s %s: the refusal does not name the kinds: %s", at.method, path, got.body)
		}
	}
}

// grantsModules reports the operations granting something to a tool module.
func grantsModules(method, path string) bool {
	return strings.HasPrefix(path, "/v1/modules/{file}") && method != http.MethodDelete
}

// begun sends and reads the answer, of an endless stream its head alone.
func (w *world) begun(t *testing.T, r rawRequest) rawAnswer {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if r.path != "/v1/events" {
		return w.mustRaw(t, r)
	}
	r.ended = func(head rawAnswer) bool {
		if head.status == http.StatusOK {
			cancel()
			return true
		}
		return false
	}
	got, err := w.raw(ctx, r)
	must(t, err)
	return got
}

// wantsDeny checks the safety of a client looking only at the decision.
func wantsDeny(t testing.TB, got rawAnswer) {
	t.Helper()
	var body struct {
		Decision struct{ Behavior string }
	}
	if err := json.Unmarshal([]byte(got.body), &body); err != nil || body.Decision.Behavior != "deny" {
		t.Errorf("decision.behavior: got %q (%v) in %s", body.Decision.Behavior, err, got.body)
	}
}

func TestT13_checkTokenSpeaksForItsAgentOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, path := range []string{"/v1/check", "/v1/evaluate"} {
		body := `{"tool":"Bash","input":{"command":"ls"},"context":{"agent":"long"}}`
		got := w.mustRaw(t, rawRequest{method: "POST", path: path, token: "ci", body: body})
		if got.status != http.StatusForbidden {
			t.Errorf("%s: got %d, want 403: %s", path, got.status, got.body)
		}
		wantsDeny(t, got)
		if got = w.mustRaw(t, rawRequest{method: "POST", path: path, token: "long", body: body}); got.status != http.StatusOK {
			t.Errorf("%s for its own agent: got %d, want 200: %s", path, got.status, got.body)
		}
	}
}

func TestT13_browsersAndForeignNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	_, port, err := net.SplitHostPort(w.port)
	must(t, err)
	page := func(header, value string) rawRequest { return rawRequest{header: map[string]string{header: value}} }
	for name, tc := range map[string]struct {
		r    rawRequest
		want int
	}{
		"loopback":                   {rawRequest{}, 200},
		"localhost":                  {rawRequest{host: "LocalHost:" + port}, 200},
		"ipv6 loopback":              {rawRequest{host: "[::1]:" + port}, 200},
		"rebound name":               {rawRequest{host: "evil.example:" + port}, 403},
		"name that begins well":      {rawRequest{host: "127.0.0.1.evil.example"}, 403},
		"localhost below a name":     {rawRequest{host: "localhost.evil.example"}, 403},
		"other address":              {rawRequest{host: "192.168.1.5:" + port}, 403},
		"any address":                {rawRequest{host: "0.0.0.0:" + port}, 403},
		"socket's name over a port":  {rawRequest{host: "callgate"}, 403},
		"web page":                   {page("Origin", "https://evil.example"), 403},
		"null origin":                {page("Origin", "null"), 403},
		"own origin":                 {page("Origin", "http://127.0.0.1:"+port), 403},
		"image of a web page":        {page("Sec-Fetch-Site", "cross-site"), 403},
		"form":                       {rawRequest{contentType: "application/x-www-form-urlencoded"}, 415},
		"text of a form":             {rawRequest{contentType: "text/plain"}, 415},
		"no content type":            {rawRequest{contentType: "-"}, 415},
		"json with a charset":        {rawRequest{contentType: "application/json; charset=utf-8"}, 200},
		"compressed":                 {page("Content-Encoding", "gzip"), 415},
		"basic authorization":        {rawRequest{secret: "Basic YWRtaW46YWRtaW4="}, 401},
		"unknown token":              {rawRequest{secret: "Bearer cg_admin_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}, 401},
		"empty token":                {rawRequest{secret: "Bearer "}, 401},
		"token with something after": {rawRequest{secret: "Bearer " + w.token("admin") + "x"}, 401},
		"token in another case":      {rawRequest{secret: "Bearer " + strings.ToUpper(w.token("admin"))}, 401},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := tc.r
			r.method, r.path, r.token, r.body = "POST", "/v1/check", "ci", `{"tool":"Bash","input":{"command":"ls"}}`
			got := w.mustRaw(t, r)
			if got.status != tc.want {
				t.Errorf("got %d, want %d: %s", got.status, tc.want, got.body)
			}
			if tc.want != 200 {
				wantsDeny(t, got)
			}
			for header := range got.header {
				if strings.HasPrefix(header, "Access-Control-") {
					t.Errorf("header %s: want none", header)
				}
			}
		})
	}
}

func TestT13_methods(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, method := range []string{"OPTIONS", "PUT", "PATCH", "TRACE", "HEAD"} {
		if got := w.mustRaw(t, rawRequest{method: method, path: "/v1/check", token: "admin"}); got.status != http.StatusMethodNotAllowed {
			t.Errorf("%s: got %d, want 405", method, got.status)
		}
	}
	for _, path := range []string{"/", "/v1", "/v1/check/", "/v1/checks", "/v2/check"} {
		got := w.mustRaw(t, rawRequest{method: "POST", path: path, token: "admin", body: "{}"})
		if got.status != http.StatusNotFound {
			t.Errorf("%s: got %d, want 404", path, got.status)
		}
		wantsDeny(t, got)
	}
}

// TestT13_hugeHeader is answered without being kept.
func TestT13_hugeHeader(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	conn, err := net.Dial("tcp", w.port)
	must(t, err)
	defer func() { _ = conn.Close() }()
	go func() {
		_, _ = io.WriteString(conn, "GET /v1/health HTTP/1.1\r\nHost: localhost\r\nX: "+strings.Repeat("a", 1<<20)+"\r\n\r\n")
	}()
	answer := make([]byte, 12)
	if _, err := io.ReadFull(conn, answer); err != nil || string(answer) != "HTTP/1.1 431" {
		t.Errorf("got %q, %v, want 431", answer, err)
	}
}

func TestHealth_tellsByTokenKind(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for token, want := range map[string][]bool{"": {false, false}, "ci": {true, false}, "admin": {true, true}} {
		got := w.mustRaw(t, rawRequest{method: "GET", path: "/v1/health", token: token})
		if version, detail := strings.Contains(got.body, `"version"`), strings.Contains(got.body, `"started_at"`); version != want[0] || detail != want[1] {
			t.Errorf("token %q: version %t, detail %t, want %v: %s", token, version, detail, want, got.body)
		}
	}
}

// badInputs are bodies no gate must allow.
var badInputs = map[string]struct {
	body   string
	status int
	code   string
	field  string
}{
	"empty":                     {"", 400, "invalid_json", ""},
	"not JSON":                  {"tool=Bash", 400, "invalid_json", ""},
	"a list":                    {`[{"tool":"Bash","input":{}}]`, 400, "invalid_json", ""},
	"null":                      {"null", 400, "invalid_json", ""},
	"cut off":                   {`{"tool":"Bash","input":{"command":"ls"}`, 400, "invalid_json", ""},
	"two documents":             {`{"tool":"Bash","input":{"command":"ls"}} {}`, 400, "invalid_json", ""},
	"a name twice":              {`{"tool":"Read","tool":"Bash","input":{"command":"ls"}}`, 400, "invalid_json", "tool"},
	"a name twice in context":   {`{"tool":"Bash","input":{},"context":{"mode":"plan","mode":"bypass"}}`, 400, "invalid_json", "context.mode"},
	"a name twice in the input": {`{"tool":"Bash","input":{"command":"ls","command":"rm"}}`, 400, "invalid_json", "input.command"},
	"unknown member":            {`{"tool":"Bash","input":{},"approved":true}`, 400, "unknown_field", "approved"},
	"unknown member of context": {`{"tool":"Bash","input":{},"context":{"root":true}}`, 400, "unknown_field", "context.root"},
	"name in another case":      {`{"Tool":"Bash","input":{}}`, 400, "unknown_field", "Tool"},
	"tool is a number":          {`{"tool":7,"input":{}}`, 400, "bad_request", "tool"},
	"resumed is text":           {`{"tool":"Bash","input":{},"context":{"resumed":"yes"}}`, 400, "bad_request", "context.resumed"},
	"directories are text":      {`{"tool":"Bash","input":{},"context":{"working_directories":"/"}}`, 400, "bad_request", "context.working_directories"},
	"context is a list":         {`{"tool":"Bash","input":{},"context":[]}`, 400, "bad_request", "context"},
	"no tool":                   {`{"input":{}}`, 400, "bad_request", "tool"},
	"empty tool":                {`{"tool":"","input":{}}`, 400, "bad_request", "tool"},
	"no input":                  {`{"tool":"Bash"}`, 400, "bad_request", "input"},
	"input is null":             {`{"tool":"Bash","input":null}`, 400, "bad_request", "input"},
	"input is text":             {`{"tool":"Bash","input":"ls"}`, 400, "bad_request", "input"},
	"input is a list":           {`{"tool":"Bash","input":[]}`, 400, "bad_request", "input"},
	"unknown mode":              {`{"tool":"Bash","input":{},"context":{"mode":"yolo"}}`, 400, "bad_request", "context.mode"},
	"mode auto":                 {`{"tool":"Bash","input":{},"context":{"mode":"auto"}}`, 400, "auto_reserved", "context.mode"},
	"unknown kind":              {`{"tool":"Bash","input":{},"context":{"kind":"daemon"}}`, 400, "bad_request", "context.kind"},
	"relative cwd":              {`{"tool":"Bash","input":{},"context":{"cwd":"src"}}`, 400, "bad_request", "context.cwd"},
	"invalid UTF-8":             {"{\"tool\":\"Bash\",\"input\":{\"command\":\"ls \xff\"}}", 400, "invalid_json", "input.command"},
	"lone surrogate":            {`{"tool":"Bash","input":{"command":"\ud800"}}`, 400, "invalid_json", "input.command"},
	"deep":                      {`{"tool":"Bash","input":` + strings.Repeat(`{"a":`, 20000) + `1` + strings.Repeat(`}`, 20000) + `}`, 400, "invalid_json", ""},
	"too large":                 {`{"tool":"Bash","input":{"command":"` + strings.Repeat("a", 16<<20) + `"}}`, 413, "too_large", ""},
}

func TestCheck_badInput(t *testing.T) {
	t.Parallel()
	d, w := openDocument(t), newWorld(t, nil)
	for name, tc := range badInputs {
		for _, path := range []string{"/v1/check", "/v1/evaluate"} {
			t.Run(name+path, func(t *testing.T) {
				got := w.mustRaw(t, rawRequest{method: "POST", path: path, token: "default", body: tc.body})
				if got.status != tc.status || !strings.Contains(got.body, `"code":"`+tc.code+`"`) {
					t.Errorf("got %d %.400s, want %d %s", got.status, got.body, tc.status, tc.code)
				}
				var body struct{ Error struct{ Field string } }
				if err := json.Unmarshal([]byte(got.body), &body); err != nil || tc.field != "" && body.Error.Field != tc.field {
					t.Errorf("field: got %q, want %q: %.400s", body.Error.Field, tc.field, got.body)
				}
				wantsDeny(t, got)
				d.answer(t, "POST", path, got)
			})
		}
	}
	if _, err := w.client("admin").Health(t.Context()); err != nil {
		t.Errorf("the daemon after it: %v", err)
	}
}

// TestCheck_tenMegabytes is judged, and the answer is right.
func TestCheck_tenMegabytes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	res, err := w.client("ci").Check(t.Context(), bash(strings.Repeat("a", 10<<20)), nil)
	if err != nil || res.Decision.Behavior != engine.Deny {
		t.Errorf("got %s, %v, want deny", res.Decision.Behavior, err)
	}
}

func TestParameters_areChecked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for target, field := range map[string]string{
		"GET /v1/audit?since=yesterday":                       "since",
		"GET /v1/audit?until=1700000000":                      "until",
		"GET /v1/audit?after=-1":                              "after",
		"GET /v1/audit?before=9223372036854775808":            "before",
		"GET /v1/audit?newest=yes":                            "newest",
		"GET /v1/audit?limit=1001":                            "limit",
		"GET /v1/audit?agent=a&agent=b":                       "agent",
		"GET /v1/audit?Agent=a":                               "Agent",
		"GET /v1/audit?text=%ff":                              "text",
		"GET /v1/audit/export?limit=x":                        "limit",
		"GET /v1/sessions?paused=1":                           "paused",
		"GET /v1/sessions?since=now":                          "since",
		"GET /v1/rules?behavior=maybe":                        "behavior",
		"GET /v1/rules?expired=maybe":                         "expired",
		"GET /v1/health?key=x&nonce=short":                    "nonce",
		"GET /v1/health?key=x&nonce=0123456789abcdef":         "key",
		"GET /v1/events?surface=%07":                          "surface",
		"GET /v1/events?approver=" + strings.Repeat("a", 129): "approver",
		"POST /v1/check?timeout=-1s":                          "timeout",
		"POST /v1/check?timeout=soon":                         "timeout",
		"POST /v1/evaluate?timeout=1s":                        "timeout",
		"POST /v1/rules?by=%0a":                               "by",
		"DELETE /v1/rules/x?by=a%e2%80%ae":                    "by",
	} {
		method, path, _ := strings.Cut(target, " ")
		got := w.mustRaw(t, rawRequest{method: method, path: path, token: "admin", body: "{}"})
		if got.status != http.StatusBadRequest || !strings.Contains(got.body, `"field":"`+field+`"`) {
			t.Errorf("%s: got %d %s, want 400 about %s", target, got.status, got.body, field)
		}
	}
	if got := w.mustRaw(t, rawRequest{method: "GET", path: "/v1/audit?a=%zz", token: "admin"}); got.status != http.StatusBadRequest {
		t.Errorf("query that does not parse: got %d %s", got.status, got.body)
	}
}
