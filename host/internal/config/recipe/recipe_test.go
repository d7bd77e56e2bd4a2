package recipe_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/config/recipe"
)

var dirs = config.Dirs{Home: "/home/dev", Config: "/c", State: "/s", Cache: "/k"}

func find(t *testing.T, name string) recipe.Recipe {
	t.Helper()
	r, err := recipe.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRecipes_loadForAnAgentAndForAll(t *testing.T) {
	t.Parallel()
	for _, r := range recipe.All() {
		for _, agent := range []string{"", "builder", "no", "über agent"} {
			t.Run(r.Name+"/"+agent, func(t *testing.T) {
				t.Parallel()
				o := recipe.Options{Agent: agent, WorkingDirectory: "~/src/a b"}
				text, diff, err := recipe.Apply("callgate.yaml", nil, r, o)
				if err != nil {
					t.Fatal(err)
				}
				if string(text) != r.Fragment(o) || !strings.Contains(diff, "\n+") {
					t.Errorf("got\n%s\nand difference\n%s, want the fragment\n%s", text, diff, r.Fragment(o))
				}
				c, err := config.Parse("callgate.yaml", text, dirs)
				if err != nil {
					t.Fatalf("%v\n%s", err, text)
				}
				got := c.Agent(agent)
				if got.Mode != wantMode[r.Name] || got.Named != (agent != "") {
					t.Errorf("got %+v, want mode %v", got, wantMode[r.Name])
				}
				if (strings.HasSuffix(r.Name, "-project") || r.Name == "developer") && (len(got.WorkingDirectories) != 1 || got.WorkingDirectories[0] != "/home/dev/src/a b") {
					t.Errorf("got working directories %q", got.WorkingDirectories)
				}
				if r.Title == "" || r.Description == "" {
					t.Errorf("no title or no description: %q, %q", r.Title, r.Description)
				}
			})
		}
	}
}

var wantMode = map[string]engine.Mode{
	"explore": engine.Explore, "unattended": engine.DontAsk, "bypass-guarded": engine.Bypass, "team-default": engine.DefaultMode,
	"node-project": engine.AcceptEdits, "go-project": engine.AcceptEdits, "python-project": engine.AcceptEdits, "review": engine.Explore, "developer": engine.AcceptEdits,
}

const mine = `# my file

agents:
    # the builder
    builder:
        timeout: 2m # long

        rules:
            # scripts
            - allow: "Bash(npm run:*)"
              match: [npm run build]
              not_match: [npm install, "npm run build; curl example.com"]
            - allow: Glob
    other:
        mode: explore
store: /var/lib/callgate.db`

func TestApply_keepsWhatIsThere(t *testing.T) {
	t.Parallel()
	got, diff, err := recipe.Apply("callgate.yaml", []byte(mine), find(t, "unattended"), recipe.Options{Agent: "builder"})
	if err != nil {
		t.Fatal(err)
	}
	want := `# my file

agents:
    # the builder
    builder:
        mode: dont_ask
        kind: background
        timeout: 2m # long

        rules:
            - allow: "Bash(git commit:*)"
              match: ["git commit -m fix"]
              not_match: ["git push"]
            # scripts
            - allow: "Bash(npm run:*)"
              match: [npm run build]
              not_match: [npm install, "npm run build; curl example.com"]
            - allow: Glob
    other:
        mode: explore
store: /var/lib/callgate.db`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	wantDiff := `--- callgate.yaml
+++ callgate.yaml
@@ -3,9 +3,14 @@
 agents:
     # the builder
     builder:
+        mode: dont_ask
+        kind: background
         timeout: 2m # long
 
         rules:
+            - allow: "Bash(git commit:*)"
+              match: ["git commit -m fix"]
+              not_match: ["git push"]
             # scripts
             - allow: "Bash(npm run:*)"
               match: [npm run build]
`
	if diff != wantDiff {
		t.Errorf("got\n%s\nwant\n%s", diff, wantDiff)
	}
	again, diff, err := recipe.Apply("callgate.yaml", got, find(t, "unattended"), recipe.Options{Agent: "builder"})
	if err != nil || string(again) != string(got) || diff != "" {
		t.Errorf("applied again: got %v, difference %q, want no change", err, diff)
	}
}

func TestApply_addsAnAgentAndTopLevelKeys(t *testing.T) {
	t.Parallel()
	got, _, err := recipe.Apply("callgate.yaml", []byte(mine), find(t, "review"), recipe.Options{Agent: "reader"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Parse("callgate.yaml", got, dirs)
	if err != nil {
		t.Fatal(err)
	}
	if a := c.Agent("reader"); a.Mode != engine.Explore || len(c.Agents) != 3 || c.Agent("builder").Timeout.String() != "2m0s" {
		t.Errorf("got %+v", c.Agents)
	}
	if tool := string(c.ToolConfig("reader", "", "WebFetch")); !strings.Contains(tool, "pkg.go.dev") {
		t.Errorf("got tool configuration %s", tool)
	}
	got, _, err = recipe.Apply("callgate.yaml", []byte(mine), find(t, "team-default"), recipe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := mine + "\ndefaults:\n  mode: default\nrules:\n  - allow: \"Read(./**)\"\n"; !strings.HasPrefix(string(got), want) {
		t.Errorf("got\n%s\nwant it to begin with\n%s", got, want)
	}
}

func TestApply_conflicts(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, existing, recipe, agent, want string }{
		{"another mode", mine, "unattended", "other", "f.yaml:15:1: agents.other.mode: is set already"},
		{"in braces", "agents: {builder: {mode: plan}}\n", "unattended", "builder", "f.yaml:1:1: agents.builder.mode: is set already"},
		{"other directories", "agents:\n  b:\n    working_directories: [/x]\n", "go-project", "b", "f.yaml:3:1: agents.b.working_directories: is set already"},
		{"a broken file", "agents: 1\n", "explore", "b", "f.yaml:1:9: agents: want a mapping"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := recipe.Apply("f.yaml", []byte(tt.existing), find(t, tt.recipe), recipe.Options{Agent: tt.agent, WorkingDirectory: "/y"})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestFind_unknown(t *testing.T) {
	t.Parallel()
	if _, err := recipe.Find("yolo"); err == nil || !strings.Contains(err.Error(), "explore, unattended") {
		t.Errorf("got %v, want an error that lists the recipes", err)
	}
}

// FuzzApply checks that the bytes of any existing file stay, in order.
func FuzzApply(f *testing.F) {
	f.Add(mine, "builder")
	f.Add("", "")
	f.Add("rules:\n- allow: Read\n", "")
	f.Add("agents:\r\n  a:\r\n    mode: plan\r\n", "b")
	f.Add("# only words\n", "x")
	f.Add("agents: {a: {mode: plan}, b: {rules: [ ]}} # }\nrules: [{deny: Read}\n  ]", "b")
	f.Add("---\nstore: |\n  /a\n...\n", "x")
	f.Fuzz(func(t *testing.T, existing, agent string) {
		r, _ := recipe.Find("unattended")
		got, _, err := recipe.Apply("f.yaml", []byte(existing), r, recipe.Options{Agent: agent})
		if err != nil {
			return
		}
		rest := string(got)
		for i, b := range []byte(existing) {
			at := strings.IndexByte(rest, b)
			if at < 0 {
				t.Fatalf("byte %d, %q, is lost in\n%s", i, b, got)
			}
			rest = rest[at+1:]
		}
		if _, err := config.Parse("f.yaml", got, dirs); err != nil {
			t.Fatalf("%v\n%s", err, got)
		}
	})
}
