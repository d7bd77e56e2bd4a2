// Package recipe holds ready-made settings for common ways to run an agent, as fragments of the
// configuration file, and puts them into an existing file without touching its present text. The
// first three are those of docs/seeds.md, "Common Recipes". RATIONALE.md, "Where do templates and
// recipes differ?".
package recipe
