// Package testkit is the room of test helpers: a Discord-shaped server, modules compiled once
// for all tests, a home for daemons and one for gates with tools in Go, scripts of the program,
// hostile modules, empty stores, golden files. Only tests import its parts, and the demo the
// Discord-shaped server; TestArrows enforces it.
package testkit
