package profile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// TestNamesSameAsPython asks Python for every name known here, and for the name of every
// character.
func TestNamesSameAsPython(t *testing.T) {
	t.Parallel()
	known := map[string]rune{"CJK UNIFIED IDEOGRAPH-4e00": -1, "cjk unified ideograph-4E00": -1, "CJK UNIFIED IDEOGRAPH-2A6E0": -1, "CJK UNIFIED IDEOGRAPH-04E00": -1,
		"HANGUL SYLLABLE ": -1, "hangul syllable GA": -1, "VS0": -1, "VS257": -1, "KATAKANA LETTER AINU P": -1, "ſPACE": -1, "LATIN SMALL LETTER GHA": -1, "latin small letter gha": -1}
	for name := range known {
		if c, ok := lookup(name); ok {
			known[name] = c
		}
	}
	for name, c := range characterNames() {
		known[name] = c
	}
	script := `import json,sys,unicodedata
if not (3, 11, 7) <= sys.version_info < (3, 12): sys.exit(9)
def look(n):
    try: return ord(unicodedata.lookup(n))
    except (KeyError, TypeError): return -1
print(json.dumps([{n: look(n) for n in json.load(sys.stdin)}, {unicodedata.name(chr(c), ""): c for c in range(0x110000)}]))`
	in, err := json.Marshal(known)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("python3", "-c", script)
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		t.Skip("no Python 3.11.7 or later 3.11 here: names of characters are not compared with its unicodedata")
	}
	var answers [2]map[string]rune
	if err := json.Unmarshal(out, &answers); err != nil {
		t.Fatal(err)
	}
	wrong := map[string]string{}
	for name, c := range answers[0] {
		if known[name] != c {
			wrong[name] = fmt.Sprintf("%U here, %U in Python", known[name], c)
		}
	}
	for name, c := range answers[1] {
		if got, _ := lookup(name); name != "" && got != c {
			wrong[name] = fmt.Sprintf("%U here, %U in Python", got, c)
		}
	}
	if len(wrong) > 0 {
		var all strings.Builder
		for name, what := range wrong {
			if all.Len() < 2000 {
				fmt.Fprintf(&all, "%s: %s\n", name, what)
			}
		}
		t.Errorf("%d names differ:\n%s", len(wrong), all.String())
	}
}
