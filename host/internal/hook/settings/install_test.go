package settings_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/callgate/callgate/host/internal/hook/settings"
)

var update = flag.Bool("update", false, "write what install makes into testdata")

// entry is the hook of the tests.
var entry = settings.Entry{
	Binary:    "/opt/callgate/bin/callgate",
	Endpoint:  "unix:/home/ann/.local/state/callgate/callgate.sock",
	TokenFile: "/home/ann/.local/state/callgate/agents/default.token",
	Timeout:   time.Hour,
}

// TestInstallGolden: each testdata/install/*.txtar holds a file before and after; installing
// again changes nothing, and uninstalling restores the original.
func TestInstallGolden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/install/*.txtar")
	if err != nil || len(files) < 6 {
		t.Fatalf("golden files: got %d, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			before := a.Files[0].Data
			c := install(t, before)
			if *update {
				a.Files = append(a.Files[:1], txtar.File{Name: "after.json", Data: c.Text})
				if err := os.WriteFile(file, txtar.Format(a), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if len(a.Files) != 2 || !bytes.Equal(c.Text, a.Files[1].Data) {
				t.Errorf("got\n%s\nwant what %s says", c.Text, file)
			}
			if len(c.Added)+len(c.Updated) != len(settings.Events()) || len(c.Same) > 0 {
				t.Errorf("got %v added, %v updated, %v same, want all events touched", c.Added, c.Updated, c.Same)
			}
			again := install(t, c.Text)
			if !bytes.Equal(again.Text, c.Text) || len(again.Same) != len(settings.Events()) {
				t.Errorf("installed twice: got\n%s\nsame: %v", again.Text, again.Same)
			}
		})
	}
}

func install(t *testing.T, text []byte) settings.Change {
	t.Helper()
	c, err := settings.Install("settings.json", text, entry)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestUninstallRestores: for any layout, the original comes back to the byte, from the backup
// and (where the text was not blank or without our lists) without it.
func TestUninstallRestores(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		before  string
		without bool // also without a backup
	}{
		"no file":              {"", false},
		"blanks":               {" \r\n", false},
		"empty object":         {"{}", true},
		"blank object":         {"{ \n }", false},
		"no line feed at end":  {"{\n  \"a\": 1\n}", true},
		"windows":              {"{\r\n    \"a\": 1,\r\n    \"hooks\": {\r\n        \"Stop\": []\r\n    }\r\n}\r\n", true},
		"byte order mark":      {"\xef\xbb\xbf{\n \"a\": 1\n}\n", true},
		"only a mark":          {"\xef\xbb\xbf", false},
		"no indentation":       {"{\n\"a\": 1\n}\n", true},
		"flat":                 {`{"a":1,"b":[2 , 3]}`, true},
		"flat with our list":   {`{"hooks":{"PreToolUse":[]}}`, false},
		"empty hooks":          {"{\n  \"hooks\": {}\n}\n", false},
		"comment-like":         {"{\n  \"a\": \"// {\\\"hooks\\\": 1} /* \"\n}\n", true},
		"big numbers":          {"{\n  \"n\": 123456789012345678901234567890,\n  \"e\": 1E400\n}\n", true},
		"escapes in names":     {"{\n  \"\\u0068ooks\": {}\n}\n", false},
		"others in our events": {"{\n  \"hooks\": {\n    \"PostToolUse\": [\n      {\"hooks\": []}\n    ]\n  }\n}\n", true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after := install(t, []byte(c.before)).Text
			got := uninstall(t, after, settings.Before{Known: true, Text: []byte(c.before)})
			if string(got.Text) != c.before || !got.Restored {
				t.Errorf("with the backup: got %q (restored %t), want %q", got.Text, got.Restored, c.before)
			}
			if !c.without {
				return
			}
			got = uninstall(t, after, settings.Before{})
			if string(got.Text) != c.before && !got.Delete {
				t.Errorf("without the backup: got %q, want %q", got.Text, c.before)
			}
		})
	}
}

// TestInstallCompletes: an older version's installation, without a newer event, is completed,
// and still comes back to the byte.
func TestInstallCompletes(t *testing.T) {
	t.Parallel()
	const before = "{\n  \"a\": 1\n}\n"
	whole := string(install(t, []byte(before)).Text)
	at := strings.Index(whole, ",\n    \"UserPromptSubmit\"")
	if at < 0 {
		t.Fatalf("got %s, want a hook at UserPromptSubmit", whole)
	}
	older := whole[:at] + "\n  }\n}\n"
	c := install(t, []byte(older))
	if string(c.Text) != whole || len(c.Added) != 1 || c.Added[0] != settings.UserPromptSubmit || len(c.Same) != len(settings.Events())-1 {
		t.Errorf("got %v added, %v same and\n%s\nwant\n%s", c.Added, c.Same, c.Text, whole)
	}
	for name, text := range map[string]string{"older": older, "completed": string(c.Text)} {
		if got := uninstall(t, []byte(text), settings.Before{Known: true, Text: []byte(before)}); string(got.Text) != before || !got.Restored {
			t.Errorf("%s, uninstalled: got %s", name, got.Text)
		}
	}
}

func uninstall(t *testing.T, text []byte, before settings.Before) settings.Change {
	t.Helper()
	c, err := settings.Uninstall(settings.ClaudeCode, "settings.json", text, before)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestUninstallAfterChanges: additions since the install stay, and an originally empty list
// stays too.
func TestUninstallAfterChanges(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ before, from, to, want string }{
		"a key was added": {
			"{\n  \"a\": 1\n}\n", "\"a\": 1", "\"a\": 1,\n  \"b\": 2", "{\n  \"a\": 1,\n  \"b\": 2\n}\n",
		},
		"a hook was added beside ours": {
			"{\n  \"a\": 1\n}\n", "\"PostToolUse\": [\n", "\"PostToolUse\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]},\n",
			"{\n  \"a\": 1,\n  \"hooks\": {\n    \"PostToolUse\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}\n    ]\n  }\n}\n",
		},
		"our empty list was there": {
			"{\n  \"a\": 1,\n  \"hooks\": {\n    \"PreToolUse\": []\n  }\n}\n", "\"a\": 1", "\"a\": 2",
			"{\n  \"a\": 2,\n  \"hooks\": {\n    \"PreToolUse\": []\n  }\n}\n",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after := install(t, []byte(c.before)).Text
			changed := strings.Replace(string(after), c.from, c.to, 1)
			if changed == string(after) {
				t.Fatalf("nothing to change in\n%s", after)
			}
			got := uninstall(t, []byte(changed), settings.Before{Known: true, Text: []byte(c.before)})
			if string(got.Text) != c.want || got.Restored || len(got.Removed) != len(settings.Events()) {
				t.Errorf("got (restored %t, removed %v)\n%s\nwant\n%s", got.Restored, got.Removed, got.Text, c.want)
			}
		})
	}
}

// TestMalformed: a file of invalid JSON, or an undocumented shape, is named with its place and
// not changed.
func TestMalformed(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ text, want string }{
		"comment":                 {"{\n  // no\n}", "s.json:2:3: invalid JSON: invalid character '/'"},
		"trailing":                {"{}\n{}", "s.json:2:1: text after the object"},
		"comma":                   {"{\"a\": 1,}", "s.json:1:"},
		"the file ends too early": {"{\n\"a\":", "s.json:2:5: invalid JSON: the file ends too early"},
		"twice":                   {`{"hooks":{},"hooks":{}}`, "duplicate object member name"},
		"twice escaped":           {`{"hooks":{},"\u0068ooks":{}}`, "duplicate object member name"},
		"not UTF-8":               {"{\"\xff\":1}", "invalid UTF-8"},
		"a list":                  {"[]", "s.json:1:1: the file contains an array, want an object"},
		"hooks":                   {`{"hooks": []}`, "s.json:1:11: hooks is an array, want an object"},
		"event":                   {`{"hooks": {"PreToolUse": {}}}`, "s.json:1:26: hooks.PreToolUse is an object, want an array"},
		"group":                   {`{"hooks": {"Stop": ["x"]}}`, "hooks.Stop.0 is a string, want an object"},
		"handler":                 {`{"hooks": {"Stop": [{"hooks": [1]}]}}`, "hooks.Stop.0.hooks.0 is a number, want an object"},
		"args":                    {`{"hooks": {"Stop": [{"hooks": [{"args": [1]}]}]}}`, "args holds a number, want strings"},
		"timeout":                 {`{"hooks": {"Stop": [{"hooks": [{"timeout": "5"}]}]}}`, "timeout is \"5\", want a number of seconds"},
		"deep":                    {strings.Repeat(`{"a":`, 300) + "1" + strings.Repeat("}", 300), "nested too deeply"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change, err := settings.Install("s.json", []byte(c.text), entry)
			var at *settings.Error
			if !errors.As(err, &at) || !strings.Contains(err.Error(), c.want) || change.Text != nil {
				t.Errorf("got %q, %v, want an *Error with %q", change.Text, err, c.want)
			}
		})
	}
}

func TestEntryRefused(t *testing.T) {
	t.Parallel()
	cases := map[string]func(*settings.Entry){
		"relative":     func(e *settings.Entry) { e.Binary = "callgate" },
		"another name": func(e *settings.Entry) { e.Binary = "/bin/gate" },
		"no token":     func(e *settings.Entry) { e.TokenFile = "" },
		"too short":    func(e *settings.Entry) { e.Timeout = time.Millisecond },
		"fractions":    func(e *settings.Entry) { e.Timeout = 1500 * time.Millisecond },
	}
	for name, spoil := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := entry
			spoil(&e)
			if c, err := settings.Install("s.json", nil, e); err == nil {
				t.Errorf("got %s, want an error", c.Text)
			}
		})
	}
}
