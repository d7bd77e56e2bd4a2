package doctor

import "github.com/callgate/callgate/host/internal/machine/finding"

// Preload returns the findings about a program open to preloading.
func Preload(path, system string) []finding.Finding {
	var d examination
	d.preload(path, system)
	return d.findings
}
