package frontmatter_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/config/frontmatter"
)

// Attack: a chat's file with a list that looks as if it were in force and is not: its key, or
// the head's first line, begins with an invisible character, so all of it is the body.
func TestParse_looksLikeAListAndIsNone(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"---\npermission\u200bs_deny: [Bash]\n---\n":               "line 2",
		"---\nmodel: x\n\u00a0permissions_deny: [Bash]\n---\n":     "line 3",
		"---\nmodel: x\n\u0085permissions_deny: [Bash]\n---\n":     "line 3",
		"---\n\u2028permissions_deny: [Bash]\n---\n":               "line 2",
		"\ufeff\ufeff---\npermissions_deny: [Bash]\n---\n":         "line 1",
		"\u200b---\npermissions_deny: [Bash]\n---\n":               "line 1",
		" ---\npermissions_deny: [Bash]\n---\n":                    "line 1",
		"---\u00a0\npermissions_deny: [Bash]\n---\n":               "line 1",
		"---\u2028permissions_deny: [Bash]\u2028---\nhello\n":      "",
		"hello\n---\npermissions_deny: [Bash]\n---\n":              "",
		"---\t \r\npermissions_deny: [Bash]\r\n---\r\n":            "",
		"----\npermissions_deny: [Bash]\n---\n":                    "",
		"---\nmodel: \"\u200b\"\npermissions_deny: [Bash]\n---\nx": "",
	} {
		_, err := frontmatter.Parse(frontmatter.Chat, text)
		switch {
		case want == "" && err != nil:
			t.Errorf("%q: got %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: got %v, want an error in %s", text, err, want)
		}
		_, err = frontmatter.Edit(text, frontmatter.Result{Deny: []string{"Read"}})
		if want != "" && err == nil {
			t.Errorf("%q: edited", text)
		}
	}
}
