package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine/profile"
)

// decisions are profiles with the actions that are decided in turn.
type decisions struct {
	name    string
	profile profile.Profile
	actions []string
}

func profiles(b *testing.B) []decisions {
	b.Helper()
	actions := []string{"tool:view:src/main.go", "tool:bash:npm run build", "tool:git:push origin main", "tool:self_edit:permissions:open"}
	var all []decisions
	for _, name := range profile.Presets() {
		p, err := profile.Preset(name)
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, decisions{name, p, actions})
	}
	plain, mixed := profile.Profile{Name: "plain"}, profile.Profile{Name: "mixed"}
	for i := range 200 {
		list, also := &plain.Allow, &mixed.Allow
		if i%4 == 3 {
			list, also = &plain.Ask, &mixed.Ask
		}
		text := fmt.Sprintf([]string{`tool:bash:program%d .*`, `tool:create_file:src/dir%d/.*\.go`, `tool:bash:(?:run%d|make%[1]d) (?:test|build)`, `tool:git:push origin branch%d`}[i%4], i)
		*list = append(*list, text)
		switch i % 20 {
		case 0:
			text = fmt.Sprintf(`tool:bash:(?!.*[;&|])tool%d .*`, i)
		case 10:
			text = fmt.Sprintf(`tool:bash:say%d (["']).*\1`, i)
		}
		*also = append(*also, text)
	}
	hits := []string{"tool:bash:program196 x", "tool:create_file:src/dir197/a.go", "tool:bash:make198 build", "tool:git:push origin branch199", "tool:bash:rm -rf x", `tool:bash:say190 "x"`}
	return append(all, decisions{"200-plain", plain, hits}, decisions{"200-mixed", mixed, hits})
}

// BenchmarkProfile times a decision by a profile, beside the same patterns in
// the same order through Python's re, in one warm process, and through regexp,
// where it can express them.
func BenchmarkProfile(b *testing.B) {
	for _, d := range profiles(b) {
		b.Run(d.name+"/callgate", func(b *testing.B) { d.callgate(b) })
		b.Run(d.name+"/python-re", func(b *testing.B) { d.python(b) })
		b.Run(d.name+"/regexp", func(b *testing.B) { d.regexp(b) })
	}
}

func (d decisions) callgate(b *testing.B) {
	c, err := profile.Compile(d.profile)
	if err != nil {
		b.Fatal(err)
	}
	one := make([]string, 1)
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		one[0] = d.actions[i%len(d.actions)]
		if a := c.Decide(one); a.Note != "" {
			b.Fatal(a.Note)
		}
		i++
	}
}

func (d decisions) regexp(b *testing.B) {
	var lists [2][]*regexp.Regexp
	for i, texts := range [][]string{d.profile.Allow, d.profile.Ask} {
		for _, text := range texts {
			re, err := regexp.Compile(`\A(?:` + text + `)\z`)
			if err != nil {
				b.Skip("not expressible: " + text)
			}
			lists[i] = append(lists[i], re)
		}
	}
	i := 0
	for b.Loop() {
		action := d.actions[i%len(d.actions)]
		match := func(re *regexp.Regexp) bool { return re.MatchString(action) }
		_ = slices.ContainsFunc(lists[0], match) || slices.ContainsFunc(lists[1], match)
		i++
	}
}

// decider answers a line with a number by deciding so many times.
const decider = `import json, re, sys
d = json.loads(sys.stdin.readline())
allow, ask = ([re.compile(p) for p in d[k] or []] for k in ("allow", "ask"))
def check(action):
    for p in allow:
        if p.fullmatch(action): return "allow"
    for p in ask:
        if p.fullmatch(action): return "ask"
    return "deny"
actions = d["actions"]
for line in sys.stdin:
    for i in range(int(line)): check(actions[i % len(actions)])
    print("done", flush=True)
`

func (d decisions) python(b *testing.B) {
	if err := exec.Command("python3", "-c", "import re").Run(); err != nil {
		b.Skip("no python3 here")
	}
	cmd := exec.Command("python3", "-c", decider)
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() { _ = in.Close(); _ = cmd.Wait() }()
	question, err := json.Marshal(map[string][]string{"allow": d.profile.Allow, "ask": d.profile.Ask, "actions": d.actions})
	if err != nil {
		b.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	say := func(text string) {
		if _, err := io.WriteString(in, text+"\n"); err != nil {
			b.Fatal(err)
		}
	}
	say(string(question))
	say("1000") // warm
	if !lines.Scan() {
		b.Fatal("python3 ended")
	}
	b.ResetTimer()
	say(fmt.Sprint(b.N))
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), "done") {
		b.Fatal("python3 ended")
	}
}
