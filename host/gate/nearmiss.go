package gate

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
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/catalog"
)

const (
	// nearMisses is how many near misses a stored suggestion keeps. Source: design
	// section 4.
	nearMisses = 2
	// maxNearMisses bounds how many candidates are tried for one rule.
	maxNearMisses = 24
	// missPatience bounds the search for them; a rule without any is stored all the
	// same.
	missPatience = 5 * time.Second
)

// exemplified gives accepted rules their examples, each tried: the originating
// call, where the rule covers it alone, and two near misses of it. What holds a
// secret is not kept: the input of an ask is erased when it ends.
func (g *Gate) exemplified(ctx context.Context, a ask.Ask, rules []engine.Rule) []engine.Rule {
	if len(a.Input) > maxExample || hasSecret(a.Input) {
		return rules
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), missPatience)
	defer cancel()
	t, done := g.trial()
	defer done()
	for i := range rules {
		r := &rules[i]
		if r.WholeTool() {
			continue
		}
		entry := t.Catalog.Lookup(r.Tool)
		holds := func(input []byte, want bool) bool {
			return len(input) <= maxExample && !hasSecret(input) && t.tryExample(ctx, entry, *r, string(input), want) == nil
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

// proposedMisses are what the module itself calls near misses of a rule.
func proposedMisses(a ask.Ask, r engine.Rule) [][]byte {
	var out [][]byte
	for _, s := range a.Decision.Suggestions {
		if s.Tool != r.Tool || s.Content == nil || *s.Content != *r.Content {
			continue
		}
		for _, miss := range s.NearMisses {
			if input, err := StrictObject(miss); err == nil {
				out = append(out, input)
			}
		}
	}
	return out
}

// mutations are inputs that differ from one in the value of one member, the
// nearest first: of the member that examples are about, then of the others.
func mutations(entry catalog.Entry, input json.RawMessage) [][]byte {
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
	strict, err := StrictObject(out.Bytes())
	return strict, err == nil
}

// nearTexts are values close to one that a narrow rule must not take for it: a host
// that looks like it, a file beside the directory and one that ".." leads to, and,
// for everything, the text with more before and after it.
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
