package config

import _ "embed" // for the schema

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema (draft 2020-12) of the configuration file. It is made from the
// types of this package and their comments by `go test ./host/internal/config -run TestSchema
// -update`. It knows the shape of the file; further checks of Parse (names, paths, rules) are
// beyond it.
func Schema() []byte { return append([]byte(nil), schema...) }
