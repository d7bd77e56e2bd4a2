package cli

import (
	"debug/elf"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/callgate/callgate/host/internal/testkit/compiledtest"
	"github.com/callgate/callgate/host/internal/testkit/projecttest"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
	"github.com/callgate/callgate/host/internal/testkit/scripttest"
	"github.com/callgate/callgate/plugins"
)

func TestMain(m *testing.M) {
	testscript.Main(compiledtest.Tests{M: m, Modules: plugins.Modules()}, programs)
}

// programs are the roles of the test binary, besides the tests, under other names.
var programs = map[string]func(){"callgate": func() { os.Exit(run()) }, "mcpserver": mcpServerProgram, "mcpclient": mcpClientProgram, "mcpweb": mcpWebProgram}

// sharedCache is the cache of all scripts, to compile the modules once.
func sharedCache() string { return filepath.Dir(compiledtest.Cache()) }

// TestScripts runs the real main, one script per command.
func TestScripts(t *testing.T) {
	t.Parallel()
	p := scriptParams()
	p.Dir = "testdata/script"
	testscript.Run(t, p)
}

// scriptParams are those of every script, with the commands of this package.
func scriptParams() testscript.Params {
	p := scripttest.Params(sharedCache())
	p.Condition = func(cond string) (bool, error) {
		switch cond {
		case "preload":
			return preloadable()
		case "modules":
			return len(plugins.Names()) > 0, nil
		case "root":
			return os.Geteuid() == 0, nil
		case "race":
			return raceflag.Enabled, nil
		}
		return false, errors.New("unknown condition")
	}
	maps.Copy(p.Cmds, map[string]func(*testscript.TestScript, bool, []string){
		"approver": approver, "patched": patched, "rebuilt": rebuilt, "discord": discordScript, "bomb": writeBomb, "project": siteScript, "mcpid": mcpID,
	})
	return p
}

// siteScript makes a git repository where folders may be trusted, and puts its path into
// $SITE.
func siteScript(ts *testscript.TestScript, _ bool, _ []string) {
	dir, err := projecttest.Make()
	ts.Check(err)
	ts.Defer(func() { _ = os.RemoveAll(dir) })
	site := filepath.Join(dir, "site")
	ts.Check(os.MkdirAll(filepath.Join(site, ".git"), 0o700))
	ts.Check(os.WriteFile(filepath.Join(site, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600))
	ts.Check(os.WriteFile(filepath.Join(site, "a.txt"), []byte("a\n"), 0o600))
	ts.Setenv("SITE", site)
}

// patience bounds waiting for a required event.
const patience = scripttest.Patience

// preloadable reports whether the program of the scripts, this test, has a dynamic linker, as
// with cgo.
func preloadable() (bool, error) {
	self, err := os.Executable()
	if err != nil {
		return false, err
	}
	f, err := elf.Open(self)
	if err != nil {
		return false, nil // not Linux
	}
	defer func() { _ = f.Close() }() // only read
	return slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }), nil
}
