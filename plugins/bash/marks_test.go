package bash_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/plugins/bash"
	"github.com/callgate/callgate/sdk/go/tool"
)

func marksOf(command string) []string {
	var out []string
	for _, m := range bash.Spec.Describe(callOf(command)).Marks {
		out = append(out, m.Kind+" "+m.Access+" "+m.Value)
	}
	return out
}

// TestT06_Marks: effects of a command besides its paths and hosts are named for the host's
// protection of itself.
func TestT06_Marks(t *testing.T) {
	t.Parallel()
	for command, want := range map[string][]string{
		"ls -la":                               {"program run ls -la"},
		"./x a 'b c' $d":                       {"program run ./x a ? ?"},
		"cd sub && ./x":                        {"program run sub/./x"},
		"'./a b' c":                            {"program run ./a%20b c"},
		"echo a | xargs rm -f":                 {"program run xargs rm -f", "program run rm -f"},
		"rm -rf build":                         {"tree write build"},
		"mv a b":                               {"tree write a", "tree write b/a/**"},
		"cp -r a/. b":                          {"tree read a/.", "tree write b/./**"},
		"ln -s a b":                            {"tree write a"},
		"find src -name '*.pyc' -delete":       {"tree write src/**/*.pyc"},
		"find src -delete":                     {"tree write src"},
		"find src -type f -delete":             {"tree write src/**"},
		"tar xf a.tar -C out":                  {"tree write out/**"},
		"grep -r x src":                        {"tree read src"},
		"git -C sub checkout .":                {"tree write sub/**"},
		"git checkout x -- ':(top)a'":          {"tree write ./a"},
		"git clean -fd a":                      {"tree write ./a"},
		"git apply --directory=d x":            {"tree write d/**"},
		"GIT_WORK_TREE=d git reset --hard":     {"tree write d/**"},
		"ls d/x | xargs rm":                    {"tree run d/x"},
		"xargs -a f echo":                      {"tree read f"},
		"tar xf a.tar member":                  {"tree write member"},
		"7z x a -oout/x":                       {"tree write out/x/**"},
		"lsof -ti:3000 | xargs kill -9":        {"process write port:3000"},
		"pgrep x | sort | xargs kill":          {"process write ?"},
		"pkill -P 1":                           {"process write ?"},
		"x & P=$!; kill $P":                    {"process write job"},
		"x & P=$!; trap 'kill $P' EXIT":        {"process write job"},
		"x & P=$!; trap \"$Y\" 0; kill $P":     {"process write ?"},
		"x & P=$!; trap 'P=1' 0; kill $P":      {"process write ?"},
		"x & P=$!; trap x 0; . y; kill $P":     {"process write ?"},
		"x & P=$!; P=$1; kill $P":              {"process write ?"},
		"x & P=$!; read P; kill $P":            {"process write ?"},
		"kill $P; P=$!":                        {"process write ?"},
		"x & P=$!; kill ${P:-1}":               {"process write ?"},
		"for P in 1; do P=$!; kill $P; done":   {"process write ?"},
		"foo -- x y":                           {"program read x y"},
		"hyperfine 'x y z'":                    {"program run x y z"},
		"E='x y' foo":                          {"program read x y"},
		"kill 5 -9":                            {"process write 5", "process write -9"},
		"kill -9 5":                            {"process write 5"},
		"kill -- -5":                           {"process write -5"},
		"kill %1 $!":                           {"process write job"},
		"kill $(lsof -ti:3000)":                {"process write port:3000"},
		"kill $(lsof -ti:3000) $(cat pid)":     {"process write ?"},
		"kill $X":                              {"process write ?"},
		"pkill -9 -f 'node server'":            {"process write pattern:node server"},
		"pkill -u root":                        {"process write ?"},
		"killall node":                         {"process write exact:node"},
		"strace -fp 7":                         {"process write 7"},
		"strace -p '7,8'":                      {"process write 7", "process write 8"},
		"gdb prog 7":                           {"process write 7"},
		"systemctl --user stop a b":            {"service write a", "service write b"},
		"systemctl status a":                   {"service read a"},
		"service a stop":                       {"service write a"},
		"tmux send-keys -t 0 y":                {"terminal write tmux send-keys"},
		"tmux ls":                              nil,
		"curl localhost:7433/x":                {"endpoint write localhost 7433"},
		"curl http://[::1]:7433/":              {"endpoint write ::1 7433"},
		"curl https://a.example/":              {"endpoint write a.example 443"},
		"curl http://localhost:$P/":            {"endpoint write localhost ?"},
		"nc localhost 7433":                    {"endpoint write localhost 7433"},
		"echo > /dev/tcp/a/7":                  {"endpoint write a 7"},
		"curl --unix-socket /s http://x/":      {"tree write /s"},
		"socat - UNIX-CONNECT:/s,retry":        {"tree write /s"},
		"nc -U /s":                             {"tree write /s"},
		"foo --out=a/b":                        {"tree run a/b"},
		"docker run -v /a:/b x":                {"tree write /a/**"},
		"docker run -v /a:/b x rm -r /b":       {"tree write /a/**"},
		"bwrap --bind /a /b rm -r /b":          {"tree run /a"},
		"awk 'BEGIN{system(\"x y\")}'":         {`program read BEGIN{system("x y")}`},
		"curl -d @a http://x/":                 {"tree read a"},
		"if":                                   nil,
		"sh -c 'kill 5; sh -c \"pkill node\"'": {"process write 5", "process write name:node"},
	} {
		got := marksOf(command)
		for _, mark := range want {
			if !slices.Contains(got, mark) {
				t.Errorf("%s: got %q, want %q among them", command, got, mark)
			}
		}
		if strings.HasPrefix(command, "tmux ls") && slices.ContainsFunc(got, func(m string) bool { return strings.HasPrefix(m, "terminal") }) {
			t.Errorf("%s: got %q, want no typing", command, got)
		}
	}
}

// TestT06_TextsAreNoPlaces: patterns between quotes, untouched by the shell, are no paths,
// bodies and headers no hosts, and a question to tmux types nothing. Possible files of the
// gate, and typing, are marked as before.
func TestT06_TextsAreNoPlaces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		command, part string
		want          bool
	}{
		{`rtk gh api x --jq '.[] | .name'`, ".[", false}, {`rtk grep "^/.*\\.(ts|tsx)$"`, "tree run /.*", false}, {`frob '.*'`, "tree ", false}, {`python3 -c "re.findall(r'.*\\.yaml', x)"`, "tree run .*", false},
		{`frob '.callgate*'`, "tree run .callgate*", true}, {`frob .*`, "tree run .*", true}, {`frob '/home/dev/*'`, "tree run /home/dev/*", true}, {`frob '~/.config/*'`, ".config/*", true},
		{`curl -d '{"jsonrpc":"2.0","id":1}' http://localhost:4`, " ?", false}, {`curl -d '{"a":1}' http://localhost:4`, "endpoint write localhost 4", true},
		{`curl -H 'X: localhost:5' x:4`, "localhost 5", false}, {`curl -d localhost:5 localhost:5`, "endpoint write localhost 5", true}, {`curl -dx:5 x:5`, "endpoint write x 5", true},
		{`curl --json '{"a":1}' localhost:5`, "endpoint write localhost 5", true}, {`curl -sd 5 localhost:5`, "endpoint write localhost 5", true},
		{"tmux display-message -p '#S'", "terminal", false}, {"tmux capture-pane -p", "terminal", false}, {"tmux load-buffer f", "terminal", false}, {"tmux list-panes -a", "terminal", false},
		{"tmux display-message -p '#(id)'", "terminal", true}, {"tmux capture-pane \\; send-keys x", "terminal", true}, {"tmux paste-buffer", "terminal", true}, {"tmux pipe-pane cat", "terminal", true},
		{"tmux respawn-pane", "terminal", true}, {"tmux run-shell id", "terminal", true}, {"tmux -f x display-message", "terminal", true},
	} {
		got := strings.Join(marksOf(c.command), "\n")
		if strings.Contains(got, c.part) != c.want {
			t.Errorf("%s: got %q, want %q in it: %v", c.command, got, c.part, c.want)
		}
	}
}

// TestT06_MoreMarksThanCount: marks beyond the bound make the rest unknown.
func TestT06_MoreMarksThanCount(t *testing.T) {
	t.Parallel()
	var words strings.Builder
	for i := range 200 {
		fmt.Fprintf(&words, "kill %s;", strings.Repeat(fmt.Sprintf("1%d%d ", i, i), 12)+fmt.Sprint(100000+i*20, 100001+i*20, 100002+i*20, 100003+i*20, 100004+i*20, 100005+i*20, 100006+i*20, 100007+i*20, 100008+i*20, 100009+i*20, 100010+i*20))
	}
	marks := bash.Spec.Describe(callOf(words.String())).Marks
	if len(marks) != 2001 || marks[2000] != (tool.Mark{Kind: tool.Program, Value: tool.Unknown, Access: tool.Run}) {
		t.Errorf("got %d marks, want 2001 with the last one unknown", len(marks))
	}
}

// FuzzMarks checks that every line has valid marks, and a program among them for each command
// with one.
func FuzzMarks(f *testing.F) {
	for _, seed := range []string{
		"kill -9 $(lsof -ti:3)", "tmux ; send-keys", "curl -o a --resolve a:1:b c@d:[1-2]/x", "socat UNIX:/a,b -", "git -C a mv b c", "cp -rt d a/. ..", "find -name", "docker run -v a:b:c,d=e@f", "gdb -p", "strace -", "nc -lU", "systemctl", "pkill -",
		"http ://:1 [::", "screen -X", "env -C", "kill `", "./a\\ b%", "script -q f c", "fuser -k 1/tcp", "rm {a,b}/**", "curl file:", "curl x://@", "tmux -",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, command string) {
		d := bash.Spec.Describe(callOf(command))
		if len(d.Marks) > 2048 {
			t.Errorf("%q: got %d marks", command, len(d.Marks))
		}
		for _, m := range d.Marks {
			if m.Value == "" || len(m.Value) > 4096 || strings.ContainsRune(m.Value, 0) {
				t.Errorf("%q: got the mark %+v, which the host refuses", command, m)
			}
		}
		for _, cmd := range bash.Analyze(command, bash.Setting{CWD: project, Home: home}).Commands {
			if len(cmd.Words) > 0 && len(d.Marks) == 0 && len(command) <= 64<<10 {
				t.Errorf("%q: no mark for %q", command, cmd.Name())
			}
		}
	})
}
