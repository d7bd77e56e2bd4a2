package bash_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/plugins/bash"
	"github.com/callgate/callgate/sdk/go/tool"
)

// effects are those of a command line, for a host that reads them.
func effects(command string) []tool.Effect {
	c := callOf(command)
	c.Effects, c.Context.Targets = true, nil
	return bash.Spec.Describe(c).Effects
}

func effectTexts(list []tool.Effect) []string {
	var out []string
	for _, e := range list {
		one := strings.TrimSpace(e.Kind + " " + e.Value + " " + e.How)
		if !e.Certain {
			one = "? " + one
		}
		out = append(out, one)
	}
	return out
}

type effectRow struct{ command, want string }

// effectRows are the rows of testdata/effects.txt.
func effectRows(t testing.TB) (rows []effectRow) {
	t.Helper()
	data, err := os.ReadFile("testdata/effects.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimRight(line, "\n"); line == "" || line[0] == '#' {
			continue
		}
		command, want, ok := strings.Cut(line, " → ")
		if !ok {
			t.Fatalf("testdata/effects.txt: %q has no →", line)
		}
		rows = append(rows, effectRow{command, want})
	}
	return rows
}

func TestEffects(t *testing.T) {
	t.Parallel()
	rows := effectRows(t)
	if len(rows) < 150 {
		t.Fatalf("only %d rows", len(rows))
	}
	for _, row := range rows {
		if got := strings.Join(effectTexts(effects(row.command)), "; "); got != row.want {
			t.Errorf("%s\n got %s\nwant %s", row.command, got, row.want)
		}
	}
}

// A host that does not read effects gets none, and one that does gets a list, also of
// nothing.
func TestEffectsOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	if got := bash.Spec.Describe(callOf("rm -rf x")).Effects; got != nil {
		t.Errorf("got %v, want none", got)
	}
	if got := effects("true"); got == nil || len(got) != 0 {
		t.Errorf("got %#v, want an empty list", got)
	}
}

// Whatever stands beside a command on its line, its effects stay, or code that is not
// known takes their place.
func TestEffectsOfParts(t *testing.T) {
	t.Parallel()
	rows := effectRows(t)
	rapid.Check(t, func(t *rapid.T) {
		one, two := rapid.SampledFrom(rows).Draw(t, "one"), rapid.SampledFrom(rows).Draw(t, "two")
		line := one.command + rapid.SampledFrom([]string{"; ", " && ", " || ", "\n"}).Draw(t, "sign") + two.command
		all := effects(line)
		if slices.ContainsFunc(all, func(e tool.Effect) bool { return e.Value == tool.Unreadable }) {
			return
		}
		for _, part := range effects(one.command) {
			if !slices.ContainsFunc(all, func(e tool.Effect) bool { return e.Kind == part.Kind && e.Value == part.Value }) {
				t.Fatalf("%q: %v is not among %v", line, part, all)
			}
		}
	})
}

// However long a line is, the answer stays within the host's bounds, and says when it
// leaves something out.
func TestEffectsAreBounded(t *testing.T) {
	t.Parallel()
	var line strings.Builder
	for i := range 200 {
		line.WriteString("rm a" + strings.Repeat("b", i+1) + " c" + strings.Repeat("d", i+1) + "; ")
	}
	all := effects(line.String())
	if last := all[len(all)-1]; len(all) != 256 || last.Value != tool.Unreadable {
		t.Errorf("got %d effects, the last %v; want 256 and the last unreadable", len(all), last)
	}
	if all := effects("rm " + strings.Repeat("x", 5000)); len(all) != 1 || all[0].Value != tool.Unreadable {
		t.Errorf("got %v; want unreadable for a path that is too long", all)
	}
}

func FuzzEffects(f *testing.F) {
	for _, row := range effectRows(f) {
		f.Add(row.command)
	}
	kinds := []string{tool.Shows, tool.Takes, tool.Reaches, tool.Publishes, tool.Installs, tool.Deletes, tool.Overwrites, tool.ChangesPermissions, tool.Tests, tool.Runs}
	f.Fuzz(func(t *testing.T, command string) {
		all := effects(command)
		if all == nil || len(all) > 256 {
			t.Fatalf("%d effects", len(all))
		}
		for _, e := range all {
			if !slices.Contains(kinds, e.Kind) || e.Value == "" || len(e.Value) > 4096 || strings.ContainsRune(e.Value, 0) {
				t.Errorf("the host would refuse %+v", e)
			}
		}
	})
}
