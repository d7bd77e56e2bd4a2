package sandbox_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// page is the operators' page about the sandbox.
func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(repo.File("docs", "sandbox.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestDocs_limits: the table of docs/sandbox.md has every limit, with its default and bounds,
// in order.
func TestDocs_limits(t *testing.T) {
	t.Parallel()
	var want [][]string
	for _, s := range sandbox.Settings() {
		def := s.Text(s.Default)
		if s.Name == "instances" {
			def = "twice the processors"
		}
		want = append(want, []string{"`" + s.Name + "`", def, s.Text(s.Least), s.Text(s.Most)})
	}
	_, rest, _ := strings.Cut(page(t), "| limit | default | from | to |")
	table, _, _ := strings.Cut(rest, "\n\n")
	var got [][]string
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, "|"); len(cells) == 7 && strings.Contains(cells[1], "`") {
			row := make([]string, 4)
			for i := range row {
				row[i] = strings.TrimSpace(cells[i+1])
			}
			got = append(got, row)
		}
	}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("docs/sandbox.md: got\n%v, want\n%v", got, want)
	}
}

// TestDocs_errors: the page explains the effect of every limit, and knows every kind of
// failure.
func TestDocs_errors(t *testing.T) {
	t.Parallel()
	_, errors, _ := strings.Cut(page(t), "### What its error says")
	errors, _, _ = strings.Cut(errors, "\n## ")
	for _, s := range sandbox.Settings() {
		if !strings.Contains(errors, "`"+s.Name+"`") {
			t.Errorf("docs/sandbox.md does not say what comes of the limit %s", s.Name)
		}
	}
	source, err := os.ReadFile("internal/kernel/trap.go")
	if err != nil {
		t.Fatal(err)
	}
	kinds := regexp.MustCompile(`Kind\w+\s+Kind = "([^"]+)"`).FindAllStringSubmatch(string(source), -1)
	if len(kinds) < 8 {
		t.Fatalf("got %d kinds in trap.go, want all", len(kinds))
	}
	for _, k := range kinds {
		if !strings.Contains(errors, "`"+k[1]+"`") {
			t.Errorf("docs/sandbox.md does not know the kind %q", k[1])
		}
	}
}
