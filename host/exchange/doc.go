// Package exchange reads the permission files of other agents and says, line by
// line, what each becomes here, and writes Callgate's own rules as YAML.
//
// Reading is pure: bytes in, a [Report] out. What a report would allow never
// exceeds what the file allowed; a deny or an ask of the file that cannot be
// carried whole is an entry of the outcome [Weaker], which says so and what to do.
// Values of keys that are not about permissions are never shown: they may be
// secrets.
package exchange
