package languages

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/testkit/compiledtest"
	"github.com/callgate/callgate/host/internal/testkit/scripttest"
	"github.com/callgate/callgate/host/internal/toolkit/scaffold"
)

// TestAcceptTool goes through testdata/tool.txtar in the languages with small modules.
func TestAcceptTool(t *testing.T) {
	t.Parallel()
	compiledtest.Modules(t)
	script, err := os.ReadFile("testdata/tool.txtar")
	if err != nil {
		t.Fatal(err)
	}
	p, dir := scripttest.Params(filepath.Dir(compiledtest.Cache())), t.TempDir()
	for language, source := range map[string]string{"c": "deploy.c", "wat": "deploy.wat"} {
		var head strings.Builder
		if err := scaffold.Ready(t.Context(), language); err != nil {
			line, _, _ := strings.Cut(err.Error(), "\n")
			fmt.Fprintf(&head, "skip '%s'\n", strings.ReplaceAll(line, "'", ""))
		}
		fmt.Fprintf(&head, "env LANGUAGE=%s\nenv SOURCE=%s\n", language, source)
		file := filepath.Join(dir, language+".txtar")
		if err := os.WriteFile(file, append([]byte(head.String()), script...), 0o600); err != nil {
			t.Fatal(err)
		}
		p.Files = append(p.Files, file)
	}
	p.Cmds["digest"], p.Cmds["explained"] = digestInto, explained
	setup := p.Setup
	p.Setup = func(env *testscript.Env) error {
		for name, value := range compilerHomes() {
			env.Setenv(name, value)
		}
		return setup(env)
	}
	testscript.Run(t, p)
}

// digestInto VAR FILE puts the digest of a module into a variable, and its form in the log into
// VAR_SHORT.
func digestInto(ts *testscript.TestScript, _ bool, args []string) {
	digest := sandbox.Digest([]byte(ts.ReadFile(args[1])))
	ts.Setenv(args[0], digest)
	ts.Setenv(args[0]+"_SHORT", digest[:12])
}

// explained DIGEST TARGET REASON requires a deployment to the target to ask, by the module with
// the digest and for the reason.
func explained(ts *testscript.TestScript, _ bool, args []string) {
	scripttest.Exits(ts, 2, "callgate", "explain", "Deploy", `{"operation":"deploy","target":"`+args[1]+`"}`, "--json")
	var got struct {
		ModuleDigest string `json:"module_digest"`
		Decision     struct{ Reason string }
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &got))
	if got.ModuleDigest != args[0] || got.Decision.Reason != args[2] {
		ts.Fatalf("got %+v, want module %s and %q", got, args[0], args[2])
	}
}
