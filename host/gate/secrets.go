package gate

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/mask"
)

// noteSecret is told instead of the rules that would keep a secret.
const noteSecret = "a rule for this call would keep its secret: it can be approved once, or take the secret out of it"

// withoutSecrets takes out of a decision on a call the suggestions that would carry
// a secret of its input into the store, where rules are kept readable, and the
// quotation of a part that has one: the message ends in transcripts. A set of
// suggestions goes as a whole, because its rules only help together. Threat T14.
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

// renumbered closes the gaps in the numbers of the sets, which people type.
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

// keepsSecret reports whether a rule's text holds a secret: one that it shows
// itself, or one that only the input shows, by what stands around it or by the
// name of its member.
func keepsSecret(content string, input []byte) bool {
	known := func(secret string) bool { return strings.Contains(content, secret) }
	if looksSecret(content) || slices.ContainsFunc(mask.Secrets(string(input)), known) {
		return true
	}
	quoted, err := json.Marshal(content)
	text := bytes.Trim(quoted, `"`)
	return err == nil && len(text) > 0 && bytes.Contains(input, text) && !bytes.Contains(mask.New(nil).JSON(input), text)
}

// looksSecret reports whether the audit would hide something of the text.
func looksSecret(text string) bool { return mask.New(nil).Text(text) != text }

// hasSecret reports whether the audit would hide something of the input.
func hasSecret(input []byte) bool {
	return !bytes.Equal(mask.New(nil).JSON(input), input)
}
