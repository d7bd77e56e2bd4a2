// Package ready asks the system for pages of memory before they are used, many at once. RATIONALE.md,
// "Why are pages asked for before they are used?".
package ready
