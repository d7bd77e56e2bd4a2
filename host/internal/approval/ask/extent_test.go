package ask_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/approval/ask"
)

func TestLongInput(t *testing.T) {
	t.Parallel()
	inText := func(s string) string { return `{"c":"` + s + `"}` }
	tests := []struct {
		name, input string
		want        bool
	}{
		{"empty", `{}`, false},
		{"just fits", inText(strings.Repeat("x", ask.MaxShownBytes-8)), false},
		{"one byte more", inText(strings.Repeat("x", ask.MaxShownBytes-7)), true},
		{"blanks between tokens do not count", inText("x") + strings.Repeat(" \n", 5000), false},
		{"blanks in a text count", inText(strings.Repeat(" ", 5000)), true},
		{"escapes count as they decode", inText(strings.Repeat(`\u003c`, 4000)), false},
		{"a doubled backslash is no escape", inText(strings.Repeat(`\\u003c`, 700)), true},
		{"two-byte characters", inText(strings.Repeat(`\u00e9`, 2100)), true},
		{"three-byte characters", inText(strings.Repeat(`\u4e16`, 1400)), true},
		{"99 line feeds", inText(strings.Repeat(`\n`, 99)), false},
		{"100 line feeds", inText(strings.Repeat(`\n`, 100)), true},
		{"line feeds spelt out", inText(strings.Repeat(`\u000A`, 100)), true},
		{"escaped backslashes before n", inText(strings.Repeat(`\\n`, 100)), false},
		{"control characters are shown as escapes", inText(strings.Repeat(`\u0001`, 400)), true},
		{"many elements", `{"a":[` + strings.Repeat("1,", 100) + `1]}`, true},
		{"deep", `{"a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, true},
		{"commas in a text", inText(strings.Repeat(",[{", 100)), false},
		{"cut off in an escape", `{"c":"\`, false},
		{"cut off in a long escape", `{"c":"\u00`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := (ask.Ask{Input: json.RawMessage(tt.input)}).LongInput(); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// FuzzLongInput: an ask is as long after a store or an API as before, so the card and the
// broker agree about it.
func FuzzLongInput(f *testing.F) {
	f.Add([]byte(`{"a":"<\u003c\n", "b": [1, {"c": null}]}`))
	f.Add([]byte("{\"a\":\"\u2028\"}"))
	f.Fuzz(func(t *testing.T, input []byte) {
		if !json.Valid(input) {
			(ask.Ask{Input: input}).LongInput() // must not panic
			return
		}
		for len(input) < ask.MaxShownBytes {
			input = append(append([]byte("["), input...), ',')
			input = append(append(input, input[1:len(input)-1]...), ']')
		}
		sent, err := json.Marshal(json.RawMessage(input))
		if err != nil {
			t.Skip(err)
		}
		before, after := ask.Ask{Input: input}, ask.Ask{Input: sent}
		if before.LongInput() != after.LongInput() {
			t.Errorf("%q is long: %v; as %q: %v", input, before.LongInput(), sent, after.LongInput())
		}
	})
}
