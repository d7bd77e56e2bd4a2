package gate

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/store/mask"
)

// noteSecret replaces rules that would keep a secret.
const noteSecret = "a rule for this call would store its secret: approve it once, or remove the secret from the call"

// hideSecrets is withoutSecrets as a tightener.
func hideSecrets(_ *Gate, _ context.Context, c *call, d engine.Decision) engine.Decision {
	return withoutSecrets(c.req.Call, d)
}

// withoutSecrets takes out of a decision on a call the suggestions that would carry a secret of
// its input into the store, where rules are kept readable, and the quotation of a part with
// one: the message ends in transcripts. A set of suggestions goes as a whole, because its rules
// only help together. Threat T14.
func withoutSecrets(call *engine.Call, d engine.Decision) engine.Decision {
	input := []byte(call.Input)
	if slices.ContainsFunc(d.Offending, func(part string) bool { return keepsSecret(part, input) }) {
		d = d.WithoutOffending(call.Tool)
	}
	leaking := map[int]bool{}
	for _, s := range d.Suggestions {
		if s.Content != nil && keepsSecret(*s.Content, input) {
			leaking[s.Set] = true
		}
	}
	if len(leaking) == 0 {
		return d
	}
	kept := slices.DeleteFunc(slices.Clone(d.Suggestions), func(s engine.Suggestion) bool { return leaking[s.Set] })
	d.Suggestions = renumbered(kept)
	if len(kept) == 0 {
		d.Suggestions, d.SuggestionsNote = nil, noteSecret
	}
	return d
}

// renumbered closes the gaps in the numbers of the sets; people type them.
func renumbered(s []engine.Suggestion) []engine.Suggestion {
	var sets []int
	for _, one := range s {
		sets = append(sets, one.Set)
	}
	slices.Sort(sets)
	sets = slices.Compact(sets)
	for i := range s {
		s[i].Set = 1 + slices.Index(sets, s[i].Set)
	}
	return s
}

// keepsSecret reports whether a rule's text holds a secret: one recognisable in it, or only in
// the input, by its surroundings or the name of its member.
func keepsSecret(content string, input []byte) bool {
	known := func(secret string) bool { return strings.Contains(content, secret) }
	if mask.LooksSecret(content) || slices.ContainsFunc(mask.Secrets(string(input)), known) {
		return true
	}
	quoted, err := json.Marshal(content)
	text := bytes.Trim(quoted, `"`)
	return err == nil && len(text) > 0 && bytes.Contains(input, text) && !bytes.Contains(mask.New(nil).JSON(input), text)
}
