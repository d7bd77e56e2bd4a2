package demo_test

import (
	"testing"
	"testing/fstest"

	"github.com/callgate/callgate/host/internal/toolkit/demo"
	"github.com/callgate/callgate/testdata/deploy"
)

// TestOwn: the chapter of a third party's module, with its grant, the rule for the second call,
// and a replaced file.
func TestOwn(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	text := play(t, demo.Options{Sessions: fstest.MapFS{}, Own: deploy.WAT})
	inOrder(t, text,
		"^Session a-tool-of-your-own$", "^module   deploy 1.0.0, [0-9]+ bytes, sha256 [0-9a-f]{12}; declares: Judges deployments.$",
		"^granted  names Deploy, deploy; its own allow counts: no, its own read-only: no", "^in use after ",
		`^allow ask_approved Deploy deploy staging/web +rule Deploy\(deploy staging/web\) \(demo approver\)`,
		`^allow allow_rule   Deploy deploy staging/web +rule Deploy\(deploy staging/web\)  `,
		"^allow ask_approved Deploy rollback staging/web",
		"^deny  ask_denied   Deploy deploy prod/web ",
		"^refused  .*its bytes differ from the pinned ones", `^refused  .*its declarations changed .*\(tools.Deploy.aliases\)`,
		"^allow allow_rule   Deploy deploy staging/web",
		"^5 calls: 2 allowed without a question, 2 approved by a person, 1 denied by a person[.]$", "hash chain verified",
	)
}

// A module useless for the chapter ends the demo with an error.
func TestOwn_noModule(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	if err := demo.Run(t.Context(), demo.Options{Sessions: fstest.MapFS{}, Own: []byte("no module"), Modules: modules(), CacheDir: cache, Out: t.Output()}); err == nil {
		t.Error("got no error")
	}
}
