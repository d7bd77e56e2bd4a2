package modules_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/machine/securedir"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

func reload(t *testing.T, c *modules.Catalog) {
	t.Helper()
	if _, err := c.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestReload(t *testing.T) {
	t.Parallel()
	dir := directory(t)
	c := open(t, modules.Options{Embedded: embedded(t, "echo"), Dir: dir, Fallback: "echo"})
	if e := c.Lookup("Deploy"); e.Module != "echo" {
		t.Fatalf("before: got %+v; want the fallback", e)
	}

	write(t, dir, "d.wasm", wasm(t, "deploy"))
	reload(t, c)
	noProblems(t, c)
	added := c.Lookup("Deploy")
	if added.Module != "deploy" || added.Err != nil {
		t.Fatalf("added: got %+v; want deploy", added)
	}

	write(t, dir, "d.wasm", []byte("not a module"))
	reload(t, c)
	wantProblem(t, c, "d.wasm", "not a module")
	wantProblem(t, c, "d.wasm", "stays in use")
	if e := c.Lookup("Deploy"); e.Digest != added.Digest || e.Err != nil {
		t.Errorf("after a bad file: got %+v; want the old module", e)
	}

	if err := os.Remove(filepath.Join(dir, "d.wasm")); err != nil {
		t.Fatal(err)
	}
	reload(t, c)
	noProblems(t, c)
	if e := c.Lookup("Deploy"); e.Module != "echo" {
		t.Errorf("removed: got %+v; want the fallback", e)
	}
	if v, err := added.Tool.CheckPermissions(t.Context(), call(`{"target":"staging/x"}`)); err != nil || v.Behavior != engine.Allow {
		t.Errorf("the old entry: got %+v, %v; want it to go on", v, err)
	}
}

// A reload with unwritten verdicts was in force, and reported no change.
func TestReloadThatFailsChangesNothing(t *testing.T) {
	t.Parallel()
	dir, verdicts := directory(t, "deploy"), filepath.Join(t.TempDir(), "verdicts")
	c := open(t, modules.Options{Embedded: embedded(t, "echo"), Dir: dir, CacheDir: verdicts, Fallback: "echo"})
	if err := os.RemoveAll(verdicts); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "deploy.wasm")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Configure(t.Context(), modules.Settings{Grants: map[string]modules.Rights{"echo": {MayAllow: true}}}); err == nil {
		t.Error("got no error, want one about the verdicts")
	}
	if e := c.Lookup("Deploy"); e.Module != "deploy" {
		t.Errorf("got %+v, want the module in use before", e)
	}
}

func TestReloadKeepsWhatDidNotChange(t *testing.T) {
	t.Parallel()
	dir := directory(t, "deploy")
	c := open(t, modules.Options{Embedded: embedded(t, "echo"), Dir: dir, Fallback: "echo"})
	before := c.Lookup("Deploy")
	for _, g := range []modules.Rights{
		{MayAllow: true},
		{MayAllow: true, Limits: sandbox.Limits{InputBytes: 100}},
		{MayAllow: true, Limits: sandbox.Limits{InputBytes: 1 << 20}},
	} {
		if _, err := c.Configure(t.Context(), modules.Settings{Grants: map[string]modules.Rights{"deploy": g}}); err != nil {
			t.Fatal(err)
		}
		e := c.Lookup("Deploy")
		if before.MayAllow || !e.MayAllow || e.Digest != before.Digest {
			t.Errorf("got %+v; want the grant and the same module", e)
		}
		_, err := e.Tool.CheckPermissions(t.Context(), call(`{}`))
		if small := g.Limits.InputBytes == 100; small != (err != nil) {
			t.Errorf("limits %+v: got %v", g.Limits, err)
		}
	}
	if _, err := c.Configure(t.Context(), modules.Settings{}); err != nil {
		t.Fatal(err)
	}
	if e := c.Lookup("Deploy"); e.MayAllow {
		t.Errorf("got %+v; want the grant gone", e)
	}
}

func TestReloadOfAnUnreadableDirectory(t *testing.T) {
	t.Parallel()
	dir := directory(t, "deploy")
	c := open(t, modules.Options{Embedded: embedded(t, "echo"), Dir: dir, Fallback: "echo"})
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Dir(dir), filepath.Base(dir), []byte("a file"))
	if _, err := c.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), "nothing changed") {
		t.Errorf("got %v; want an error", err)
	}
	if e := c.Lookup("Deploy"); e.Module != "deploy" || e.Err != nil {
		t.Errorf("got %+v; want deploy as before", e)
	}
}

// TestNamesOfABrokenModuleFailClosed: a module once admitted and now broken or gone must not
// leave its names to the fallback.
func TestNamesOfABrokenModuleFailClosed(t *testing.T) {
	t.Parallel()
	dir, verdicts := directory(t, "deploy"), filepath.Join(t.TempDir(), "verdicts")
	opts := modules.Options{Embedded: embedded(t, "echo"), Dir: dir, CacheDir: verdicts, Fallback: "echo"}
	noProblems(t, open(t, opts))

	write(t, dir, "deploy.wasm", wasm(t, "missing_export"))
	for range 2 { // the second start still knows
		c := open(t, opts)
		wantProblem(t, c, "deploy.wasm", "export match_rule: missing")
		for _, name := range []string{"Deploy", "deploy"} {
			if e := c.Lookup(name); e.Err == nil || e.Name != "Deploy" || e.Tool != nil {
				t.Errorf("%s: got %+v; want Deploy with its error", name, e)
			}
		}
	}

	if err := os.Remove(filepath.Join(dir, "deploy.wasm")); err != nil {
		t.Fatal(err)
	}
	opts.Settings.Grants = map[string]modules.Rights{"deploy": {MayAllow: true}}
	c := open(t, opts)
	wantProblem(t, c, "deploy.wasm", "the file is gone")
	if e := c.Lookup("Deploy"); e.Err == nil {
		t.Errorf("gone, but granted: got %+v; want an error", e)
	}

	opts.Embedded = embedded(t)
	c = open(t, opts)
	wantProblem(t, c, "make build")
	if e := c.Lookup("anything"); e.Err == nil {
		t.Errorf("without the fallback's module: got %+v; want an error", e)
	}
}

func TestGrantsWithoutAModule(t *testing.T) {
	t.Parallel()
	c := open(t, modules.Options{
		Embedded: embedded(t, "echo"), Fallback: "echo", Dir: filepath.Join(t.TempDir(), "absent"),
		Settings: modules.Settings{Grants: map[string]modules.Rights{"ghost": {Names: []string{"Ghost", "ghost__*"}}}},
	})
	wantProblem(t, c, "ghost", "no such module")
	for _, name := range []string{"Ghost", "ghost__x"} {
		if e := c.Lookup(name); e.Err == nil {
			t.Errorf("%s: got %+v; want an error", name, e)
		}
	}
}

func TestModuleThatFailsItsExamples(t *testing.T) {
	t.Parallel()
	c := open(t, modules.Options{Embedded: embedded(t, "echo"), Dir: directory(t, "bad_example"), Fallback: "echo"})
	wantProblem(t, c, "bad_example.wasm", `rule_examples[0] of Bad: deny rule "x", input {"a":1}: match is false, but the example expects true`)
	if e := c.Lookup("Bad"); e.Module != "echo" {
		t.Errorf("got %+v; want the fallback", e)
	}
}

// cached are Options with a cache, its verdict on the module, and the reports about it.
func cached(t *testing.T) (opts modules.Options, verdict string, reported *[]string) {
	t.Helper()
	cache := filepath.Join(t.TempDir(), "cache")
	reported = new([]string)
	opts = modules.Options{Dir: directory(t, "deploy"), CacheDir: cache, Fallback: "Deploy", Report: func(err error) {
		*reported = append(*reported, err.Error())
	}}
	digest := open(t, opts).Lookup("Deploy").Digest
	return opts, filepath.Join(cache, "verdicts", digest+".3.json"), reported
}

// forge changes a verdict and authenticates it for a purpose.
func forge(t *testing.T, opts modules.Options, path, purpose string) {
	t.Helper()
	dir, err := securedir.Open(opts.CacheDir)
	if err != nil {
		t.Fatal(err)
	}
	key, err := dir.Key()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := []byte(strings.Replace(string(data[securedir.MACSize:]), `"1.2.0"`, `"from the verdict"`, 1))
	write(t, filepath.Dir(path), filepath.Base(path), append(key.MAC(purpose, text), text...))
}

// TestVerdictsAreRemembered: the second start runs nothing of a module.
func TestVerdictsAreRemembered(t *testing.T) {
	t.Parallel()
	opts, path, reported := cached(t)
	digest, _, _ := strings.Cut(filepath.Base(path), ".")
	forge(t, opts, path, "verdict "+digest)
	if e := open(t, opts).Lookup("Deploy"); e.Version != "from the verdict" {
		t.Errorf("got %+v; want the remembered description", e)
	}
	if len(*reported) != 0 {
		t.Errorf("reported %q; want nothing", *reported)
	}
	opts.Runtime = nil
	if c, err := modules.Open(t.Context(), opts); err == nil {
		t.Errorf("without a runtime: got %v; want an error", c)
	}
}

// TestT18_Verdicts: a verdict made elsewhere, or for another module, is reported and made anew.
func TestT18_Verdicts(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, opts modules.Options, path string){
		"of another module": func(t *testing.T, opts modules.Options, path string) {
			forge(t, opts, path, "verdict "+strings.Repeat("0", 64))
		},
		"not authentic": func(t *testing.T, _ modules.Options, path string) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Dir(path), filepath.Base(path), []byte(strings.Replace(string(data), `"1.2.0"`, `"9.9.9"`, 1)))
		},
		"cut off": func(t *testing.T, _ modules.Options, path string) {
			write(t, filepath.Dir(path), filepath.Base(path), []byte("{"))
		},
		"of another key": func(t *testing.T, opts modules.Options, path string) {
			forge(t, opts, path, "verdict "+strings.TrimSuffix(filepath.Base(path), ".3.json"))
			write(t, opts.CacheDir, "key", make([]byte, 32))
		},
		"the list of files": func(t *testing.T, _ modules.Options, path string) {
			write(t, filepath.Dir(path), "last.3.json", []byte("rubbish"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts, path, reported := cached(t)
			spoil(t, opts, path)
			if e := open(t, opts).Lookup("Deploy"); e.Version != "1.2.0" || e.Err != nil {
				t.Errorf("got %+v; want the module asked again", e)
			}
			if len(*reported) == 0 || !strings.Contains((*reported)[0], "not authentic") {
				t.Errorf("reported %q; want it told", *reported)
			}
			*reported = nil
			if e := open(t, opts).Lookup("Deploy"); e.Version != "1.2.0" || len(*reported) != 0 {
				t.Errorf("got %+v, reported %q; want it made anew", e, *reported)
			}
		})
	}
}

func TestFilesThatAreNotLoaded(t *testing.T) {
	t.Parallel()
	dir, elsewhere := t.TempDir(), directory(t, "deploy")
	if err := os.Symlink(filepath.Join(elsewhere, "deploy.wasm"), filepath.Join(dir, "link.wasm")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "dir.wasm"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "README.md", []byte("hello"))
	c := open(t, modules.Options{Embedded: embedded(t, "echo"), Dir: dir, Fallback: "echo"})
	wantProblem(t, c, "link.wasm", "not a regular file")
	wantProblem(t, c, "dir.wasm", "not a regular file")
	if e := c.Lookup("Deploy"); e.Module != "echo" || len(c.Problems()) != 2 {
		t.Errorf("got %+v, problems %v; want nothing loaded", e, c.Problems())
	}
}

// TestReload_hammer calls while modules come, go and break; every answer is
// the module's or, when it is gone, the fallback's; where its file is refused, there
// is none.
func TestReload_hammer(t *testing.T) {
	t.Parallel()
	dir := directory(t, "deploy")
	c := open(t, modules.Options{Embedded: embedded(t, "echo"), Dir: dir, Fallback: "echo"})
	stop := make(chan struct{})
	var callers sync.WaitGroup
	for range 64 {
		callers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				e := c.Lookup("Deploy")
				if e.Err != nil {
					continue // its file is refused, and no other answers
				}
				v, err := e.Tool.CheckPermissions(context.Background(), call(`{"target":"production/x"}`))
				sound := e.Module == "deploy" && v.BypassImmune || e.Module == "echo" && strings.Contains(v.Reason, `"tool":"Deploy"`)
				if err != nil || !sound {
					t.Errorf("%s: got %+v, %v", e.Module, v, err)
					return
				}
			}
		})
	}
	for i := range 30 {
		switch i % 3 {
		case 0:
			write(t, dir, "deploy.wasm", []byte("broken"))
		case 1:
			if err := os.Remove(filepath.Join(dir, "deploy.wasm")); err != nil {
				t.Error(err)
			}
		case 2:
			write(t, dir, "deploy.wasm", wasm(t, "deploy"))
		}
		if _, err := c.Reload(t.Context()); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	callers.Wait()
}
