// Package discordtest is a Discord-shaped server for tests: REST, gateway, and people
// who use it.
package discordtest
