package api

import (
	"fmt"

	"github.com/callgate/callgate/engine"
)

// forkKind takes the member "kind" out of the body of a mode, and tells whether it
// is the mode of the session's interactive forks.
func forkKind(body map[string]*string) (bool, error) {
	word, given := body["kind"]
	delete(body, "kind")
	switch {
	case !given || word != nil && *word == string(engine.Main):
		return false, nil
	case word != nil && *word == string(engine.InteractiveFork):
		return true, nil
	case word == nil:
		return false, badField("kind", "null: want main or interactive_fork")
	}
	return false, badField("kind", fmt.Sprintf("%q: want main or interactive_fork (background calls use the session's mode and never ask)", *word))
}
