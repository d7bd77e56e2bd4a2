package catalog

import (
	"path"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/engine"
)

// markClaimed sets Claimed on each path of which the input says nothing: its
// last element occurs in none of the input's texts. Where the call stands (the
// cwd, the home directory) is the host's own knowledge. Source: threat T17.
func markClaimed(targets []engine.Target, call *engine.Call) {
	var texts []string
	for i := range targets {
		t := &targets[i]
		if t.Kind != "path" || known(t.Value, &call.Context) {
			continue
		}
		if texts == nil {
			texts = append(inputTexts(call.Input), "")
		}
		t.Claimed = !occurs(path.Base(t.Value), texts)
	}
}

func known(value string, c *engine.Context) bool {
	clean := path.Clean(value)
	return clean == "." || clean == "~" || c.CWD != "" && clean == path.Clean(c.CWD) || c.Home != "" && clean == path.Clean(c.Home)
}

// unquote takes away what a shell takes away, so that a path written as
// My\ File or "a"'b' is found.
var unquote = strings.NewReplacer(`\`, "", `"`, "", `'`, "")

func occurs(element string, texts []string) bool {
	for _, text := range texts {
		if strings.Contains(text, element) || strings.Contains(unquote.Replace(text), element) {
			return true
		}
	}
	return false
}

// inputTexts are all texts in a JSON value, names included, decoded. It stops
// at what is not JSON.
func inputTexts(input []byte) []string {
	var texts []string
	d := jsontext.NewDecoder(strings.NewReader(string(input)))
	for {
		token, err := d.ReadToken()
		if err != nil {
			return texts
		}
		if token.Kind() == '"' {
			texts = append(texts, token.String())
		}
	}
}
