package replay

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/goccy/go-yaml/parser"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/text/yamltext"
)

// taken are the keys of a configuration used by a replay: those for decisions, and none for the
// store's place, listeners or answering programs.
var taken = []string{"rules", "paths"}

// Settings are the parts of a configuration file used by a replay.
func Settings(file string, data []byte) ([]byte, error) {
	if _, err := config.Parse(file, data, config.Dirs{Home: "/", Config: "/", State: "/", Cache: "/"}); err != nil {
		return nil, err
	}
	doc, err := parser.ParseBytes(data, 0)
	if err != nil || len(doc.Docs) == 0 || doc.Docs[0].Body == nil {
		return nil, err
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	var out []byte
	pairs := yamltext.Pairs(doc.Docs[0].Body)
	for i, pair := range pairs {
		from, to := pair.Key.GetToken().Position, len(lines)
		if from.Column != 1 {
			return nil, fmt.Errorf("%s: a replay reads keys that begin their lines: write it without brackets", file)
		}
		if i+1 < len(pairs) {
			to = pairs[i+1].Key.GetToken().Position.Line - 1
		}
		if slices.Contains(taken, yamltext.KeyText(pair)) {
			out = append(out, bytes.Join(lines[from.Line-1:to], nil)...)
		}
	}
	return out, nil
}
