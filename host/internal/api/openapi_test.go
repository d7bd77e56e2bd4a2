package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/api"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/projecttest"
	"github.com/callgate/callgate/host/internal/text/jsonschema"
	"github.com/callgate/callgate/host/wire"
)

// document is openapi.json, as far as the tests read it.
type document struct {
	Paths map[string]map[string]operation `json:"paths"`

	// schemas are the components by their names, and those of bodies by their places.
	schemas *jsonschema.Set
}

type operation struct {
	ID         string                `json:"operationId"`
	Security   []map[string][]string `json:"security"`
	Parameters []struct {
		Name string `json:"name"`
		In   string `json:"in"`
	} `json:"parameters"`
	RequestBody *struct{} `json:"requestBody"`
	Responses   map[string]struct {
		Content map[string]json.RawMessage `json:"content"`
	} `json:"responses"`
}

func openDocument(t testing.TB) *document {
	t.Helper()
	d := &document{}
	must(t, json.Unmarshal(api.OpenAPI(), d))
	tree, err := jsonschema.Decode(bytes.ReplaceAll(api.OpenAPI(), []byte(`"#/components/schemas/`), []byte(`"#/properties/`)))
	must(t, err)
	schemas := maps.Clone(jsonschema.At(tree, "#/components/schemas").(map[string]any))
	collect(t, schemas, "", tree)
	d.schemas, err = jsonschema.ParseSet(schemas)
	must(t, err)
	return d
}

// dateTime stands for the format of that name, because formats are not judged.
const dateTime = `^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]+)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$`

// collect adds the schemas of bodies by their places, and a pattern where a format is.
func collect(t testing.TB, schemas map[string]any, place string, value any) {
	t.Helper()
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			collect(t, schemas, place+" -", item)
		}
	case map[string]any:
		if format, ok := v["format"].(string); ok && format == "date-time" {
			v["pattern"] = dateTime
		} else if ok && format != "binary" {
			t.Errorf("%s: nothing judges the format %s", place, format)
		}
		if body, ok := v["schema"]; ok && strings.Contains(place, " content ") {
			schemas[place[1:]] = body
		}
		for name, member := range v {
			collect(t, schemas, place+" "+name, member)
		}
	}
}

// answer checks an answer against the document: status, content type and body.
func (d *document) answer(t testing.TB, method, path string, got rawAnswer) {
	t.Helper()
	op, ok := d.Paths[path][strings.ToLower(method)]
	if !ok {
		t.Fatalf("%s %s is not in the document", method, path)
	}
	kind, _, err := mime.ParseMediaType(got.header.Get("Content-Type"))
	must(t, err)
	place := []string{"paths", path, strings.ToLower(method), "responses", fmt.Sprint(got.status), "content", kind}
	if got.status >= 400 {
		place = []string{"components", "responses", "Problem", "content", kind}
	} else if _, ok := op.Responses[fmt.Sprint(got.status)].Content[kind]; !ok {
		t.Fatalf("%s %s: status %d with %s is not in the document", method, path, got.status, kind)
	}
	name := strings.Join(place, " ")
	switch kind {
	case "application/json":
		d.validate(t, name, got.body)
	case "application/x-ndjson":
		for line := range strings.Lines(got.body) {
			d.validate(t, name, line)
		}
	}
}

func (d *document) validate(t testing.TB, schema, text string) {
	t.Helper()
	if err := d.schemas.Validate(schema, []byte(text)); err != nil {
		t.Errorf("%s\ndoes not fit the document: %v", text, err)
	}
}

// TestOpenAPI_seesFaults keeps the other tests from passing for want of a check.
func TestOpenAPI_seesFaults(t *testing.T) {
	t.Parallel()
	d := openDocument(t)
	if err := d.schemas.Validate("ConsoleLink", []byte(`{"url":"http://x/","expires_at":"2026-11-29T07:00:00.5+01:00"}`)); err != nil {
		t.Error(err)
	}
	for _, c := range [][2]string{
		{"ConsoleLink", `{"url":"http://x/","expires_at":"2026-11-29 07:00:00"}`}, {"ConsoleLink", `{"url":"http://x/"}`},
		{"paths /v1/console post responses 200 content application/json", `{}`}, {"NoSuchSchema", `{}`},
	} {
		if d.schemas.Validate(c[0], []byte(c[1])) == nil {
			t.Errorf("%s is taken as %s", c[1], c[0])
		}
	}
}

func TestOpenAPI_namesEveryRouteAndNoOther(t *testing.T) {
	t.Parallel()
	var documented []string
	ids := map[string]bool{}
	for path, ops := range openDocument(t).Paths {
		for method, op := range ops {
			documented = append(documented, strings.ToUpper(method)+" "+path)
			if op.ID == "" || ids[op.ID] {
				t.Errorf("%s %s: operationId %q: want one of its own", method, path, op.ID)
			}
			ids[op.ID] = true
		}
	}
	routed := api.Operations()
	slices.Sort(documented)
	slices.Sort(routed)
	if !slices.Equal(documented, routed) {
		t.Errorf("documented: %v\nrouted:     %v", documented, routed)
	}
}

// TestOpenAPI_everyAnswer drives every operation, well and badly, and checks each
// answer against the document.
func TestOpenAPI_everyAnswer(t *testing.T) {
	t.Parallel()
	d, w := openDocument(t), newWorld(t, nil)
	w.attach()
	x := exchange{t: t, d: d, w: w, driven: map[string]bool{}}
	events := w.broker.Subscribe(t.Context())

	x.do("GET", "/v1/health", "", "", 200)
	x.do("GET", "/v1/openapi.json", "", "", 200)
	x.do("GET", "/livez", "", "", 200)
	x.do("GET", "/readyz", "", "", 200)
	x.do("GET", "/metrics", "", "", 200)
	x.do("POST", "/v1/rules", "?by=ana", `{"rule":"Bash(npm run build)","behavior":"allow","reason":"it is ours","match":["npm run build"],"not_match":["rm"]}`, 201)
	rule := x.do("POST", "/v1/rules", "", `{"tool":"Bash","content":"npm test","behavior":"ask","scope":"agent","scope_key":"default","expires_at":"2099-01-01T00:00:00Z"}`, 201)
	x.do("POST", "/v1/rules", "", `{"rule":"Bash(a)","behavior":"allow","match":["b"]}`, 400)
	for _, bad := range []string{
		`{"tool":"Bash"}`, `{"tool":"Bash","behavior":"passthrough"}`, `{"behavior":"deny"}`, `{"rule":"Bash","tool":"Bash","behavior":"deny"}`,
		`{"rule":"Bash(","behavior":"deny"}`, `{"tool":"*","behavior":"deny"}`, `{"tool":"Bash","behavior":"deny","scope":"galaxy"}`,
		`{"tool":"Bash","behavior":"deny","scope":"agent"}`, `{"tool":"Bash","behavior":"deny","scope_key":"ci"}`,
		`{"tool":"Bash","behavior":"deny","expires_at":"2001-01-01T00:00:00Z"}`, `{"tool":"Bash","behavior":"deny","expires_at":"soon"}`,
		`{"tool":"Bash","behavior":"deny","id":"mine"}`, `{"tool":"Bash","behavior":"deny","created_by":"ana"}`,
	} {
		x.do("POST", "/v1/rules", "", bad, 400)
	}
	x.do("GET", "/v1/rules", "?scope=agent&key=default&tool=Ba*&behavior=ask&expired=true", "", 200)
	x.do("GET", "/v1/rules", "?scope=nowhere", "", 400)
	x.do("POST", "/v1/rules/test", "", `{"rule":{"rule":"Bash(ls)","behavior":"deny"},"tool":"shell","input":{"command":"ls"},"cwd":"/","home":"/","working_directories":["/"]}`, 200)
	x.do("POST", "/v1/rules/test", "", `{"rule":{"rule":"Bash(","behavior":"deny"},"input":{}}`, 400)
	x.do("POST", "/v1/rules/simulate", "", `{"rules":[{"rule":"Bash(ls)","behavior":"deny"}],"days":30,"rows":5,"seconds":30}`, 200)
	for _, bad := range []string{`{}`, `{"rules":[{"rule":"Bash(","behavior":"deny"}]}`, `{"rules":[{"rule":"Bash","behavior":"deny"}],"days":366}`, `{"rules":[],"remove":["x"],"rows":-1}`, `{"remove":["x"],"seconds":601}`} {
		x.do("POST", "/v1/rules/simulate", "", bad, 400)
	}
	x.do("POST", "/v1/rules/simulate", "", `{"remove":["0000"]}`, 404)
	x.do("POST", "/v1/rules/changes", "?by=ana", `{"rules":[{"rule":"Bash(npm ci)","behavior":"allow"},{"rule":"Bash(a)","behavior":"ask"}],"source":"template:safe-dev","dry_run":true}`, 200)
	x.do("POST", "/v1/rules/changes", "?by=ana", `{"rules":[{"rule":"Bash(npm ci)","behavior":"allow"}],"source":"template:safe-dev"}`, 200)
	x.do("POST", "/v1/rules/changes", "", `{"rules":[{"rule":"Bash(","behavior":"allow"}]}`, 400)
	x.do("POST", "/v1/rules/changes", "", `{"rules":[],"source":"config"}`, 400)
	x.do("POST", "/v1/rules/changes", "", `{"remove":["0000"]}`, 404)
	x.do("POST", "/v1/command", "?by=ana", `{"text":"/ask Bash(make)","global":true}`, 200)
	x.do("POST", "/v1/command", "", `{"text":"/ask Nope","cwd":"/","default_agent":"ci"}`, 200)
	x.do("POST", "/v1/command", "", `{"text":"/ask","lists":{"allow":["Bash"],"ask":[],"deny":[],"mode":"plan"},"agent":"ci"}`, 200)
	x.do("POST", "/v1/command", "", `{"text":"/ask -Bash(make)","global":true}`, 200)
	x.do("POST", "/v1/command", "", `{"text":"/ask","global":true,"session":"s"}`, 400)
	x.do("POST", "/v1/command", "", `{"text":"/ask","session":"none"}`, 404)
	x.do("POST", "/v1/command", "", `{"text":"/ask","project":"here"}`, 400)
	x.do("POST", "/v1/command", "", `{}`, 400)
	x.do("GET", "/v1/profiles", "", "", 200)
	x.do("POST", "/v1/agents/{name}/profile", "ci/profile?by=ana", `{"profile":"locked"}`, 200)
	x.do("POST", "/v1/agents/{name}/profile", "ci/profile", `{"profile":"opne"}`, 400)
	x.do("POST", "/v1/agents/{name}/profile", "ci/profile", `{}`, 400)
	x.do("GET", "/v1/profiles", "", "", 200)
	x.do("POST", "/v1/agents/{name}/profile/reset", "ci/profile/reset?by=ana", "", 200)
	x.do("POST", "/v1/agents/{name}/profile/reset", "ci/profile/reset", "", 409)
	x.do("POST", "/v1/profiles/reset", "?by=ana", "", 200)
	site := projecttest.Repository(x.t, filepath.Join(projecttest.Dir(x.t), "site"))
	kept := x.do("POST", "/v1/folders", "?by=ana", fmt.Sprintf(`{"agent":"ci","path":%q,"access":"edit"}`, site), 201)
	var folder wire.Folder
	must(x.t, json.Unmarshal([]byte(kept.body), &folder))
	for _, body := range []string{
		fmt.Sprintf(`{"path":%q,"access":"all"}`, site), fmt.Sprintf(`{"path":%q,"access":"read"}`, filepath.Dir(site)), `{"path":"/","access":"read"}`,
		`{"path":"site","access":"read"}`, fmt.Sprintf(`{"path":%q,"access":"read"}`, filepath.Join(site, ".git")),
	} {
		x.do("POST", "/v1/folders", "", body, 400)
	}
	x.do("GET", "/v1/nodes", "", "", 200)
	x.do("GET", "/v1/hooks", "", "", 200)
	x.do("GET", "/v1/folders", "?agent=ci", "", 200)
	x.do("DELETE", "/v1/folders/{id}", folder.ID+"?by=ana", "", 200)
	x.do("DELETE", "/v1/folders/{id}", folder.ID, "", 404)
	x.do("POST", "/v1/folders/reset", "?by=ana", "", 200)
	x.do("GET", "/v1/folders", "", "", 200)
	tools := `{"context":{"agent":"default","server":{"name":"files","definition":"d1"}},"program":"npx","tools":[{"name":"read","description":"reads"}]}`
	x.do("POST", "/v1/mcp/tools", "", tools, 200)
	x.do("POST", "/v1/mcp/tools", "", `{"context":{},"tools":[]}`, 400)
	x.do("POST", "/v1/mcp/tools", "", `{"context":{"server":{"name":"files","definition":"d1"}},"tools":[{"description":"reads"}]}`, 400)
	x.do("POST", "/v1/mcp/tools", "?wait=perhaps", tools, 400)
	var servers wire.MCPServerList
	must(x.t, json.Unmarshal([]byte(x.do("GET", "/v1/mcp/servers", "", "", 200).body), &servers))
	server := servers.Servers[0]
	x.do("POST", "/v1/mcp/servers/{id}/accept", server.ID+"/accept", `{"digests":["none"]}`, 404)
	x.do("POST", "/v1/mcp/servers/{id}/accept", server.ID+"/accept?by=ana", fmt.Sprintf(`{"digests":[%q]}`, server.Tools[0].Waiting), 200)
	x.do("POST", "/v1/mcp/tools", "?wait=true", tools, 200)
	x.do("POST", "/v1/mcp/tools", "", strings.Replace(tools, "reads", "writes", 1), 200)
	x.do("GET", "/v1/mcp/servers", "", "", 200)
	x.do("DELETE", "/v1/mcp/servers/{id}", server.ID+"?by=ana", "", 200)
	x.do("DELETE", "/v1/mcp/servers/{id}", server.ID, "", 404)
	x.do("GET", "/v1/tools", "", "", 200)
	x.do("GET", "/v1/tools/{name}", "shell", "", 200)
	x.do("GET", "/v1/tools/{name}", "none", "", 404)

	allowed := `{"call_id":"c1","tool":"Bash","input":{"command":"npm run build"},"context":{"agent":"default","session":"a/b","mode":"plan","cwd":"/","home":"/","user":"ana","working_directories":["/"],"kind":"main","active_skills":{"x":["Bash"],"y":null},"annotations":{"readOnlyHint":true}}}`
	x.do("POST", "/v1/check", "?timeout=10s", allowed, 200)
	x.do("POST", "/v1/evaluate", "", `{"tool":"Bash","input":{"command":"npm test"}}`, 200)
	x.do("POST", "/v1/evaluate", "", `{"tool":""}`, 400)
	x.do("POST", "/v1/offer", "", `{"context":{"agent":"ci","cwd":"/","mode":"plan","kind":"main"},"tools":["mcp__github__get_issue"],"all":true}`, 200)
	x.do("POST", "/v1/offer", "", `{}`, 200)
	x.do("POST", "/v1/offer", "", `{"tools":[""]}`, 400)
	x.do("POST", "/v1/offer", "", `{"context":{"session":"none"}}`, 404)
	x.do("POST", "/v1/check", "", `{"call_id":"c2","tool":"Bash","input":{"command":"ls"},"context":{"session":"run","mode":"plan"},"reports":true,"follows_up":false}`, 200)
	x.do("POST", "/v1/calls/finished", "", `{"call_id":"c1","tool":"shell","input":{"command":"npm run build"},"context":{"agent":"default","session":"a/b"},"failed":true}`, 200)
	x.do("POST", "/v1/calls/finished", "", `{"call_id":"c9","tool":"Bash","input":{"command":"ls"},"context":{"session":"stopped"}}`, 200)
	x.do("POST", "/v1/calls/finished", "", `{"tool":"Bash","input":{"command":"ls"}}`, 400)
	x.do("POST", "/v1/calls/finished", "", `{"all_ended":true,"context":{"session":"a/b"}}`, 200)
	x.do("POST", "/v1/calls/finished", "", `{"all_ended":true,"call_id":"c1"}`, 400)

	out := make(chan rawAnswer, 1)
	go func() {
		got, err := w.raw(t.Context(), rawRequest{method: "POST", path: "/v1/check", token: "default", accept: "application/x-ndjson", body: `{"tool":"Bash","input":{"command":"make"},"context":{"session":"s"}}`})
		if err != nil {
			t.Error(err)
		}
		out <- got
	}()
	a := shown(t, events)
	x.do("GET", "/v1/asks", "?agent=default&session=s&state=shown", "", 200)
	x.do("GET", "/v1/asks", "?state=approved", "", 400)
	x.do("GET", "/v1/asks/{id}", a.ID, "", 200)
	x.do("GET", "/v1/asks/{id}", "zzzzzz", "", 404)
	x.do("POST", "/v1/asks/{id}/seen", a.ID+"/seen", `{"approver":"ana"}`, 200)
	x.passkeys(a.ID)
	x.push()
	x.do("POST", "/v1/asks/{id}/answer", a.ID+"/answer", `{"verdict":"perhaps"}`, 400)
	x.do("POST", "/v1/asks/{id}/answer", a.ID+"/answer", `{"verdict":"approve","sets":[99]}`, 400)
	x.do("POST", "/v1/asks/{id}/answer", a.ID+"/answer", fmt.Sprintf(`{"verdict":"approve","sets":[%d],"scope":"agent","expires_at":"2099-01-01T00:00:00Z","reason":"fine","by":"ana","surface":"test","confirm_id":%q}`, a.Decision.Suggestions[0].Set, a.ID), 200)
	x.do("POST", "/v1/asks/{id}/answer", a.ID+"/answer", `{"verdict":"deny"}`, 409)
	x.do("GET", "/v1/asks/{id}", a.ID, "", 200)
	d.answer(t, "POST", "/v1/check", receive(t, out))

	x.modules()
	x.do("GET", "/v1/config", "", "", 200)
	x.do("POST", "/v1/config/accept", "?by=ana", `{"digest":"other"}`, 409)
	x.do("POST", "/v1/config/accept", "", `{}`, 400)
	x.do("POST", "/v1/config/accept", "?by=ana", `{"digest":"shown"}`, 200)
	x.do("POST", "/v1/config/accept", "", `{"digest":"shown"}`, 409)

	x.do("GET", "/v1/sessions", "?agent=default&token=check:default&paused=false&limit=5&since=2020-01-01T00:00:00Z", "", 200)
	x.do("GET", "/v1/sessions/{id}", "a%2Fb", "", 200)
	x.do("GET", "/v1/sessions/{id}", "none", "", 404)
	x.do("POST", "/v1/sessions/{id}/mode", "a%2Fb/mode?by=ana", `{"mode":"plan"}`, 200)
	x.do("POST", "/v1/sessions/{id}/mode", "s/mode", `{"mode":null}`, 200)
	x.do("POST", "/v1/sessions/{id}/mode", "s/mode", `{"mode":"plan","kind":"interactive_fork"}`, 200)
	x.do("GET", "/v1/sessions", "", "", 200)
	x.do("POST", "/v1/sessions/{id}/mode", "s/mode", `{"mode":"bypass","kind":"interactive_fork"}`, 409)
	x.do("POST", "/v1/sessions/{id}/mode", "s/mode", `{"mode":"plan","kind":"background"}`, 400)
	x.do("POST", "/v1/sessions/{id}/mode", "s/mode", `{"mode":"auto"}`, 400)
	x.do("POST", "/v1/sessions/{id}/mode", "none/mode", `{"mode":"plan"}`, 404)
	x.do("PUT", "/v1/sessions/{id}/lists", "s/lists?by=ana", `{"allow":["Read"],"ask":["Bash"],"mode":"plan"}`, 200)
	x.do("PUT", "/v1/sessions/{id}/lists", "s/lists", `{"allow":["Read("]}`, 400)
	x.do("PUT", "/v1/sessions/{id}/lists", "s/lists", `{"mode":"yolo"}`, 400)
	x.do("PUT", "/v1/sessions/{id}/lists", "none/lists", `{}`, 404)
	x.do("POST", "/v1/sessions/{id}/interrupt", "s/interrupt", "", 200)
	x.do("POST", "/v1/sessions/{id}/exit-fork", "s/exit-fork?by=ana", "", 200)
	x.do("POST", "/v1/sessions/{id}/exit-fork", "none/exit-fork", "", 404)
	x.do("POST", "/v1/sessions/{id}/clear", "s/clear?by=ana", "", 200)
	x.do("POST", "/v1/sessions/{id}/resume", "s/resume", "", 409)
	x.pauseAndResume(events)

	x.do("GET", "/v1/tokens", "", "", 200)
	x.do("POST", "/v1/tokens", "?by=ana", `{"kind":"approver","name":"ana","expires_at":"2099-01-01T00:00:00Z"}`, 201)
	x.do("POST", "/v1/tokens", "", `{"kind":"approver","name":"ana"}`, 409)
	for _, bad := range []string{
		`{}`, `{"kind":"root","name":"a"}`, `{"kind":"admin"}`, `{"kind":"admin","name":"a:b"}`, `{"kind":"admin","name":"a","agent":"ci"}`,
		`{"kind":"check"}`, `{"kind":"check","agent":"nobody"}`, `{"kind":"check","agent":"ci","name":"mine"}`, `{"kind":"integrator","name":"admin"}`,
		`{"kind":"admin","name":"a","expires_at":"2001-01-01T00:00:00Z"}`, `{"kind":"admin","name":"a","secret":"mine"}`,
	} {
		x.do("POST", "/v1/tokens", "", bad, 400)
	}
	x.do("POST", "/v1/tokens/{name}/rotate", "check%3Aci/rotate?by=ana", "", 200)
	x.do("POST", "/v1/tokens/{name}/rotate", "nobody/rotate", "", 404)
	x.do("POST", "/v1/tokens/{name}/revoke", "ana/revoke", "", 200)
	x.do("POST", "/v1/tokens/{name}/revoke", "ana/revoke?by=ana", "", 404)
	x.do("POST", "/v1/tokens/{name}/revoke", "admin/revoke", "", 409)

	x.do("GET", "/v1/presence", "", "", 200)
	x.do("POST", "/v1/presence/unlock", "", `{"pin":"4711 0815"}`, 409)
	x.do("POST", "/v1/presence/set", "", `{"pin":"12345678"}`, 400)
	x.do("POST", "/v1/presence/set", "?by=ana", `{"pin":"4711 0815"}`, 200)
	x.do("POST", "/v1/presence/set", "", `{"old":"0815 4711","pin":"4711 0816"}`, 403)
	x.do("POST", "/v1/presence/unlock", "", `{"pin":"0815 4711"}`, 403)
	x.do("POST", "/v1/presence/unlock", "?by=ana", `{"pin":"4711 0815"}`, 200)
	x.do("POST", "/v1/presence/lock", "", "", 200)
	x.do("POST", "/v1/console", "", "", 200)
	x.do("POST", "/v1/presence/reset", "", `{"cancel":true}`, 409)
	x.do("POST", "/v1/presence/reset", "?by=ana", `{}`, 200)

	x.do("GET", "/v1/audit", "?agent=default&event=decision&tool=Bash&newest=true&limit=1", "", 200)
	x.do("GET", "/v1/audit", "?limit=many", "", 400)
	x.do("GET", "/v1/audit/export", "?format=jsonl&since=2020-01-01T00:00:00Z", "", 200)
	x.do("GET", "/v1/audit/export", "?format=csv", "", 200)
	x.do("GET", "/v1/audit/export", "?format=xml", "", 400)
	x.do("GET", "/v1/audit", "?person=ana&rule=Bash(npm%20run%20build)&call=c1", "", 200)
	x.do("GET", "/v1/audit/rows/{seq}", "2", "", 200)
	x.do("GET", "/v1/audit/rows/{seq}", "99999", "", 404)
	x.do("GET", "/v1/audit/rows/{seq}", "last", "", 400)
	x.do("GET", "/v1/audit/rows/{seq}/proof", "2/proof", "", 200)
	x.do("GET", "/v1/audit/rows/{seq}/proof", "99999/proof", "", 404)
	x.do("GET", "/v1/audit/checkpoint", "", "", 200)
	x.do("GET", "/v1/audit/tally", "?step=12h", "", 200)
	x.do("GET", "/v1/audit/tally", "?step=1s", "", 400)
	x.do("GET", "/v1/audit/tally", "?since=2030-01-01T00:00:00Z", "", 400)
	for row, err := range w.store.Audit(t.Context(), store.Filter{Decision: store.AskApproved, Limit: 1}) {
		if err != nil || row.AskID == "" {
			t.Fatalf("the row of an approval: got %+v, %v", row, err)
		}
		x.do("GET", "/v1/audit/rows/{seq}", fmt.Sprint(row.Seq), "", 200)
	}
	x.do("POST", "/v1/audit/prune", "", `{"before":"2001-01-01T00:00:00Z","dry_run":true}`, 200)
	x.do("POST", "/v1/audit/prune", "", `{}`, 400)
	x.do("POST", "/v1/audit/prune", "", `{"before":"2999-01-01T00:00:00Z"}`, 400)
	x.do("POST", "/v1/audit/prune", "?by=ana", `{"before":"2001-01-01T00:00:00Z"}`, 200)
	x.do("GET", "/v1/audit/verify", "", "", 200)
	id := ruleID(t, rule)
	x.do("DELETE", "/v1/rules/{id}", id, "", 200)
	x.do("DELETE", "/v1/rules/{id}", id+"?by=ana", "", 404)
	x.events()

	for path, ops := range d.Paths {
		for method := range ops {
			if op := strings.ToUpper(method) + " " + path; !x.driven[op] {
				t.Errorf("%s was not driven", op)
			}
		}
	}
}

// exchange drives operations as the admin.
type exchange struct {
	t      *testing.T
	d      *document
	w      *world
	driven map[string]bool
}

// do drives one operation: rest replaces the path from its variable on, or is
// the query.
func (x *exchange) do(method, path, rest, body string, status int) rawAnswer {
	x.t.Helper()
	target := path + rest
	if before, _, ok := strings.Cut(path, "{"); ok {
		target = before + rest
	}
	got := x.w.mustRaw(x.t, rawRequest{method: method, path: target, token: "admin", body: body})
	if got.status != status {
		x.t.Errorf("%s %s: got %d, want %d: %s", method, target, got.status, status, got.body)
	}
	x.d.answer(x.t, method, path, got)
	if status < 400 {
		x.driven[method+" "+path] = true
	}
	return got
}

// pauseAndResume has a session's calls time out until it is paused.
func (x *exchange) pauseAndResume(events <-chan ask.Event) {
	x.t.Helper()
	for i := range ask.DefaultPauseAfter {
		x.do("POST", "/v1/check", "?timeout=20ms", fmt.Sprintf(`{"tool":"Bash","input":{"command":"make %d"},"context":{"session":"p"}}`, i), 200)
	}
	for ev := range events {
		if ev.Kind == ask.EventPaused {
			x.do("POST", "/v1/sessions/{id}/resume", strings.ReplaceAll(ev.Ask.Session, "/", "%2F")+"/resume?by=ana", "", 200)
			return
		}
	}
}

// events reads the stream while things happen.
func (x *exchange) events() {
	x.t.Helper()
	ctx, stop := context.WithCancel(x.t.Context())
	defer stop()
	schemas := map[string]string{protocol.EventAsk: "AskEvent", protocol.EventDecision: "Decided", protocol.EventConfig: "ConfigChange",
		protocol.EventModuleCompiling: "ModuleCompiling", protocol.EventModuleSwapped: "ModuleSwap", protocol.EventModuleRefused: "ModuleSwap"}
	open := maps.Clone(schemas)
	err := x.w.client("admin").Events(ctx, "page", "ana", func(ev client.Event) error {
		if ev.Name == protocol.EventReady {
			x.w.server.Announce(protocol.ConfigChange{File: "/etc/callgate.yaml", Error: "line 3", Pending: 2})
			x.w.server.Compiling("d.wasm")
			x.w.server.Swapped(modules.Outcome{Swaps: []wire.ModuleSwap{
				{File: "d.wasm", Module: "deploy", Version: "2", Was: "aa", Is: "bb", What: wire.SwapSwapped, Again: time.Unix(2, 0), Suspended: []string{"Deploy(x)"}, Compiled: 1, Tried: 2},
				{File: "d.wasm", Was: "bb", Is: "bb", Found: "cc", What: wire.SwapKept, Why: "not a module"},
			}})
			go func() { _, _ = x.w.client("default").Check(ctx, bash("make more"), nil) }()
			return nil
		}
		x.d.validate(x.t, schemas[ev.Name], string(ev.Data))
		if ev.Name == protocol.EventAsk {
			got, err := ev.Ask()
			if err == nil && got.Kind == ask.EventShown {
				_, err = x.w.client("admin").Answer(ctx, got.Ask.ID, ask.Answer{By: "ana"})
			}
			if err != nil {
				return err
			}
		}
		if delete(open, ev.Name); len(open) == 0 {
			stop()
		}
		return nil
	})
	if ctx.Err() == nil {
		x.t.Error("events:", err)
	}
	x.driven["GET /v1/events"] = true
}

func ruleID(t testing.TB, got rawAnswer) string {
	t.Helper()
	var added protocol.AddedRule
	must(t, json.Unmarshal([]byte(got.body), &added))
	return added.Rule.ID
}

// TestOpenAPI_parameters has every operation refuse undocumented parameters, and take
// documented ones.
func TestOpenAPI_parameters(t *testing.T) {
	t.Parallel()
	d, w := openDocument(t), newWorld(t, nil)
	takesAny := []string{"/v1/openapi.json", "/v1/config", "/v1/tools", "/v1/tools/{name}", "/v1/audit/verify", "/v1/asks/{id}", "/v1/asks/{id}/answer", "/v1/asks/{id}/seen", "/v1/rules/test"}
	for path, ops := range d.Paths {
		for method, op := range ops {
			if slices.Contains(takesAny, path) {
				continue // without parameters: nothing could be misspelt
			}
			target := strings.NewReplacer("{id}", "x", "{name}", "x", "{file}", "x.wasm").Replace(path)
			body := ""
			if op.RequestBody != nil {
				body = "{}"
			}
			got := w.mustRaw(t, rawRequest{method: strings.ToUpper(method), path: target + "?bogus=1", token: "admin", body: body})
			if got.status != http.StatusBadRequest || !strings.Contains(got.body, `"field":"bogus"`) {
				t.Errorf("%s %s with an unknown parameter: got %d %s", method, path, got.status, got.body)
			}
			for _, p := range op.Parameters {
				if p.In == "query" && !strings.Contains(got.body, p.Name) {
					t.Errorf("%s %s: the document names %s, the server does not take it: %s", method, path, p.Name, got.body)
				}
			}
		}
	}
}
