// Package strictyaml reads one YAML document into Go values and forgives
// nothing: an unknown key, a key given twice, a value of another type, an
// anchor, alias, merge key or tag is an error that names file, line, column and
// field. The decoder of github.com/goccy/go-yaml turns 5 into "5" and stops at
// the first error; a permission file must mean what it shows, and its author
// wants all errors at once.
package strictyaml
