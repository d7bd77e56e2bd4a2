package settings_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/hook/settings"
)

func hooks(event, matcher, command string) string {
	return fmt.Sprintf(`{"hooks": {%q: [{"matcher": %q, "hooks": [{"type": "command", "command": %q}]}]}}`, event, matcher, command)
}

// world is an account with every kind of settings file.
func world(t *testing.T) settings.Places {
	t.Helper()
	root := t.TempDir()
	p := settings.Places{
		Managed: filepath.Join(root, "etc", "managed-settings.json"),
		Home:    filepath.Join(root, "home"),
		Project: filepath.Join(root, "home", "work", "shop"),
	}
	write(t, p.Managed, `{}`, 0o600)
	write(t, filepath.Join(root, "etc", "managed-settings.d", "10-audit.json"), hooks("PreToolUse", "Bash", "/opt/audit"), 0o600)
	user := string(install(t, []byte(hooks("PreToolUse", "*", "rewrite.sh"))).Text)
	write(t, p.UserFile(), strings.Replace(user, "{", `{"enabledPlugins": {"fmt@x": true, "off@x": false},`, 1), 0o600)
	write(t, settings.ProjectFile(p.Project), hooks("PermissionRequest", "", "approve.sh"), 0o600)
	write(t, settings.LocalFile(p.Project), `{"permissions": {}}`, 0o600)
	write(t, settings.ProjectFile(filepath.Dir(p.Project)), hooks("PreToolUse", "", "above.sh"), 0o600)
	return p
}

// TestT08_OtherHooks: every other hook in force with a possible rewrite of a call is listed,
// from any file; those of a directory above are not in force.
func TestT08_OtherHooks(t *testing.T) {
	t.Parallel()
	s := settings.Read(world(t))
	if faults := s.Faults(); len(faults) > 0 {
		t.Fatal(faults)
	}
	var got []string
	for _, h := range s.Others() {
		got = append(got, fmt.Sprintf("%s %s %s", h.Scope, h.Event, h))
	}
	want := "managed PreToolUse /opt/audit, user PreToolUse rewrite.sh, project PermissionRequest approve.sh"
	if strings.Join(got, ", ") != want {
		t.Errorf("got %s\nwant %s", strings.Join(got, ", "), want)
	}
	if own := s.Own(settings.PreToolUse); len(own) != 1 || !own[0].All() || own[0].Scope != settings.User {
		t.Errorf("own: got %+v, want the user's one", own)
	}
	if got := strings.Join(s.Plugins(), " "); got != "fmt@x" {
		t.Errorf("plugins: got %q, want fmt@x", got)
	}
}

// TestT09_SwitchedOff: obstacles to the hook's run, by its place of installation.
func TestT09_SwitchedOff(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		file          func(settings.Places) string
		text          string
		user, managed bool // the hooks there are off
	}{
		"project": {func(p settings.Places) string { return settings.ProjectFile(p.Project) }, `{"disableAllHooks": true}`, true, false},
		"local":   {func(p settings.Places) string { return settings.LocalFile(p.Project) }, `{"disableAllHooks": true}`, true, false},
		"user":    {settings.Places.UserFile, `{"disableAllHooks": true}`, true, false},
		"managed": {func(p settings.Places) string { return p.Managed }, `{"disableAllHooks": true}`, true, true},
		"only":    {func(p settings.Places) string { return p.Managed }, `{"allowManagedHooksOnly": true}`, true, false},
		"not project's": {
			func(p settings.Places) string { return settings.ProjectFile(p.Project) }, `{"allowManagedHooksOnly": true}`, false, false,
		},
		"false": {func(p settings.Places) string { return settings.LocalFile(p.Project) }, `{"disableAllHooks": false}`, false, false},
		"above": {func(p settings.Places) string { return settings.LocalFile(filepath.Dir(p.Project)) }, `{"disableAllHooks": true}`, false, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := world(t)
			write(t, c.file(p), c.text, 0o600)
			s := settings.Read(p)
			if got := len(s.Off(settings.User)) > 0; got != c.user {
				t.Errorf("the user's hooks are off: got %t (%v), want %t", got, s.Off(settings.User), c.user)
			}
			if got := len(s.Off(settings.Managed)) > 0; got != c.managed {
				t.Errorf("the machine's hooks are off: got %t, want %t", got, c.managed)
			}
		})
	}
}

// TestReadFaults: a malformed file keeps its place with its error, and the rest
// is read.
func TestReadFaults(t *testing.T) {
	t.Parallel()
	p := world(t)
	bad := write(t, settings.LocalFile(p.Project), "{\n  \"a\": tru\n}", 0o600)
	s := settings.Read(p)
	faults := s.Faults()
	if len(faults) != 1 || !strings.HasPrefix(faults[0].Error(), bad+":2:") {
		t.Errorf("got %v, want one that names %s and its line 2", faults, bad)
	}
	if len(s.Own(settings.PreToolUse)) != 1 {
		t.Error("the user's file was not read")
	}
	p.Flag = filepath.Join(p.Home, "missing.json")
	if got := len(settings.Read(p).Faults()); got != 2 {
		t.Errorf("a missing --settings file: got %d faults, want 2", got)
	}
}

func TestManagedText(t *testing.T) {
	t.Parallel()
	text, err := settings.ManagedText(entry)
	if err != nil {
		t.Fatal(err)
	}
	p := world(t)
	write(t, p.Managed, string(text), 0o600)
	s := settings.Read(p)
	if own := s.Own(settings.PreToolUse); len(own) != 2 || own[0].Scope != settings.Managed || own[0].OnFailure != "block" {
		t.Errorf("own: got %+v, want the machine's first", own)
	}
	if others := s.Others(); len(others) != 1 || others[0].Command != "/opt/audit" {
		t.Errorf("others: got %+v, want the machine's only", others)
	}
}
