package console_test

import (
	"fmt"
	"testing"
)

// BenchmarkFirstPage is the first page with three waiting asks, its style and its scripts, over loopback.
func BenchmarkFirstPage(b *testing.B) {
	p := newPlace(b)
	for i := range 3 {
		p.check(fmt.Sprint("s", i), "Bash", map[string]string{"command": fmt.Sprint("make target-", i)})
	}
	br := p.open(p.admin, "ann")
	br.ask()
	size := 0
	for b.Loop() {
		size = 0
		for _, path := range []string{"/", "/assets/style.css", "/assets/app.js", "/assets/icon.svg"} {
			size += len(br.page(path))
		}
	}
	b.ReportMetric(float64(size), "bytes/page")
}
