package conformance

import (
	"fmt"
	"strconv"

	"github.com/callgate/callgate/host/internal/modules/trial"
)

// shown is how many bytes of an input or an answer stand in a sentence.
const shown = 200

// brief is the beginning of foreign bytes, in quotes.
func brief(text []byte) string {
	if len(text) <= shown {
		return strconv.Quote(string(text))
	}
	return fmt.Sprintf("%s... (%d bytes)", strconv.Quote(string(text[:shown])), len(text))
}

// came describes a verb's answer.
func came(res trial.Result) string {
	if res.Err != nil {
		return res.Err.Error()
	}
	return "answered " + brief(res.Output)
}
