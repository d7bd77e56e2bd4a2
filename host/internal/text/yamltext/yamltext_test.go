package yamltext_test

import (
	"testing"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"pgregory.net/rapid"

	"github.com/callgate/callgate/host/internal/text/yamltext"
)

func TestKey(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"bot": "bot", "a-b_1": "a-b_1", "yes": `"yes"`, "Null": `"Null"`, "n": `"n"`, "1": `"1"`, "a: b": `"a: b"`, "": `""`, "<a&b>": `"<a&b>"`,
	} {
		if got := yamltext.Key(name); got != want {
			t.Errorf("%q: got %s, want %s", name, got, want)
		}
	}
}

// A written text is read back as the same text, by the parser of the configuration.
func TestWrittenIsRead(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.StringOfN(rapid.RuneFrom([]rune("ayesno1~:#-'\" \té{}[],&*!|>%@`\\\n")), 0, 12, -1).Filter(utf8.ValidString).Draw(t, "key")
		items := rapid.SliceOfN(rapid.String().Filter(utf8.ValidString), 1, 3).Draw(t, "items")
		text := yamltext.Key(key) + ": " + yamltext.Flow(items) + "\n"
		var got map[string][]string
		if err := yaml.Unmarshal([]byte(text), &got); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		read, ok := got[key]
		if !ok || len(read) != len(items) {
			t.Fatalf("%s: got %q, want %q: %q", text, got, key, items)
		}
		for i := range items {
			if read[i] != items[i] {
				t.Errorf("%s: got %q, want %q", text, read[i], items[i])
			}
		}
	})
}

func TestPairs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{"a: 1": {"a"}, "a: 1\nb: 2": {"a", "b"}, "{1: x}": {"1"}, "[a]": nil, "a": nil} {
		file, err := parser.ParseBytes([]byte(text), 0)
		if err != nil {
			t.Fatal(err)
		}
		pairs := yamltext.Pairs(file.Docs[0].Body)
		if len(pairs) != len(want) {
			t.Errorf("%s: got %d pairs, want %q", text, len(pairs), want)
			continue
		}
		for i, p := range pairs {
			if got := yamltext.KeyText(p); got != want[i] {
				t.Errorf("%s: got the key %q, want %q", text, got, want[i])
			}
		}
	}
	if got := yamltext.Pairs(ast.Node(nil)); got != nil {
		t.Errorf("of no node: got %v", got)
	}
}
