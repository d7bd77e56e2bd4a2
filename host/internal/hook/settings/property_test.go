package settings_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/callgate/callgate/host/internal/hook/settings"
)

// blank draws possible text between two tokens.
func blank(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "", " ", "\n", "\n  ", "\r\n\t", "  \n\n    "}).Draw(t, "blank")
}

// scalars are values with a text easily lost when a file is written anew.
var scalars = []string{
	"0", "-1.50e+3", "9007199254740993", "1E400", "true", "false", "null", `""`, `"// no comment"`, `"/*"`, `"\u0041\/\n"`,
	`"callgate hook claude-code"`, `"ä 日本"`, `"<&>"`,
}

func value(t *rapid.T, depth int) string {
	if depth == 0 || rapid.IntRange(0, 2).Draw(t, "kind") == 0 {
		return rapid.SampledFrom(scalars).Draw(t, "scalar")
	}
	open, shut := "[", "]"
	var items []string
	for i := range rapid.IntRange(0, 3).Draw(t, "items") {
		items = append(items, value(t, depth-1))
		if i == 0 && rapid.Bool().Draw(t, "object") {
			open, shut = "{", "}"
		}
		if open == "{" {
			items[i] = fmt.Sprintf(`"k%d"%s:%s%s`, i, blank(t), blank(t), items[i])
		}
	}
	return open + blank(t) + strings.Join(items, blank(t)+","+blank(t)) + blank(t) + shut
}

// member draws one member of a collection in braces.
func member(t *rapid.T, name, value string) string {
	return fmt.Sprintf("%q%s:%s%s", name, blank(t), blank(t), value)
}

func list(t *rapid.T, open string, items []string, shut string) string {
	return open + blank(t) + strings.Join(items, blank(t)+","+blank(t)) + blank(t) + shut
}

// file draws a settings file: hooks of others in the right shape, anything else
// in any.
func file(t *rapid.T) string {
	var events []string
	for _, event := range []string{"PreToolUse", "Stop", "PostToolUse"} {
		if !rapid.Bool().Draw(t, event) {
			continue
		}
		var groups []string
		for range rapid.IntRange(0, 2).Draw(t, "groups") {
			handler := list(t, "{", []string{member(t, "type", `"command"`), member(t, "command", `"./other.sh"`), member(t, "x", value(t, 1))}, "}")
			groups = append(groups, list(t, "{", []string{member(t, "matcher", `"Bash"`), member(t, "hooks", list(t, "[", []string{handler}, "]"))}, "}"))
		}
		events = append(events, member(t, event, list(t, "[", groups, "]")))
	}
	var members []string
	for i := range rapid.IntRange(0, 3).Draw(t, "members") {
		members = append(members, member(t, fmt.Sprintf("m%d", i), value(t, 3)))
	}
	if rapid.Bool().Draw(t, "hooks") {
		at := rapid.IntRange(0, len(members)).Draw(t, "at")
		members = append(members[:at:at], append([]string{member(t, "hooks", list(t, "{", events, "}"))}, members[at:]...)...)
	}
	mark := rapid.SampledFrom([]string{"", "\xef\xbb\xbf"}).Draw(t, "mark")
	return mark + blank(t) + list(t, "{", members, "}") + blank(t)
}

// TestInstallProperty: for any valid file, install and uninstall give back the
// bytes, and install adds tokens without dropping, changing or moving one.
func TestInstallProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		before := []byte(file(t))
		c, err := settings.Install("s.json", before, entry)
		if err != nil {
			t.Fatalf("%q: %v", before, err)
		}
		back, err := settings.Uninstall(settings.ClaudeCode, "s.json", c.Text, settings.Before{Known: true, Text: before})
		if err != nil || !bytes.Equal(back.Text, before) {
			t.Fatalf("installed and uninstalled: got %q, %v, want %q", back.Text, err, before)
		}
		rest := tokens(t, c.Text)
		for _, want := range tokens(t, before) {
			for len(rest) > 0 && rest[0] != want {
				rest = rest[1:]
			}
			if len(rest) == 0 {
				t.Fatalf("%q: install lost or moved %s:\n%s", before, want, c.Text)
			}
			rest = rest[1:]
		}
		own := 0
		for _, event := range settings.Events() {
			own += bytes.Count(c.Text, []byte(`"`+event+`"`))
		}
		if own != len(settings.Events()) {
			t.Fatalf("%q: got %d of our events by name, want each once:\n%s", before, own, c.Text)
		}
	})
}

// tokens are the texts of all tokens.
func tokens(t *rapid.T, text []byte) []string {
	in := jsontext.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))), jsontext.PreserveRawStrings(true))
	var out []string
	for {
		kind := in.PeekKind()
		var text string
		if kind == '"' || kind == '0' {
			v, err := in.ReadValue()
			if err != nil {
				t.Fatal(err)
			}
			text = string(v)
		} else {
			tok, err := in.ReadToken()
			if err != nil {
				return out
			}
			text = tok.String()
		}
		out = append(out, text)
	}
}

// FuzzInstall: no text makes install, uninstall or reading panic; an accepted text becomes a
// file recognised as complete, and loses the hook again.
func FuzzInstall(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "[]", "{\"hooks\":{\"PreToolUse\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"callgate hook claude-code\"}]}]}}",
		"\xef\xbb\xbf{\r\n}", "{\"a\":1,\"a\":2}", "{ // x\n}", "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"*\",\"hooks\":[]}]},\"b\":[",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := settings.Install("s.json", text, entry)
		if err != nil {
			return
		}
		again, err := settings.Install("s.json", c.Text, entry)
		if err != nil || !bytes.Equal(again.Text, c.Text) {
			t.Fatalf("installed twice: got %q, %v, want %q", again.Text, err, c.Text)
		}
		gone, err := settings.Uninstall(settings.ClaudeCode, "s.json", c.Text, settings.Before{})
		if err != nil {
			t.Fatalf("uninstall %q: %v", c.Text, err)
		}
		if left, err := settings.Uninstall(settings.ClaudeCode, "s.json", gone.Text, settings.Before{}); err != nil || len(left.Removed) > 0 {
			t.Fatalf("uninstalled twice: got %v, %v, want nothing left in %q", left.Removed, err, gone.Text)
		}
	})
}
