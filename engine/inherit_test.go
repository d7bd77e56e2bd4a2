package engine_test

import (
	"reflect"
	"testing"

	"github.com/callgate/callgate/engine"
)

// TestStricter has every pair of modes.
func TestStricter(t *testing.T) {
	t.Parallel()
	order := []engine.Mode{engine.Explore, engine.DefaultMode, engine.AcceptEdits, engine.Trusted, engine.Bypass}
	for i, a := range order {
		for j, b := range order {
			if got, want := engine.Stricter(a, b), order[min(i, j)]; got != want {
				t.Errorf("Stricter(%s, %s) = %s, want %s", a, b, got, want)
			}
		}
	}
	clash := []struct{ parent, child, want engine.Mode }{
		{engine.DontAsk, engine.DontAsk, engine.DontAsk},
		{engine.DontAsk, engine.Bypass, engine.DontAsk},
		{engine.DontAsk, engine.DefaultMode, engine.DontAsk},
		{engine.DontAsk, engine.Explore, engine.DontAsk},
		{engine.Bypass, engine.DontAsk, engine.DontAsk},
		{engine.DefaultMode, engine.DontAsk, engine.DontAsk},
		{engine.Explore, engine.DontAsk, engine.Explore},
		{engine.Mode(200), engine.Bypass, engine.Mode(200)},
		{engine.Mode(200), engine.Explore, engine.Explore},
	}
	for _, c := range clash {
		if got := engine.Stricter(c.parent, c.child); got != c.want {
			t.Errorf("Stricter(%s, %s) = %s, want %s", c.parent, c.child, got, c.want)
		}
	}
}

func TestInherit(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name                string
		parent, child, want engine.Permissions
	}{
		{
			"nothing named", engine.Permissions{}, engine.Permissions{Approver: "self"}, engine.Permissions{},
		},
		{
			"denies united",
			engine.Permissions{Disallowed: []string{"Bash", "Write"}, Approver: "discord"},
			engine.Permissions{Disallowed: []string{"Write", "Edit"}},
			engine.Permissions{Disallowed: []string{"Bash", "Write", "Edit"}, Approver: "discord"},
		},
		{
			"allows intersected",
			engine.Permissions{Allowed: []string{"Bash", "Read"}},
			engine.Permissions{Allowed: []string{"Read", "Edit"}},
			engine.Permissions{Allowed: []string{"Read"}},
		},
		{
			"nothing left is nothing, not everything",
			engine.Permissions{Allowed: []string{"Bash"}, Directories: []string{"/a"}},
			engine.Permissions{Allowed: []string{"Read"}, Directories: []string{"/ab"}},
			engine.Permissions{Allowed: []string{}, Directories: []string{}},
		},
		{
			"a parent without a list takes the child's",
			engine.Permissions{},
			engine.Permissions{Allowed: []string{"Read"}, Directories: []string{"/a"}},
			engine.Permissions{Allowed: []string{"Read"}, Directories: []string{"/a"}},
		},
		{
			"a child without a list takes the parent's",
			engine.Permissions{Allowed: []string{"Read"}, Directories: []string{"/a"}},
			engine.Permissions{},
			engine.Permissions{Allowed: []string{"Read"}, Directories: []string{"/a"}},
		},
		{
			"of nested directories the inner",
			engine.Permissions{Directories: []string{"/my/project", "/srv"}},
			engine.Permissions{Directories: []string{"/", "/my/project/sub", "/srv"}},
			engine.Permissions{Directories: []string{"/my/project", "/my/project/sub", "/srv"}},
		},
		{
			"a path that climbs out is where it leads", // "/my/project/../other" begins like a directory below the parent's
			engine.Permissions{Directories: []string{"/my/project/"}},
			engine.Permissions{Directories: []string{"/my/project/../other", "/my/project/a/../b", "/my/project/.", "/my/project/sub/../..", "", "sub"}},
			engine.Permissions{Directories: []string{"/my/project/b", "/my/project"}},
		},
		{
			"a child never chooses its approver",
			engine.Permissions{Mode: engine.AcceptEdits, Approver: "discord"},
			engine.Permissions{Mode: engine.Bypass, Approver: "self"},
			engine.Permissions{Mode: engine.AcceptEdits, Approver: "discord"},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := engine.Inherit(c.parent, c.child); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}
