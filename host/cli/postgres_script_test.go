package cli

import (
	"bufio"
	"os/exec"
	"regexp"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/callgate/callgate/host/internal/testkit/storetest"
)

// TestPostgresScripts runs the real main over a PostgreSQL server: $PG is the URL of a schema of its
// own for each script.
func TestPostgresScripts(t *testing.T) {
	t.Parallel()
	server := storetest.StartServer(t).URL()
	p := scriptParams()
	p.Dir = "testdata/postgres"
	setup := p.Setup
	p.Setup = func(env *testscript.Env) error {
		env.Setenv("PG", storetest.Schema(t, server))
		return setup(env)
	}
	p.Cmds["killed"] = killed
	testscript.Run(t, p)
}

// killed PATTERN COMMAND... starts a command and kills it when its log has a line.
func killed(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: killed PATTERN COMMAND...")
	}
	pattern := regexp.MustCompile(args[0])
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"HOME", "PATH", "TMPDIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	log, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	found := false
	for lines := bufio.NewScanner(log); lines.Scan(); {
		if !found && pattern.MatchString(lines.Text()) {
			found = true
			ts.Check(cmd.Process.Kill())
		}
	}
	_ = cmd.Wait() // killed
	if !found {
		ts.Fatalf("no line of the log matches %s", pattern)
	}
}
