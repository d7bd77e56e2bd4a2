package frontmatter_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/host/internal/config/frontmatter"
)

// with is a chat's head with one list, or the mode, changed.
func with(t testing.TB, text string, change func(*frontmatter.Result)) (string, error) {
	t.Helper()
	r, err := frontmatter.Parse(frontmatter.Chat, text)
	if err != nil {
		t.Fatalf("Parse(%q): %v", text, err)
	}
	r.Mode = ""
	r.Allow, r.Ask, r.Deny = slices.Clone(r.Allow), slices.Clone(r.Ask), slices.Clone(r.Deny)
	change(&r)
	return frontmatter.Edit(text, r)
}

func TestEdit(t *testing.T) {
	t.Parallel()
	allow := func(rule string) func(*frontmatter.Result) {
		return func(r *frontmatter.Result) { r.Allow = append(r.Allow, rule) }
	}
	drop := func(i int) func(*frontmatter.Result) {
		return func(r *frontmatter.Result) { r.Allow = slices.Delete(r.Allow, i, i+1) }
	}
	mode := func(m string) func(*frontmatter.Result) { return func(r *frontmatter.Result) { r.Mode = m } }
	cases := []struct {
		name, text string
		change     func(*frontmatter.Result)
		want       string
	}{
		{"block", "---\npermissions_allow:\n  - Read # r\n  # last\nother: [a,  b]\n---\nbody", allow("Bash(npm:*)"), "---\npermissions_allow:\n  - Read # r\n  - Bash(npm:*)\n  # last\nother: [a,  b]\n---\nbody"},
		{"without indent", "---\npermissions_allow:\n- Read\n---\n", allow("Edit"), "---\npermissions_allow:\n- Read\n- Edit\n---\n"},
		{"carriage returns and a mark", "\ufeff---\r\npermissions_allow:\r\n    - Read\r\n---\r\nx\n", allow("Edit"), "\ufeff---\r\npermissions_allow:\r\n    - Read\r\n    - Edit\r\n---\r\nx\n"},
		{"inline", "---\npermissions_allow: [ 'Read(a, b)',Bash ] # c\n---\n", allow("Read(c,d)"), "---\npermissions_allow: [ 'Read(a, b)',Bash, 'Read(c,d)' ] # c\n---\n"},
		{"inline, empty", "---\npermissions_allow: []\n---\n", allow("Read"), "---\npermissions_allow: [Read]\n---\n"},
		{"no value", "---\npermissions_allow: # none\nx: 1\n---\n", allow("Read"), "---\npermissions_allow: # none\n  - Read\nx: 1\n---\n"},
		{"no key", "---\nx: 1 # y\n---\nbody\n", allow("Read"), "---\nx: 1 # y\npermissions_allow:\n  - Read\n---\nbody\n"},
		{"no key, as the others", "---\npermissions_deny:\n- Bash\n---\n", allow("Read"), "---\npermissions_deny:\n- Bash\npermissions_allow:\n- Read\n---\n"},
		{"no head", "# chat\n", allow("Read"), "---\npermissions_allow:\n  - Read\n---\n# chat\n"},
		{"no text", "", allow("Read"), "---\npermissions_allow:\n  - Read\n---\n"},
		{"quotes where YAML needs them", "---\npermissions_allow:\n---\n", allow("Bash(echo: 'x' #y)"), "---\npermissions_allow:\n  - 'Bash(echo: ''x'' #y)'\n---\n"},
		{"removed", "---\npermissions_allow:\n  - Read # r\n  - \"Edit\"\n---\n", drop(0), "---\npermissions_allow:\n  - \"Edit\"\n---\n"},
		{"the last removed", "---\npermissions_allow:\n  - Read\nx: 1\n---\n", drop(0), "---\npermissions_allow:\nx: 1\n---\n"},
		{"inline, first removed", "---\npermissions_allow: [Read, \"Bash(a]b)\", Bash]\n---\n", drop(0), "---\npermissions_allow: [\"Bash(a]b)\", Bash]\n---\n"},
		{"inline, middle removed", "---\npermissions_allow: [Read, Edit,  Bash]\n---\n", drop(1), "---\npermissions_allow: [Read,  Bash]\n---\n"},
		{"inline, all removed", "---\npermissions_allow: [ Read ]\n---\n", drop(0), "---\npermissions_allow: [  ]\n---\n"},
		{"mode, old key", "---\npermissions_mode: \"acceptEdits\"  # m\n---\n", mode("plan"), "---\npermissions_mode: \"plan\"  # m\n---\n"},
		{"mode, both keys", "---\npermission_mode: plan\npermissions_mode: plan\r\n---\n", mode("default"), "---\npermission_mode: default\npermissions_mode: default\r\n---\n"},
		{"mode, none", "---\nx: 1\n---\n", mode("plan"), "---\nx: 1\npermission_mode: plan\n---\n"},
		{"mode, no value", "---\npermission_mode:\n---\n", mode("plan"), "---\npermission_mode: plan\n---\n"},
		{"nothing", "---\npermissions_allow: [Read]\n---\n", func(*frontmatter.Result) {}, "---\npermissions_allow: [Read]\n---\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := with(t, c.text, c.change)
			if err != nil || got != c.want {
				t.Errorf("got  %q, %v\nwant %q", got, err, c.want)
			}
		})
	}
}

// TestEdit_byHand: text beyond line-by-line changes is left as it is.
func TestEdit_byHand(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"brackets over lines": "---\npermissions_allow: [Read,\n  Edit]\n---\n",
		"one mapping":         "---\n{permissions_allow: [Read], x: 1}\n---\n",
		"entry over lines":    "---\npermissions_allow:\n  - \"Read(a\n    b)\"\n---\n",
	} {
		_, err := with(t, text, func(r *frontmatter.Result) { r.Allow = nil; r.Ask = append(r.Ask, "Bash") })
		if !errors.Is(err, frontmatter.ErrByHand) {
			t.Errorf("%s: got %v, want ErrByHand", name, err)
		}
	}
}

func TestLineOf(t *testing.T) {
	t.Parallel()
	text := "---\nx: 1\npermissions_deny:\n  # c\n  - Bash\n  - Read\n---\n"
	for i, want := range map[int]int{0: 5, 1: 6, 2: 3, -1: 3} {
		if got := frontmatter.LineOf(text, frontmatter.KeyDeny, i); got != want {
			t.Errorf("entry %d: got line %d, want %d", i, got, want)
		}
	}
	if got := frontmatter.LineOf(text, frontmatter.KeyAllow, 0); got != 0 {
		t.Errorf("a key that is not there: got line %d, want 0", got)
	}
}

// heads are heads of chats as people and editors write them.
func heads() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
		var keys []string
		for _, key := range []string{frontmatter.KeyAllow, frontmatter.KeyAsk, frontmatter.KeyDeny} {
			entries := rapid.SliceOfN(rapid.SampledFrom([]string{"Read", "'Bash(npm:*)'", `"Read(a, b)"`, "Grep(TODO)", "Write(*.json)"}), 0, 3).Draw(t, key)
			comment := rapid.SampledFrom([]string{"", " # why", "   # - Bash"}).Draw(t, "comment")
			switch rapid.SampledFrom([]string{"block", "flow", "flush"}).Draw(t, "style") {
			case "flow":
				keys = append(keys, key+": ["+strings.Join(entries, rapid.SampledFrom([]string{",", ", ", " , "}).Draw(t, "comma"))+"]"+comment)
			case "flush":
				keys = append(keys, key+":"+comment)
				for _, e := range entries {
					keys[len(keys)-1] += end + "- " + e + comment
				}
			default:
				keys = append(keys, key+":"+comment)
				for _, e := range entries {
					keys[len(keys)-1] += end + "  # of it" + end + "  - " + e
				}
			}
		}
		keys = append(keys, "session_id: abc", "tags: {a: [1, 2]}", "# a comment", "permission_mode: \"plan\" # m")
		keys = rapid.Permutation(keys).Draw(t, "order")
		mark := rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "mark")
		body := rapid.SampledFrom([]string{"", "# chat" + end, "no end", "---" + end + "permissions_allow: [Bash]\n"}).Draw(t, "body")
		return mark + "---" + end + strings.Join(keys, end) + end + "---" + end + body
	})
}

// TestEdit_undone: an added and removed entry leaves no trace, and only the lines of its list
// change.
func TestEdit_undone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		text := heads().Draw(rt, "text")
		rule := rapid.SampledFrom([]string{"Edit", "Bash(git commit:*)", "Read({a,b}/[x].ts)", "Bash(echo: 'x' # y)", "WebFetch(*.npmjs.com)", "Bash(a \\ \"b\")"}).Draw(rt, "rule")
		list := rapid.SampledFrom([]string{"allow", "ask", "deny"}).Draw(rt, "list")
		of := func(r *frontmatter.Result) *[]string {
			return map[string]*[]string{"allow": &r.Allow, "ask": &r.Ask, "deny": &r.Deny}[list]
		}
		added, err := with(t, text, func(r *frontmatter.Result) { *of(r) = append(*of(r), rule) })
		if err != nil {
			rt.Fatalf("add %s to %q: %v", rule, text, err)
		}
		if changed := len(differences(text, added)); changed > 1 {
			rt.Errorf("adding %s to %s changed %d lines:\n%q\n%q", rule, list, changed, text, added)
		}
		back, err := with(t, added, func(r *frontmatter.Result) { l := of(r); *l = (*l)[:len(*l)-1] })
		if err != nil || back != text {
			rt.Errorf("added and removed: got  %q, %v\nwant %q\nby   %q", back, err, text, added)
		}
		moded, err := with(t, text, func(r *frontmatter.Result) { r.Mode = "acceptEdits" })
		if err != nil {
			rt.Fatal(err)
		}
		if back, err := with(t, moded, func(r *frontmatter.Result) { r.Mode = "plan" }); err != nil || back != text {
			rt.Errorf("mode and back: got  %q, %v\nwant %q", back, err, text)
		}
	})
}

// differences are the lines of b missing in a at their place, when b has lines more than a or
// one line is another.
func differences(a, b string) (out []string) {
	la, lb := strings.SplitAfter(a, "\n"), strings.SplitAfter(b, "\n")
	for len(la) > 0 && len(lb) > 0 && la[0] == lb[0] {
		la, lb = la[1:], lb[1:]
	}
	for len(la) > 0 && len(lb) > 0 && la[len(la)-1] == lb[len(lb)-1] {
		la, lb = la[:len(la)-1], lb[:len(lb)-1]
	}
	return lb
}

func TestEditFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "chat.md")
	if err := os.WriteFile(path, []byte("---\npermissions_allow: [Read]\n---\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	edit := func(text string) (string, error) {
		return with(t, text, func(r *frontmatter.Result) { r.Allow = append(r.Allow, "Edit") })
	}
	if changed, err := frontmatter.EditFile(path, edit); err != nil || !changed {
		t.Fatalf("got %t, %v, want it changed", changed, err)
	}
	text, err := frontmatter.ReadFile(path)
	if info, statErr := os.Stat(path); err != nil || statErr != nil || info.Mode().Perm() != 0o640 || text != "---\npermissions_allow: [Read, Edit]\n---\n" {
		t.Errorf("got %q, %v, %v", text, info.Mode(), err)
	}
	if changed, err := frontmatter.EditFile(path, func(text string) (string, error) { return text, nil }); err != nil || changed {
		t.Errorf("an edit without a change: got %t, %v", changed, err)
	}
	interfere := func(text string) (string, error) {
		return text + "x", os.WriteFile(path, []byte("another"), 0o640)
	}
	if _, err := frontmatter.EditFile(path, interfere); err == nil || !strings.Contains(err.Error(), "changed meanwhile") {
		t.Errorf("a file that changes meanwhile: got %v", err)
	}
	link := filepath.Join(dir, "link.md")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	big := filepath.Join(dir, "big.md")
	if err := os.WriteFile(big, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(big, 17<<20); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{link, big, dir, filepath.Join(dir, "none.md")} {
		if _, err := frontmatter.EditFile(bad, edit); err == nil {
			t.Errorf("%s: got no error", bad)
		}
	}
}

// FuzzEdit: an edit of any readable text makes its change, or nothing.
func FuzzEdit(f *testing.F) {
	f.Add("---\npermissions_allow:\n  - Read\n---\n", "Bash(npm:*)")
	f.Add("---\r\npermissions_allow: [Read, 'a']\r\n---\r\nx", "Read(a, b)")
	f.Add("---\n{permissions_allow: []}\n---\n", "Grep(x: y)")
	f.Add("# none", "Edit")
	f.Fuzz(func(t *testing.T, text, rule string) {
		before, err := frontmatter.Parse(frontmatter.Chat, text)
		if err != nil {
			return
		}
		want := before
		want.Mode, want.Allow = "", append(slices.Clone(before.Allow), rule)
		edited, err := frontmatter.Edit(text, want)
		if err != nil {
			return
		}
		after, err := frontmatter.Parse(frontmatter.Chat, edited)
		if err != nil || !slices.Equal(after.Allow, want.Allow) || !slices.Equal(after.Deny, before.Deny) || after.Mode != before.Mode {
			t.Errorf("%q with %q: got %q: %+v, %v", text, rule, edited, after, err)
		}
	})
}
