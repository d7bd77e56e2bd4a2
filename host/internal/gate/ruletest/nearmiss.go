package ruletest

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/store/mask"
	"github.com/callgate/callgate/host/internal/text/strictjson"
)

const (
	// nearMisses is how many near misses a stored suggestion keeps. RATIONALE.md,
	// "What are near misses for?".
	nearMisses = 2
	// maxNearMisses bounds how many candidates are tried for one rule.
	maxNearMisses = 24
	// missPatience bounds the search for them; a rule without any is stored all the
	// same.
	missPatience = 5 * time.Second
)

// maxExample is how much of an input is kept as an example, in bytes.
const maxExample = 4096

// Exemplified gives accepted rules their examples, each tried: the originating call, if the
// rule alone covers it, and two near misses of it. Examples with a secret are not kept: the
// input of an ask is erased when it ends.
func (s *Stored) Exemplified(ctx context.Context, a ask.Ask, rules []engine.Rule) []engine.Rule {
	if len(a.Input) > maxExample || mask.HasSecret(a.Input) {
		return rules
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), missPatience)
	defer cancel()
	t, done := s.Tester()
	defer done()
	for i := range rules {
		r := &rules[i]
		entry := t.Catalog.Lookup(r.Tool)
		if r.WholeTool() || entry.Name != t.Catalog.Lookup(a.Tool).Name { // a rule of Read for a search has no input of Read
			continue
		}
		holds := func(input []byte, want bool) bool {
			return len(input) <= maxExample && !mask.HasSecret(input) && t.tryExample(ctx, entry, *r, string(input), want) == nil
		}
		if holds(a.Input, true) {
			r.Match = []string{string(a.Input)}
		}
		for n, miss := range slices.Concat(proposedMisses(a, *r), mutations(entry, a.Input)) {
			if n >= maxNearMisses || len(r.NotMatch) == nearMisses {
				break
			}
			if !slices.Contains(r.NotMatch, string(miss)) && holds(miss, false) {
				r.NotMatch = append(r.NotMatch, string(miss))
			}
		}
	}
	return rules
}

// proposedMisses are the module's own near misses of a rule.
func proposedMisses(a ask.Ask, r engine.Rule) [][]byte {
	var out [][]byte
	for _, s := range a.Decision.Suggestions {
		if s.Tool != r.Tool || s.Content == nil || *s.Content != *r.Content {
			continue
		}
		for _, miss := range s.NearMisses {
			if input, err := strictjson.Object(miss); err == nil {
				out = append(out, input)
			}
		}
	}
	return out
}

// mutations are inputs with one member's value changed, the nearest first: of the example's
// main member, then of the others.
func mutations(entry modules.Entry, input json.RawMessage) [][]byte {
	var members map[string]json.RawMessage
	var schema struct {
		Required []string `json:"required"`
	}
	if json.Unmarshal(input, &members) != nil {
		return nil
	}
	if json.Unmarshal(entry.InputSchema, &schema) != nil {
		schema.Required = nil
	}
	var names, rest []string
	for _, name := range schema.Required {
		if _, there := members[name]; there && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for name := range members {
		if !slices.Contains(names, name) {
			rest = append(rest, name)
		}
	}
	slices.Sort(rest)
	var out [][]byte
	for _, name := range append(names, rest...) {
		var value string
		if json.Unmarshal(members[name], &value) != nil || value == "" {
			continue
		}
		for _, near := range nearTexts(value) {
			if changed, ok := with(members, name, near); ok {
				out = append(out, changed)
			}
		}
	}
	return out
}

// with is an object with another text as one member.
func with(members map[string]json.RawMessage, name, value string) ([]byte, bool) {
	changed := make(map[string]json.RawMessage, len(members))
	for k, v := range members {
		changed[k] = v
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, false
	}
	changed[name] = text
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(changed) != nil {
		return nil, false
	}
	strict, err := strictjson.Object(out.Bytes())
	return strict, err == nil
}

// nearTexts are values close to one, outside any narrow rule for it: a similar host, a file
// beside the directory and one reached by "..", and, for everything, the text with more before
// and after it.
func nearTexts(value string) []string {
	var out []string
	if u, err := url.Parse(value); err == nil && u.Host != "" && u.User == nil {
		for _, host := range []string{u.Host + ".example.net", "x" + u.Host, "x." + u.Host} {
			near := *u
			near.Host = host
			out = append(out, near.String())
		}
	} else if strings.Contains(value, "/") && !strings.ContainsAny(value, " \n") {
		dir, file := path.Split(strings.TrimSuffix(value, "/"))
		dir = strings.TrimSuffix(dir, "/")
		if dir != "" {
			out = append(out, dir+"-other/"+file, dir+"/../"+path.Base(dir)+"-other/"+file)
		}
		out = append(out, path.Join(dir, "..", "other", file), dir+"/../../other/"+file)
	}
	return append(out, value+"x", "x"+value, value+" other", "other")
}
