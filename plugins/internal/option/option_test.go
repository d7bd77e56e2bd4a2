package option_test

import (
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/callgate/callgate/plugins/internal/option"
)

func TestValue(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`null`: true, `true`: true, `5`: true, `-1`: true, `1e9`: true, `"5"`: true, `"-1"`: true, `"content"`: true, `"1-5, 8"`: true, `""`: true,
		`[1,-1]`: true, `["go","rust"]`: true, `[]`: true, `"c++"`: true,
		`1e999`: false, `9007199254740994`: false, `9007199254740992`: true,
		`{}`: false, `{"file_path":"/etc/shadow"}`: false, `[{"a":1}]`: false, `"/etc/shadow"`: false, `"--pre=sh"`: false, `["-x"]`: false, `"~"`: false,
		`"a\nb"`: false, `"..\\a"`: false, `".."`: false, `[1`: false,
	} {
		var in struct {
			Option option.Value `json:"option"`
			After  int          `json:"after"`
		}
		err := json.Unmarshal([]byte(`{"option":`+text+`,"after":1}`), &in)
		if (err == nil) != want || want && in.After != 1 {
			t.Errorf("%s: got %v, want it to fit: %t", text, err, want)
		}
	}
}
