package message_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/callgate/callgate/host/discord/message"
	"github.com/callgate/callgate/host/internal/asktest"
)

// The places of schemas in Discord's OpenAPI document, which is not ours and is looked
// for beside the project.
const (
	schemaPost  = "#/paths/~1channels~1%7Bchannel_id%7D~1messages/post/requestBody/content/application~1json/schema"
	schemaEdit  = "#/paths/~1channels~1%7Bchannel_id%7D~1messages~1%7Bmessage_id%7D/patch/requestBody/content/application~1json/schema"
	schemaReply = "#/paths/~1interactions~1%7Binteraction_id%7D~1%7Binteraction_token%7D~1callback/post/requestBody/content/application~1json/schema"
)

var openAPI = sync.OnceValues(func() (*jsonschema.Compiler, error) {
	path := os.Getenv("CALLGATE_DISCORD_OPENAPI")
	if path == "" {
		path = filepath.Join("..", "..", "..", "..", "shared", "discord", "openapi.json")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	document, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	return c, c.AddResource("mem:///openapi.json", document)
})

// schema is one of Discord's; without the document the test is skipped.
func schema(t *testing.T, place string) *jsonschema.Schema {
	t.Helper()
	c, err := openAPI()
	if os.IsNotExist(err) {
		t.Skipf("SKIPPED: Discord's OpenAPI document is not here (%v); set CALLGATE_DISCORD_OPENAPI", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:///openapi.json" + place)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func fits(t interface {
	Helper()
	Fatalf(string, ...any)
}, s *jsonschema.Schema, v any) {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("%v", err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = s.Validate(value)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}

func TestDiscordTakesOurMessages(t *testing.T) {
	alone(t)
	post, edit, reply := schema(t, schemaPost), schema(t, schemaEdit), schema(t, schemaReply)
	type data struct {
		Type int `json:"type"`
		Data any `json:"data"`
	}
	take := func(t interface {
		Helper()
		Fatalf(string, ...any)
	}, m message.Message) {
		t.Helper()
		fits(t, post, m)
		fits(t, edit, m)
		fits(t, reply, data{Type: 4, Data: m})
		fits(t, reply, data{Type: 7, Data: m})
	}
	for _, a := range asktest.Kinds() {
		take(t, message.Card(a, message.View{Instance: "i1", MentionRoles: []string{"123456789012345678"}}).Message)
		fits(t, reply, data{Type: 9, Data: message.ConfirmModal(a, "i1")})
		fits(t, reply, data{Type: 9, Data: message.ReasonModal(a, "i1")})
	}
	rapid.Check(t, func(t *rapid.T) {
		s := func(name string) string { return hostile().Draw(t, name) }
		everyMessage(hostileAsk(t, s), message.View{Instance: "i1"}, s, func(m message.Message) { take(t, m) })
	})
}

// TestOracleSeesFaults keeps the test above from passing for want of a check.
func TestOracleSeesFaults(t *testing.T) {
	post := schema(t, schemaPost)
	for _, text := range []string{
		`{"content":"` + string(bytes.Repeat([]byte("x"), 4001)) + `"}`, `{"nonce":"12345678901234567890123456"}`,
		`{"content":"x","components":[{"type":1,"components":[{"type":2,"style":9,"custom_id":"x"}]}]}`,
	} {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text)))
		if err != nil {
			t.Fatal(err)
		}
		if post.Validate(value) == nil {
			t.Errorf("the document takes %.80s", text)
		}
	}
}
