package console_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/approval/ask"
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

// BenchmarkAskOnScreen is the time from an agent's call to its card in the open page of a real browser,
// as the page's own observer sees it come.
func BenchmarkAskOnScreen(b *testing.B) {
	c := startChromium(b)
	p := newPlace(b)
	page := c.open(b, p, "ann")
	page.until(`document.querySelector("#lost").hidden`)
	value[bool](page, `(window.shown = {}, new MutationObserver(all => { for (const m of all) for (const n of m.addedNodes) if (n.id) window.shown[n.id] = Date.now(); }).observe(document.querySelector("#cards"), { childList: true }), true)`)
	var all, worst float64
	n := 0
	for b.Loop() {
		n++
		events := p.daemon.Host.Asks.Subscribe(b.Context())
		began := time.Now()
		done := p.check(fmt.Sprint("s", n), "Bash", map[string]string{"command": fmt.Sprint("make target-", n)})
		id := (<-events).Ask.ID
		page.until(fmt.Sprintf(`%q in window.shown`, "ask-"+id))
		took := value[float64](page, fmt.Sprintf(`window.shown[%q]`, "ask-"+id)) - float64(began.UnixMilli())
		all, worst = all+took, max(worst, took)
		_, err := p.admin.Answer(b.Context(), id, ask.Answer{By: "ann", Surface: "console"})
		must(b, err)
		<-done
	}
	b.ReportMetric(all/float64(n), "ms/ask")
	b.ReportMetric(worst, "ms/worst")
}
