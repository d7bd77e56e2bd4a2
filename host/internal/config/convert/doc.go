// Package convert reads the permission files of other agents, reports line by line the result for
// Callgate, and writes Callgate's own rules as YAML.
//
// Reading is pure: bytes in, a [Report] out. A report never allows more than the file; a deny or an
// ask lost in whole or in part is an entry with the outcome [Weaker] and a fix. Values of other
// keys than permissions are never shown: they may be secrets.
package convert
