package bash_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/plugins/bash"
	"github.com/callgate/callgate/sdk/go/tool"
)

func targets(d tool.Description) []string {
	var out []string
	for _, t := range d.Targets {
		prefix := t.Access
		if t.Kind == tool.Host {
			prefix = "host " + t.Access
		}
		out = append(out, prefix+" "+t.Value)
	}
	return out
}

func TestTargets(t *testing.T) {
	t.Parallel()
	cases := []struct {
		command string
		want    []string
		unknown bool
	}{
		{"cat a b", []string{"read a", "read b"}, false},
		{"{ cat .env; }", []string{"read .env"}, false},
		{"cat <(ls) .env", []string{"read .env"}, false},
		{"cat < a > b 2>> c", []string{"read a", "write b", "write c"}, false},
		{"cd sub && touch x", []string{"read sub", "write sub/x"}, false},
		{"cd sub; touch x", []string{"read sub", "write sub/x", "write x"}, false},
		{"cd ~/a && cat b", []string{"read ~/a", "read ~/a/b"}, false},
		{"cd $X && cat b", nil, true},
		{"cat ~/.ssh/id_rsa", []string{"read ~/.ssh/id_rsa"}, false},
		{"cat '~/x'", []string{"read ./~/x"}, false},
		{`cat "$HOME/x"`, []string{"read /home/dev/x"}, false},
		{"cp a b", []string{"read a", "write b", "write b/a"}, false},
		{"cp -t d a b", []string{"read a", "read b", "write d", "write d/a", "write d/b"}, false},
		{"mv a b", []string{"read a", "write a", "write b", "write b/a"}, false},
		{"rm -rf x", []string{"write x"}, false},
		{"touch {a,b}.go", []string{"write a.go", "write b.go"}, false},
		{"sed -i s/a/b/ f", []string{"write f"}, false},
		{"sed -n 1p f", []string{"read f"}, false},
		{"grep -rn x src", []string{"read src"}, false},
		{"grep -e x src", []string{"read src"}, false},
		{"echo hi", nil, false},
		{"./run.sh a", []string{"run ./run.sh", "read a"}, false},
		{"bash deploy.sh", []string{"run deploy.sh"}, false},
		{"python3 x.py", []string{"run x.py"}, false},
		{"python3 -c 'open(x)'", nil, true},
		{"python3 -c 'print(1)'", []string{"read ."}, false}, // where modules may come from
		{"python3 -c \"open('a/b').read(); open('c', 'w')\"", []string{"read a/b", "write c", "read ."}, false},
		{"curl -o f https://API.Example.com/x", []string{"write f", "host read api.example.com"}, false},
		{"curl https://github.com:x@evil.example/", []string{"host read github.com:x@evil.example"}, false},
		{"cat < /dev/tcp/evil.example/80", []string{"host read evil.example"}, false},
		{"sudo cat a", []string{"read a"}, false},
		{"find src -name x -delete", []string{"read src", "write src"}, false},
		{"git status", []string{"read ."}, false},
		{"git -C sub log", []string{"read sub"}, false},
		{"git grep -C 3 x", []string{"read ."}, false}, // context, no directory
		{"git log -C50%", []string{"read ."}, false},
		{"eval x", nil, true},
		{"ls 'unclosed", nil, true},
	}
	for _, c := range cases {
		t.Run(c.command, func(t *testing.T) {
			t.Parallel()
			d := bash.Spec.Describe(callOf(c.command))
			got := targets(d)
			for _, want := range c.want {
				if !slices.Contains(got, want) {
					t.Errorf("got %q, want %q in it", got, want)
				}
			}
			for _, g := range got {
				if !slices.Contains(c.want, g) {
					t.Errorf("got %q, which is not wanted", g)
				}
			}
			if d.TargetsUnknown != c.unknown {
				t.Errorf("targets unknown: got %v, want %v", d.TargetsUnknown, c.unknown)
			}
		})
	}
}

func TestActions(t *testing.T) {
	t.Parallel()
	cases := []struct {
		command string
		want    []string
	}{
		{"npm test", []string{"tool:bash:npm test"}},
		{"npm i; curl x | sh", []string{"tool:bash:npm i", "tool:bash:curl x", "tool:bash:sh", "tool:bash:npm i; curl x | sh"}},
		{"sudo npm i", []string{"tool:bash:sudo npm i", "tool:bash:npm i"}},
		{"echo x > f", []string{"tool:bash:echo x > f"}},
		{"bash -c 'a; b'", []string{"tool:bash:bash -c 'a; b'", "tool:bash:a", "tool:bash:b"}},
		{"'unclosed", []string{"tool:bash:'unclosed"}},
	}
	for _, c := range cases {
		t.Run(c.command, func(t *testing.T) {
			t.Parallel()
			d := bash.Spec.Describe(callOf(c.command))
			if d.Action != "tool:bash:"+c.command {
				t.Errorf("action %q", d.Action)
			}
			if !slices.Equal(d.Actions, c.want) {
				t.Errorf("got %q, want %q", d.Actions, c.want)
			}
		})
	}
}

func TestTargetsAreBounded(t *testing.T) {
	t.Parallel()
	command := "cat"
	for i := range 400 {
		command += fmt.Sprintf(" f%d", i)
	}
	d := bash.Spec.Describe(callOf(command))
	if len(d.Targets) > 256 || !d.TargetsUnknown {
		t.Errorf("got %d targets, unknown %v; want at most 256 and unknown", len(d.Targets), d.TargetsUnknown)
	}
}

// TestDescribeVeryLong: a command too long for analysis is described in an answer accepted by
// the host, and nothing of it counts as known.
func TestDescribeVeryLong(t *testing.T) {
	t.Parallel()
	d := bash.Spec.Describe(callOf("echo " + strings.Repeat("a", 10<<20)))
	if size := len(d.Action) + len(d.Preview) + len(d.Title); size > 1000 || len(d.Actions) > 0 || !d.TargetsUnknown {
		t.Errorf("got %d bytes of text, %d actions, targets unknown %t; want a short text, no parts, unknown targets", size, len(d.Actions), d.TargetsUnknown)
	}
}
