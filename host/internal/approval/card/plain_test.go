package card_test

import (
	"testing"

	"github.com/callgate/callgate/host/internal/approval/card"
)

func TestPlain(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]bool{
		`{"command":"npm test"}`:         true,
		`{"command":"a\nb","n":[1,"ö"]}`: true,
		`{"command":"rm \u202etxt.exe"}`: false,
		`{"command":"rm a\u200bb"}`:      false,
		`{"comm\u200band":"ls"}`:         false,
		`{"command":"p\u0430ypal"}`:      false,
		`{"command":`:                    false,
		`{"a":{"b":["x","\u001b[2K"]}}`:  false,
	} {
		if got := card.Plain([]byte(input)); got != want {
			t.Errorf("%s: got %t, want %t", input, got, want)
		}
	}
}
