// Package recipe holds ready-made settings for common ways to run an agent, as
// fragments of the configuration file, and puts them into an existing file
// without touching what is written there. The first three are the AgentScope
// seed's own recipes.
package recipe
