package discordtest

import (
	"strings"
	"testing"
)

// TestOracleSeesFaults keeps every other test from passing for want of a check.
func TestOracleSeesFaults(t *testing.T) {
	t.Parallel()
	o, err := findOracle(false)
	if err != nil {
		t.Fatal(err)
	}
	post := call{method: "POST", route: "/channels/{channel_id}/messages"}
	sent := func(body string) *call { c := post; c.body = []byte(body); return &c }
	cases := map[string]struct {
		c      *call
		status int
		answer string
		want   string
	}{
		"a request":        {sent(`{"content":3}`), 400, `{"code":1,"message":"m"}`, "the request breaks Discord's schema"},
		"a refusal fits":   {sent(`{"content":"x"}`), 400, `{"code":1,"message":"m"}`, ""},
		"an answer":        {sent(`{"content":"x"}`), 200, `{}`, "this server's answer 200 breaks Discord's schema"},
		"a status":         {sent(`{"content":"x"}`), 204, ``, "not an answer of Discord: 204"},
		"a body for none":  {&call{method: "DELETE", route: "/channels/{channel_id}/messages/{message_id}"}, 204, `{}`, "has a body"},
		"no such route":    {&call{method: "POST", route: "/nowhere"}, 200, `{}`, "is not in testdata/discord"},
		"permissions text": {&call{method: "PUT", route: "/applications/{application_id}/commands", body: []byte(`[{"name":"x","description":"d","default_member_permissions":"8"}]`)}, 400, `{"code":1,"message":"m"}`, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := strings.Join(o.check(c.c, Request{Status: c.status, Answer: []byte(c.answer)}, false), "; ")
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	if got := (*oracle)(nil).check(&post, Request{Status: 200}, false); got != nil {
		t.Errorf("without the tables: got %q", got)
	}
}
