package named_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/plugins/internal/named"
)

func TestTargets(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		input   string
		reads   bool
		want    []string
		unknown bool
	}{
		{`{"path":"/etc/hosts"}`, true, []string{"path /etc/hosts read"}, false},
		{`{"path":"/etc/hosts"}`, false, []string{"path /etc/hosts read", "path /etc/hosts write"}, false},
		{`{"file_path":"~/.ssh/id_rsa"}`, true, []string{"path ~/.ssh/id_rsa read"}, false},
		{`{"paths":["/a","b",{"sourceFile":"/c d"}]}`, true, []string{"path /a read", "path /c d read"}, false},
		{`{"path":"README.md"}`, false, nil, false},
		{`{"text":"/etc/hosts"}`, false, nil, false},
		{`{"text":"see https://github.com/x"}`, false, nil, false},
		{`{"link":"HTTPS://GitHub.com:8443/x"}`, false, []string{"host github.com read"}, false},
		{`{"deep":[[{"u":"http://[::ffff:127.0.0.1]/"}]]}`, false, []string{"host 127.0.0.1 read"}, false},
		{`{"url":"https://user@github.com/"}`, false, nil, true},
		{`{"text":" https://evil.com\n"}`, false, []string{"host evil.com read"}, false},
		{`{"text":"https:evil.com"}`, false, []string{"host evil.com read"}, false},
		{`{"text":"https:\\\\evil.com"}`, false, []string{"host evil.com read"}, false},
		{`{"text":"https:///evil.com"}`, false, []string{"host evil.com read"}, false},
		{`{"text":"view-source:WSS://Evil.com:99/"}`, false, []string{"host evil.com read"}, false},
		{`{"url":"https://ev\til.com"}`, false, []string{"host evil.com read"}, false},
		{`{"text":"https://evil.com is down"}`, false, nil, false},
		{`{"url":"evil.com/x"}`, false, []string{"host evil.com read"}, false},
		{`{"href":"//evil.com"}`, false, []string{"host evil.com read"}, false},
		{`{"hostname":"localhost"}`, false, []string{"host localhost read"}, false},
		{`{"link":"a..b","origin":"main","address":"12, Main St."}`, false, nil, false},
		{`{"text":"evil.com"}`, false, nil, false},
		{`{"uri":"file:/etc/hosts"}`, true, []string{"path /etc/hosts read"}, false},
		{`{"uri":"file://localhost/etc/hosts"}`, true, []string{"path /etc/hosts read"}, false},
		{`{"uri":"file:///etc/pass%77d"}`, true, []string{"path /etc/passwd read"}, false},
		{`{"uri":"file://"}`, true, nil, true},
		{`{"path":"/a\u0000b"}`, true, nil, true},
		{`{}`, false, nil, false},
	} {
		targets, unknown := named.Targets(json.RawMessage(tc.input), tc.reads)
		var got []string
		for _, x := range targets {
			got = append(got, fmt.Sprintf("%s %s %s", x.Kind, x.Value, x.Access))
		}
		if !slices.Equal(got, tc.want) || unknown != tc.unknown {
			t.Errorf("%s: got %q, unknown %v; want %q, %v", tc.input, got, unknown, tc.want, tc.unknown)
		}
	}
	many := `{"paths":["/a"` + strings.Repeat(`,"/a"`, 1000) + `]}`
	if targets, unknown := named.Targets(json.RawMessage(many), true); len(targets) != 64 || !unknown {
		t.Errorf("a thousand paths: got %d targets, unknown %v", len(targets), unknown)
	}
}
