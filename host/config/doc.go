// Package config reads the operator's one YAML file into a [Config].
//
// The file is strict: an unknown key, a key given twice or a value of another
// type is an error with file, line, column, field and cure, and a file with one
// error is not used at all. Without any file [Default] holds, which asks about
// everything. callgate.example.yaml ([ExampleFile]) shows every key and
// is the reference; [Schema] is the same for editors and programs.
//
// What the rules mean is the tools' business: the package checks their shape
// and hands their match and not_match examples out ([Config.Examples]) with the
// line they stand on, so that whoever has the tools can refuse them there.
package config
