package modules

import (
	"context"
	"fmt"
	"io/fs"
	"regexp/syntax"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/gate/target"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/testkit/hostiletest"
	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// TestWork_hostile: each hostile description with too much work for the host is refused by the
// name of that limit.
func TestWork_hostile(t *testing.T) {
	t.Parallel()
	all, err := hostiletest.Suite(repo.File("testdata/hostile"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := sandbox.New(t.Context(), sandbox.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	tried := 0
	for _, a := range all {
		if !strings.HasPrefix(a.Name, "work_") {
			continue
		}
		tried++
		m, err := r.Load(t.Context(), a.Name, a.Wasm)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := m.Call(t.Context(), sandbox.DescribeCall, []byte(`{"input":{}}`))
		if err != nil {
			t.Fatal(err)
		}
		if d, err := parseDescribed(answer); err == nil || !strings.Contains(err.Error(), "units of work, but the limit is ") {
			t.Errorf("%s: got %d targets, %d marks, %v; want it refused by that limit", a.Name, len(d.Targets), len(d.Marks), err)
		}
	}
	if tried < 6 {
		t.Errorf("%d hostile modules ask for work; want six at least", tried)
	}
}

// TestWork_most: a long call of everyday work stays within the limit.
func TestWork_most(t *testing.T) {
	t.Parallel()
	var d Description
	for i := range 256 {
		file := fmt.Sprintf("internal/service/handlers/handler_%d_test.go", i)
		d.Targets = append(d.Targets, engine.Target{Kind: "path", Value: file, Access: "write"})
		d.Marks = append(d.Marks, engine.Target{Kind: "tree", Value: file, Access: "write"})
	}
	script := strings.Repeat("for line in open('data/input.csv'):\n    total += int(line.split(',')[3])\n", 50)
	d.Marks = append(d.Marks, engine.Target{Kind: "program", Value: script, Access: "read"}, engine.Target{Kind: "program", Value: "rm -f x", Access: "run"})
	if err := d.checkWork(); err != nil {
		t.Error(err)
	}
}

// counting counts the bytes of the names looked at.
type counting struct {
	target.FS
	bytes atomic.Int64
}

func (c *counting) Lstat(name string) (fs.FileMode, error) {
	c.bytes.Add(int64(len(name)))
	return c.FS.Lstat(name)
}

// TestWork_paths: the file system's cost of a look at any path is bounded by its units: a unit
// is some hundred bytes of names.
func TestWork_paths(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.SampledFrom([]string{"a", "..", ".", "**", "usr", "lib", "proc", "*a", "[a]", "{a,b}", "éß", ""})
		value := rapid.SampledFrom([]string{"", "/", "~/", "./"}).Draw(t, "begin") + strings.Join(rapid.SliceOfN(part, 1, 1000).Draw(t, "parts"), "/")
		if len(value) > maxTarget {
			value = value[:maxTarget]
		}
		c := &counting{FS: target.OS()}
		place := target.Place{CWD: "/tmp", Home: "/root", WorkingDirectories: []string{"/tmp"}}
		one := engine.Target{Kind: "path", Value: value, Access: "read"}
		_, _ = (&target.Resolver{FS: c}).Resolve(t.Context(), place, nil, []engine.Target{one})
		work := int64(workOf(one))
		if listsNames(one) {
			work += workOfNames
		}
		if got := c.bytes.Load(); got > 200*work {
			t.Errorf("%q: looking at %d bytes of names counts %d units", value, got, work)
		}
	})
}

// TestWork_patterns: a fitting pattern has no more instructions than its size says.
func TestWork_patterns(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"a", "node", ".*", "[a-z]", "[^a]", "(ab|c)", "(a?){1000}", "(x{30}){30}", `\w+`, `\pL`, `\x{ffff}`, "é", "(?i)", "a{2,}", "$", "^"})
		pattern := strings.Join(rapid.SliceOfN(piece, 1, 40).Draw(t, "pieces"), "")
		re, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			return
		}
		size := patternSize(pattern)
		if size >= maxWork {
			return
		}
		prog, err := syntax.Compile(re.Simplify())
		if err != nil {
			t.Fatal(err)
		}
		if len(prog.Inst) > 4*size+8 {
			t.Errorf("%q: %d instructions, the size is %d", pattern, len(prog.Inst), size)
		}
	})
}
