package main

import "testing"

// TestAnswer: cmd/callgate puts the corpus of sdk/deploy to the module; this is an author's own
// test.
func TestAnswer(t *testing.T) {
	t.Parallel()
	const production = `{"tool":"Deploy","input":{"operation":"deploy","target":"prod/web"},"context":{}`
	for _, tc := range []struct{ verb, envelope, want string }{
		{"check_permissions", production + `}`, `{"behavior":"ask","bypass_immune":true,"message":"Deployments to production are confirmed by a person.","reason":"prod/web is production"}`},
		{"check_permissions", production + `,"config":{"production":["live"]}}`, `{"behavior":"passthrough"}`},
		{"check_read_only", production + `}`, `{"read_only":false}`},
		{"match_rule", production + `,"behavior":"allow","rules":[{"content":"p*d/*"},{"content":"staging/*"},{"content":"nonsense"}]}`, `{"matched":[0]}`},
		{"match_rule", production + `,"behavior":"deny","rules":[{"content":"p*d/*"},{"content":"staging/*"},{"content":"nonsense"}]}`, `{"matched":[0,2]}`},
		{"generate_suggestions", production + `}`, `{"rules":[]}`},
		{"describe_call", production + `}`, `{"action":"tool:Deploy:deploy prod/web","title":"deploy prod/web"}`},
	} {
		if got, err := answer(tc.verb, []byte(tc.envelope)); err != nil || string(got) != tc.want {
			t.Errorf("%s %s\n got  %s, %v\n want %s", tc.verb, tc.envelope, got, err, tc.want)
		}
	}
	for _, envelope := range []string{``, production, production + `,"tool":"Deploy"}`, production + `}}`, `{"tool":"Other","input":{}}`, `{"tool":"Deploy","input":{"operation":"\ud800"}}`} {
		if got, err := answer("check_permissions", []byte(envelope)); err == nil {
			t.Errorf("%s: got %s, want an error", envelope, got)
		}
	}
}
