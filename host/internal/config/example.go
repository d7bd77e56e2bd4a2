package config

import _ "embed" // for the example and the schema

//go:embed callgate.example.yaml
var example []byte

// ExampleFile returns callgate.example.yaml: every key with a comment. It is
// the reference of the file's content.
func ExampleFile() []byte { return append([]byte(nil), example...) }
