package modules

import (
	"testing"

	"github.com/callgate/callgate/engine"
)

// TestConfigGet: a module's config_get.
func TestConfigGet(t *testing.T) {
	t.Parallel()
	m := &module{config: ConfigLookup([]byte(`{"name":"a\u00e9\n","n":1.50,"list":[1, {"a":"b"}],"no":false,"nil":null,"":"empty key"}`))}
	plain := m.configFor(&engine.Call{})
	for key, want := range map[string]string{"name": "a\u00e9\n", "n": "1.50", "list": `[1, {"a":"b"}]`, "no": "false", "nil": "null", "": "empty key"} {
		if got, ok := plain(key); !ok || got != want {
			t.Errorf("%q: got %q, %v; want %q", key, got, ok, want)
		}
	}
	if got, ok := plain("absent"); ok || got != "" {
		t.Errorf("absent: got %q, %v; want none", got, ok)
	}
	own := m.configFor(&engine.Call{Context: engine.Context{Config: []byte(`{"name":"of the call"}`)}})
	if got, ok := own("name"); !ok || got != "of the call" {
		t.Errorf("of a call: got %q, %v", got, ok)
	}
	if got, ok := own("n"); ok {
		t.Errorf("of a call, what only the grant has: got %q", got)
	}
	for _, config := range []string{`[1]`, `{"a":1,"a":2}`, `rubbish`} {
		if got, ok := ConfigLookup([]byte(config))("a"); ok {
			t.Errorf("%s: got %q; want no keys", config, got)
		}
	}
	if (&module{config: ConfigLookup(nil)}).configFor(&engine.Call{}) != nil {
		t.Error("without a configuration: want no lookup")
	}
}
