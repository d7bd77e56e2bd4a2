package bash_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
	"pgregory.net/rapid"

	"github.com/callgate/callgate/plugins/bash"
	"github.com/callgate/callgate/sdk/go/tool"
)

func commandOf(t interface{ Fatalf(string, ...any) }, words any) bash.CommandLine {
	data, err := json.Marshal(map[string]any{"command": words})
	if err != nil {
		t.Fatalf("%v", err)
	}
	var input bash.Input
	if err := tool.Decode(data, &input); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return input.Command
}

func TestCommandLine(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		words any
		want  bash.CommandLine
	}{
		{"git status && ls", "git status && ls"},
		{[]string{"bash", "-lc", "git status && ls"}, "git status && ls"},
		{[]string{"/usr/bin/zsh", "-c", "ls $HOME"}, "ls $HOME"},
		{[]string{"./bash", "-c", "ls a"}, "./bash -c 'ls a'"},
		{[]string{"/tmp/bash", "-lc", "ls"}, "/tmp/bash -lc ls"},
		{[]string{"bash", "-lc", "ls", "x"}, "bash -lc ls x"},
		{[]string{"bash", "-ic", "ls"}, "bash -ic ls"},
		{[]string{"python3", "-c", "ls"}, "python3 -c ls"},
		{[]string{"git", "commit", "-m", "it's $HOME"}, `git commit -m 'it'\''s $HOME'`},
		{[]string{"FOO=1", ""}, "'FOO=1' ''"},
		{[]string{}, ""},
	} {
		if got := commandOf(t, tc.words); got != tc.want {
			t.Errorf("%q: got %q, want %q", tc.words, got, tc.want)
		}
	}
}

// TestCommandLine_wordsStayWords: a shell reads the line of an argument list as one command of
// just these words, for any content.
func TestCommandLine_wordsStayWords(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.OneOf(rapid.String(), rapid.StringMatching("[a-z'\"$`;|&<>(){}*?~!#= \\\\\n=-]{0,8}")), 1, 6).
			Filter(func(all []string) bool {
				for _, w := range all {
					for _, r := range w {
						if r == 0 || r == '\r' || r >= 0x80 && r < 0xa0 { // no word of a command, and the parser's own signs
							return false
						}
					}
				}
				return !(len(all) == 3 && all[0] == "bash")
			}).Draw(t, "words")
		line := string(commandOf(t, words))
		file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
		if err != nil {
			t.Fatalf("%q: %q does not parse: %v", words, line, err)
		}
		if len(file.Stmts) != 1 {
			t.Fatalf("%q: %q is %d commands", words, line, len(file.Stmts))
		}
		call, ok := file.Stmts[0].Cmd.(*syntax.CallExpr)
		if !ok || len(call.Assigns) > 0 || len(call.Args) != len(words) {
			t.Fatalf("%q: %q is read as another command", words, line)
		}
		for i, arg := range call.Args {
			text := ""
			for _, part := range arg.Parts {
				switch part := part.(type) {
				case *syntax.Lit:
					if part.Value == `\'` {
						text += "'"
					} else {
						text += part.Value
					}
				case *syntax.SglQuoted:
					text += part.Value
				default:
					t.Fatalf("%q: %q expands", words, line)
				}
			}
			if text != words[i] {
				t.Fatalf("%q: word %d of %q is read as %q", words, i, line, text)
			}
		}
	})
}
