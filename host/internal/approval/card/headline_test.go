package card_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/host/internal/approval/card"
)

// TestEditCanBeReadBack: the one block of an edit has both texts whole, and the content of
// a file is shown so that no two look the same.
func TestEditCanBeReadBack(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(rapid.SampledFrom([]string{"", "\n", "a", "a\n", "a\nb\nc", "a\nx\nc\n", "- a\n+ b", "‹one line feed›", "‹no line feed at the end›\n"}), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		old, after := text.Draw(t, "old"), text.Draw(t, "new")
		a := bash("")
		a.Tool = "Edit"
		a.Input, _ = json.Marshal(map[string]string{"file_path": "x", "old_string": old, "new_string": after})
		var was, is []string
		if block := card.Render(a, noon).Call[0].Text; block != "" {
			for l := range strings.SplitSeq(block, "\n") {
				switch l[:2] {
				case "- ":
					was = append(was, l[2:])
				case "+ ":
					is = append(is, l[2:])
				case "  ":
					was, is = append(was, l[2:]), append(is, l[2:])
				default:
					t.Fatalf("a line without a mark: %q", l)
				}
			}
		}
		if strings.Join(was, "\n") != card.Visible(old) || strings.Join(is, "\n") != card.Visible(after) || (len(was) == 0) != (old == "") || (len(is) == 0) != (after == "") {
			t.Fatalf("%+q to %+q is shown as %q", old, after, card.Render(a, noon).Call[0].Text)
		}
		content := func(text string) string {
			a.Tool = "Write"
			a.Input, _ = json.Marshal(map[string]string{"file_path": "x", "content": text})
			return card.Render(a, noon).Call[0].Text
		}
		if old != after && content(old) == content(after) {
			t.Fatalf("%+q and %+q look the same: %q", old, after, content(old))
		}
	})
}
