package wasmbin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/wasmbin"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
)

// specFloor is the minimum of assertions run, so a change of the files or of the runner cannot
// make the test an empty one. It does not apply to a part chosen by -run.
const specFloor = 70000

// TestSpecification runs the core tests of the WebAssembly specification, from wazero, on the
// modules as they are and on the rewritten ones, with slices of fuel of one unit and large
// ones: results, traps and refusals must be the same before and after, and the fuel for any
// slices. Under the race detector it is a part of that, since each call is many times slower.
func TestSpecification(t *testing.T) {
	t.Parallel()
	dir := specDir(t)
	var tally tally
	t.Cleanup(func() { tally.report(t) })
	spectest, err := os.ReadFile(filepath.Join(dir, "testdata", "spectest.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"v1", "v2"} {
		if version == "v1" && raceflag.Enabled { // one goroutine compiles and calls; v2 has most of v1
			t.Run(version, func(t *testing.T) { t.Skip("too slow under the race detector, and so are slices of one unit") })
			continue
		}
		paths, err := filepath.Glob(filepath.Join(dir, version, "testdata", "*.json"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("no scripts of %s: %v", version, err)
		}
		for _, path := range paths {
			tally.scripts++
			t.Run(version+"/"+strings.TrimSuffix(filepath.Base(path), ".json"), func(t *testing.T) {
				t.Parallel()
				s := &specScript{path: path, tally: &tally}
				s.run(t, spectest)
			})
		}
	}
}

// specDir is wazero's copy of the specification's tests in the module cache, found by the go
// command without a network.
func specDir(t *testing.T) string {
	cmd := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/tetratelabs/wazero")
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=readonly")
	out, err := cmd.Output()
	dir := filepath.Join(strings.TrimSpace(string(out)), "internal", "integration_test", "spectest")
	if err == nil {
		_, err = os.Stat(dir)
	}
	if err != nil {
		t.Skipf("the specification's tests are not in the module cache: %v", err)
	}
	return dir
}

// tally counts assertions run, and skipped ones by reason.
type tally struct {
	sync.Mutex
	ran, left     map[string]int
	scripts, done int
}

func (t *tally) add(m *map[string]int, what string) {
	t.Lock()
	defer t.Unlock()
	if *m == nil {
		*m = map[string]int{}
	}
	(*m)[what]++
}

func (t *tally) report(tb testing.TB) {
	total := 0
	for _, what := range slices.Sorted(maps.Keys(t.ran)) {
		total += t.ran[what]
		tb.Logf("%6d %s", t.ran[what], what)
	}
	tb.Logf("%6d ran before and after rewriting", total)
	for _, what := range slices.Sorted(maps.Keys(t.left)) {
		tb.Logf("%6d left out: %s", t.left[what], what)
	}
	if floor := specFloor / divisor(); t.done == t.scripts && total < floor {
		tb.Errorf("%d ran; want at least %d", total, floor)
	}
}

// divisor is for tests run less often under the race detector.
func divisor() int {
	if raceflag.Enabled {
		return 4
	}
	return 1
}

// specCommand is one line of a script, as wast2json writes it.
type specCommand struct {
	Type       string `json:"type"`
	Line       int    `json:"line"`
	Name       string `json:"name"`
	Filename   string `json:"filename"`
	As         string `json:"as"`
	ModuleType string `json:"module_type"`
	Text       string `json:"text"`
	Action     struct {
		Type   string  `json:"type"`
		Module string  `json:"module"`
		Field  string  `json:"field"`
		Args   []value `json:"args"`
	} `json:"action"`
	Expected []value `json:"expected"`
}

// specScript runs one script in several worlds side by side.
type specScript struct {
	path   string
	tally  *tally
	worlds []*specWorld
	wasm   []byte // of the command at hand
}

func (s *specScript) run(t *testing.T, spectest []byte) {
	raw, err := os.ReadFile(s.path)
	var script struct{ Commands []specCommand }
	if err == nil {
		err = json.Unmarshal(raw, &script)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, slice := range specSlices() {
		s.worlds = append(s.worlds, newSpecWorld(t, spectest, slice))
	}
	s.tally.Lock()
	s.tally.done++
	s.tally.Unlock()
	as := ""
	for i, c := range script.Commands {
		if as = ""; i+1 < len(script.Commands) && script.Commands[i+1].Type == "register" {
			as = script.Commands[i+1].As
		}
		s.command(t, &c, as)
	}
}

// specSlices are the sizes of the slices of fuel of the worlds; 0 is for modules as
// they are.
func specSlices() []int64 {
	if raceflag.Enabled {
		return []int64{0, 1 << 20}
	}
	return []int64{0, 1, 1 << 20}
}

// command runs one command in all worlds and compares. as is the name of its module for later
// imports.
func (s *specScript) command(t *testing.T, c *specCommand, as string) {
	if c.Type == "register" || c.ModuleType == "text" {
		return // done with its module; nothing for a reader of binaries
	}
	if c.Filename != "" {
		var err error
		if s.wasm, err = os.ReadFile(filepath.Join(filepath.Dir(s.path), c.Filename)); err != nil {
			t.Fatal(err)
		}
	}
	var got []outcome
	for _, w := range s.worlds {
		if c.Filename != "" {
			got = append(got, w.instantiate(s.wasm, c.Name, as))
		} else {
			got = append(got, w.act(c))
		}
	}
	s.compare(t, c, got)
}

// outcome is the result of one command in one world.
type outcome struct {
	left    string // why it could not run
	failed  string // the class of its trap or refusal
	results []uint64
	fuel    int64 // -1 when unknown: the instance is gone
}

// compare checks the outcomes against the script and each other.
func (s *specScript) compare(t *testing.T, c *specCommand, got []outcome) {
	before, first, last := got[0], got[1], got[len(got)-1]
	if first.left != "" {
		s.tally.add(&s.tally.left, first.left)
		return
	}
	s.tally.add(&s.tally.ran, c.Type)
	where := fmt.Sprintf("line %d: %s %s", c.Line, c.Type, c.Action.Field)
	for _, after := range got[1:] {
		refusal := c.Type == "assert_invalid" || c.Type == "assert_malformed" || c.Type == "assert_unlinkable"
		if before.failed != after.failed && !(refusal && before.failed != "" && after.failed != "") {
			t.Errorf("%s: got %q, rewritten %q", where, before.failed, after.failed)
		}
		if !slices.Equal(before.results, after.results) {
			t.Errorf("%s: got %x, rewritten %x", where, before.results, after.results)
		}
	}
	if first.fuel != last.fuel {
		t.Errorf("%s: %d fuel in slices of 1, %d in large ones", where, first.fuel, last.fuel)
	}
	s.expect(t, c, where, last)
}

// trapClasses are the engine's words for the specification's.
var trapClasses = map[string]string{
	"out of bounds memory access": "out of bounds memory access", "out of bounds table access": "invalid table access",
	"indirect call type mismatch": "indirect call type mismatch", "indirect call": "indirect call type mismatch",
	"undefined element": "invalid table access", "undefined": "invalid table access", "uninitialized": "invalid table access",
	"uninitialized element": "invalid table access", "uninitialized element 2": "invalid table access", "uninitialized element 7": "invalid table access",
	"integer overflow": "integer overflow", "invalid conversion to integer": "invalid conversion to integer",
	"integer divide by zero": "integer divide by zero", "unreachable": "unreachable", "call stack exhausted": "stack overflow",
}

func (s *specScript) expect(t *testing.T, c *specCommand, where string, got outcome) {
	switch c.Type {
	case "module", "action", "assert_return":
		want, err := patternsOf(c.Expected)
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		matches := got.failed == "" && (c.Action.Type == "" || len(want) == len(got.results))
		for i := range min(len(want), len(got.results)) {
			matches = matches && want[i].matches(got.results[i])
		}
		if !matches {
			t.Errorf("%s: got %x %s; want %x", where, got.results, got.failed, want)
		}
	case "assert_trap", "assert_exhaustion":
		if want, ok := trapClasses[c.Text]; !ok || got.failed != want {
			t.Errorf("%s: got %q; want %q (%s)", where, got.failed, want, c.Text)
		}
		if meter := s.worlds[len(s.worlds)-1].meter; c.Type == "assert_exhaustion" && meter.overflows == 0 {
			t.Errorf("%s: the engine ended the call, its own stack was counted as if it were enough", where)
		} else {
			meter.overflows = 0
		}
	}
}

// specWorld is one way to run the modules of a script.
type specWorld struct {
	r     wazero.Runtime
	meter *meter // nil where modules stay as they are
	last  api.Module
	// The modules by the script's names for them, and by those in imports. Nil where one could
	// not be rewritten.
	modules, registered map[string]api.Module
	needs               map[api.Module][]api.Module
	tainted             map[api.Module]bool
}

func newSpecWorld(t *testing.T, spectest []byte, slice int64) *specWorld {
	ctx := context.Background()
	w := &specWorld{
		r: wazero.NewRuntime(ctx), modules: map[string]api.Module{}, registered: map[string]api.Module{},
		needs: map[api.Module][]api.Module{}, tainted: map[api.Module]bool{},
	}
	t.Cleanup(func() { _ = w.r.Close(ctx) })
	if slice > 0 {
		w.meter = &meter{slice: slice}
		w.meter.link(t, w.r)
	}
	if _, err := w.r.Instantiate(ctx, spectest); err != nil {
		t.Fatal(err)
	}
	return w
}

var specOptions = wasmbin.Options{MemoryPages: 65536, TableEntries: 1<<32 - 1, StackBytes: stackBytes, Bytes: 64 << 20}

// instantiate makes an instance, rewritten or not.
func (w *specWorld) instantiate(wasm []byte, name, as string) outcome {
	w.last = nil
	before := w.meter.used()
	if w.meter != nil {
		if left := w.unfit(wasm); left != "" {
			w.registered[as], w.modules[name] = nil, nil
			return outcome{left: left}
		}
		result, err := wasmbin.Rewrite(wasm, specOptions)
		if err != nil {
			return outcome{failed: err.Error(), fuel: -1}
		}
		wasm = result.Wasm
	}
	mod, err := w.r.InstantiateWithConfig(context.Background(), wasm, wazero.NewModuleConfig().WithName(as))
	if err != nil {
		return outcome{failed: startClass(err), fuel: -1}
	}
	w.last = mod
	w.registered[as], w.modules[name] = mod, mod
	w.needs[mod] = w.importedFrom(wasm)
	if w.meter == nil {
		return outcome{}
	}
	w.meter.adopt(mod)
	return outcome{fuel: w.meter.used() - before}
}

// unfit says why a module cannot be rewritten, or run without one that cannot. Its target
// modules are spoilt from then on.
func (w *specWorld) unfit(wasm []byte) string {
	imports, err := wasmbin.Imports(wasm)
	if err != nil {
		return ""
	}
	why := ""
	for _, i := range imports {
		if i.Kind != "function" {
			why = "module imports a " + i.Kind
			w.tainted[w.registered[i.Module]] = true
		} else if mod, ok := w.registered[i.Module]; ok && mod == nil && why == "" {
			why = "module imports from such a module"
		}
	}
	return why
}

// importedFrom lists the modules of the script imported by a module.
func (w *specWorld) importedFrom(wasm []byte) (from []api.Module) {
	imports, _ := wasmbin.Imports(wasm) // one accepted by the engine
	for _, i := range imports {
		if mod := w.registered[i.Module]; mod != nil {
			from = append(from, mod)
		}
	}
	return from
}

// spoilt reports whether a module, or one it calls, is spoilt.
func (w *specWorld) spoilt(mod api.Module) bool {
	return mod == nil || w.tainted[mod] || slices.ContainsFunc(w.needs[mod], w.spoilt)
}

// act calls a function or reads a global.
func (w *specWorld) act(c *specCommand) outcome {
	mod := w.last
	if c.Action.Module != "" {
		mod = w.modules[c.Action.Module]
	}
	if w.spoilt(mod) {
		return outcome{left: "action of such a module, or of one that it would have changed"}
	}
	if c.Action.Type == "get" {
		return outcome{results: []uint64{mod.ExportedGlobal(c.Action.Field).Get()}}
	}
	before := w.meter.used()
	args, err := arguments(c.Action.Args)
	if err != nil {
		return outcome{failed: err.Error()}
	}
	results, err := mod.ExportedFunction(c.Action.Field).Call(context.Background(), args...)
	err = w.meter.balance(err)
	return outcome{results: results, failed: class(err), fuel: w.meter.used() - before}
}
