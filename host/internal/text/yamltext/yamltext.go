// Package yamltext writes single keys and texts of YAML, and reads the keys of a parsed
// mapping: for code that has to keep a file's own lines, or to lay out its own.
package yamltext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// plainKey matches a key without a need for quotes; words with another meaning in YAML are
// quoted as well.
var (
	plainKey = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
	reserved = regexp.MustCompile(`(?i)^(true|false|null|yes|no|on|off|y|n)$`)
)

// Key is a name as the key of a mapping, in quotes where it needs them.
func Key(name string) string {
	if plainKey.MatchString(name) && !reserved.MatchString(name) {
		return name
	}
	return Quote(name)
}

// Quote is a text in double quotes; JSON's escapes are YAML's.
func Quote(text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		panic(fmt.Sprintf("yamltext: a text is not JSON: %v", err)) // any text is
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Flow is a list on one line.
func Flow(items []string) string {
	quoted := make([]string, len(items))
	for i, s := range items {
		quoted[i] = Quote(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// Pairs are the keys of a mapping with their values, in the file's order; none of any other
// node.
func Pairs(n ast.Node) []*ast.MappingValueNode {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	}
	return nil
}

// KeyText is the key of a pair as text.
func KeyText(pair *ast.MappingValueNode) string {
	if s, ok := pair.Key.(*ast.StringNode); ok {
		return s.Value
	}
	return fmt.Sprint(pair.Key)
}
