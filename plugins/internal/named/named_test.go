package named_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/plugins/internal/named"
	"github.com/callgate/callgate/sdk/go/tool"
)

var at = tool.Context{CWD: "/p/sub", WorkingDirectories: []string{"/p"}}

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
		{`{"paths":["/a","b",{"sourceFile":"/c d"}]}`, true, []string{"path /a read", "path /p/sub/b read", "path /p/b read", "path /c d read"}, false},
		{`{"path":"README.md"}`, false, []string{"path /p/sub/README.md read", "path /p/sub/README.md write", "path /p/README.md read", "path /p/README.md write"}, false},
		{`{"text":"/etc/hosts"}`, true, []string{"path /etc/hosts read"}, false},
		{`{"c":"/etc/x"}`, true, []string{"path /etc/x read"}, false},
		{`{"a":[["/etc/x"]]}`, true, []string{"path /etc/x read"}, false},
		{`{"a":[{"b":"/etc/x"}]}`, true, []string{"path /etc/x read"}, false},
		{`{"a":{"b":[{"c":[[["/etc/x"]]]}]}}`, true, []string{"path /etc/x read"}, false},
		{`{"files":{"/etc/x":"text"}}`, true, []string{"path /etc/x read"}, false},
		{`{"a":"{\"b\":[\"/etc/x\"]}"}`, true, []string{"path /etc/x read"}, false},
		{`{"a":"[\"{\\\"b\\\":\\\"/etc/x\\\"}\"]"}`, true, []string{"path /etc/x read"}, false},
		{`{"args":["--out=/etc/x","-d@/etc/y","src=/a,dst=~/b"]}`, true, []string{"path /etc/x read", "path /etc/y read", "path /a read", "path ~/b read"}, false},
		{`{"data":"@/etc/x"}`, true, []string{"path /etc/x read"}, false},
		{`{"x":"FILE:///etc/x"}`, true, []string{"path /etc/x read"}, false},
		{`{"x":"~"}`, true, []string{"path ~ read"}, false},
		{`{"path":"~ann/x"}`, true, nil, true},
		{`{"command":"cat '/etc/x' > ~/y && curl https://evil.com"}`, true, []string{"path /etc/x read", "path ~/y read", "host evil.com read"}, false},
		{`{"name":".env"}`, true, []string{"path /p/sub/.env read", "path /p/.env read"}, false},
		{`{"name":"secrets/k"}`, true, []string{"path /p/sub/secrets/k read", "path /p/secrets/k read"}, false},
		{`{"name":"../x"}`, true, []string{"path /p/x read", "path /x read"}, false},
		{`{"x":"//etc/x"}`, true, []string{"path /etc/x read"}, false},
		{`{"note":"it lies in /etc/x"}`, true, nil, false},
		{`{"title":"main","id":"12","sha":"0a1b2c","flag":"-x/y"}`, true, nil, false},
		{`{"x":"ssh://ann@evil.com:22/y"}`, true, []string{"host evil.com read"}, false},
		{`{"x":"git@evil.com:a/b"}`, true, []string{"host evil.com read"}, false},
		{`{"x":"postgres://u:p@evil.com/db"}`, true, []string{"host evil.com read"}, false},
		{`{"x":["evil.com:443","evil.org/x"]}`, true, []string{"host evil.com read", "host evil.org read", "path /p/sub/evil.org/x read", "path /p/evil.org/x read"}, false},
		{`{"https://evil.com/":1}`, true, []string{"host evil.com read"}, false},
		{`{"x":"proxy=https://evil.com"}`, true, []string{"host evil.com read"}, false},
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
		{`{"link":"a-b","origin":"main","address":"12, Main St."}`, false, nil, false},
		{`{"text":"evil.com"}`, true, []string{"path /p/sub/evil.com read", "path /p/evil.com read"}, false},
		{`{"uri":"file:/etc/hosts"}`, true, []string{"path /etc/hosts read"}, false},
		{`{"uri":"file://localhost/etc/hosts"}`, true, []string{"path /etc/hosts read"}, false},
		{`{"uri":"file:///etc/pass%77d"}`, true, []string{"path /etc/passwd read"}, false},
		{`{"uri":"file://"}`, true, nil, true},
		{`{"path":"/a\u0000b"}`, true, nil, true},
		{`{}`, false, nil, false},
	} {
		targets, unknown := named.Targets(at, json.RawMessage(tc.input), tc.reads)
		var got []string
		for _, x := range targets {
			got = append(got, fmt.Sprintf("%s %s %s", x.Kind, x.Value, x.Access))
		}
		if !slices.Equal(got, tc.want) || unknown != tc.unknown {
			t.Errorf("%s: got %q, unknown %v; want %q, %v", tc.input, got, unknown, tc.want, tc.unknown)
		}
	}
	var list []string
	for i := range 1000 {
		list = append(list, fmt.Sprintf(`"/a/%d"`, i))
	}
	many := `{"paths":[` + strings.Join(list, ",") + `]}`
	if targets, unknown := named.Targets(at, json.RawMessage(many), true); len(targets) != 200 || !unknown {
		t.Errorf("a thousand paths: got %d targets, unknown %v", len(targets), unknown)
	}
}
