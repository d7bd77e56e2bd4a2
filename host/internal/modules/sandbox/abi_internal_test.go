package sandbox

import (
	"context"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/kernel"
	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// abiPage is the page for authors of modules.
func abiPage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(repo.File("docs/abi.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// abiRows are the cells of the table with the given head.
func abiRows(t *testing.T, head string) [][]string {
	t.Helper()
	_, rest, found := strings.Cut(abiPage(t), head+"\n")
	if !found {
		t.Fatalf("docs/abi.md has no table %q", head)
	}
	table, _, _ := strings.Cut(rest, "\n\n")
	var rows [][]string
	for _, line := range strings.Split(table, "\n")[1:] {
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.Trim(strings.TrimSpace(cells[i]), "`")
		}
		rows = append(rows, cells)
	}
	return rows
}

// TestABI_imports: docs/abi.md lists every function a module may import, with its signature,
// and no other.
func TestABI_imports(t *testing.T) {
	t.Parallel()
	r, err := New(t.Context(), Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}()
	listed := map[string]string{}
	for _, row := range abiRows(t, "| function | signature | what it does |") {
		listed[row[0]] = row[1]
	}
	env, _ := r.host.Functions(kernel.EnvModule)
	have := map[string]string{}
	for name, f := range env {
		have[name] = signature(f)
	}
	if !maps.Equal(listed, have) {
		t.Errorf("%s: docs/abi.md says\n%v\nthe host has\n%v", kernel.EnvModule, listed, have)
	}
	_, text, _ := strings.Cut(abiPage(t), "The functions of `"+kernel.WASIModule+"`:\n")
	text, _, _ = strings.Cut(text, "\n")
	var wasi []string
	for _, found := range regexp.MustCompile("`([a-z0-9_]+)`").FindAllStringSubmatch(text, -1) {
		wasi = append(wasi, found[1])
	}
	functions, _ := r.host.Functions(kernel.WASIModule)
	if want := slices.Sorted(maps.Keys(functions)); !slices.Equal(wasi, want) {
		t.Errorf("%s: docs/abi.md says\n%v\nthe host has\n%v", kernel.WASIModule, wasi, want)
	}
}

// TestABI_exports: the page has every verb, marks the required ones, and names the
// initialisers.
func TestABI_exports(t *testing.T) {
	t.Parallel()
	got, want := map[string]string{}, map[string]string{}
	for _, row := range abiRows(t, "| export | required | input | output |") {
		got[row[0]] = row[1]
	}
	for _, name := range requiredExports {
		want[name] = "yes"
	}
	for _, name := range optionalExports {
		want[name] = "no"
	}
	if !maps.Equal(got, want) {
		t.Errorf("docs/abi.md says %v, the host wants %v", got, want)
	}
	page := abiPage(t)
	for _, name := range initialisers {
		if !strings.Contains(page, "`"+name) {
			t.Errorf("docs/abi.md does not name the initialiser %s", name)
		}
	}
}

// TestABI_limits: the page has a module's default limits.
func TestABI_limits(t *testing.T) {
	t.Parallel()
	words := map[string]string{
		"module_kib": "%d MiB of file", "functions": "%s functions", "globals": "%s globals", "table_entries": "16 tables of %s entries", "memory_mib": "%d MiB of memory",
		"stack_kib": "%d MiB of stack", "fuel": "%s of fuel", "input_kib": "%d MiB of input", "output_kib": "%d MiB of output", "log_lines": "%d log lines", "log_kib": "of %d KiB together",
		"error_bytes": "%d bytes of error message", "timeout": "message, %s, and",
	}
	page := strings.Join(strings.Fields(abiPage(t)), " ")
	for _, s := range Settings() {
		form, ok := words[s.Name]
		if !ok {
			continue // of compiling, and of concurrency: irrelevant to an author
		}
		delete(words, s.Name)
		value := s.Default
		var want string
		switch {
		case s.Time:
			want = fmt.Sprintf(form, strings.Replace(s.Text(value), "s", " s", 1))
		case strings.Contains(form, "%s"):
			want = fmt.Sprintf(form, grouped(value))
		case strings.HasSuffix(s.Name, "_kib") && strings.Contains(form, "MiB"):
			want = fmt.Sprintf(form, value>>10)
		default:
			want = fmt.Sprintf(form, value)
		}
		if !strings.Contains(page, want) {
			t.Errorf("docs/abi.md does not say %q (%s)", want, s.Name)
		}
	}
	if len(words) > 0 {
		t.Errorf("no limits of these names: %v", words)
	}
}

// grouped writes 65536 as 65,536.
func grouped(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return grouped(n/1000) + fmt.Sprintf(",%03d", n%1000)
}
