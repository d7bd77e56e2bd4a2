// Package config reads the operator's one YAML file into a [Config].
//
// The file is strict: an unknown key, a key given twice or a value of another type is an error with
// file, line, column, field and fix, and a file with one error is not used at all. Without any file
// [Default] holds: it asks about everything. callgate.example.yaml ([ExampleFile]) shows every key
// and is the reference; [Schema] is the same for editors and programs.
//
// The tools know the meaning of rules: this package checks their shape and hands their match and
// not_match examples out ([Config.Examples]) with their lines, for a check by the tools.
//
// It may import engine, wire, the roles of approvers and the limits of the sandbox; the
// gate, daemon, machine, discord and the CLI call it.
package config
