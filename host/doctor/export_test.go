package doctor

import "github.com/callgate/callgate/host/finding"

// Preload returns what is found about a program that may be preloaded into.
func Preload(path, system string) []finding.Finding {
	var d examination
	d.preload(path, system)
	return d.findings
}
