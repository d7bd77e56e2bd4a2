package console_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience bounds a wait for the browser: it ends a hung test, and no test measures with it.
const patience = 120 * time.Second

// chromium is a browser process; each of its tabs has cookies of its own.
type chromium struct {
	ctx context.Context
}

// startChromium starts the machine's Chromium, or skips the test without one.
func startChromium(t testing.TB, more ...chromedp.ExecAllocatorOption) *chromium {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("no chromium, chromium-browser or google-chrome in PATH: install one to run the browser's tests")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.WSURLReadTimeout(patience), chromedp.Flag("disable-dev-shm-usage", true))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium refuses its sandbox to root
	}
	options = append(options, more...)
	process, end := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(end)
	ctx, stop := chromedp.NewContext(process)
	t.Cleanup(stop)
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatalf("start %s: %v", path, err)
	}
	return &chromium{ctx}
}

// tab is an open page of one person's browser. At the end of the test it fails on every violation of
// the policy, exception and dialog of its pages.
type tab struct {
	t      testing.TB
	ctx    context.Context
	origin string

	mu     sync.Mutex
	wrongs []string
}

// open opens a new link in a browser of its own, and waits for the first page.
func (c *chromium) open(t testing.TB, p *place, by string) *tab {
	t.Helper()
	link, err := p.admin.Console(t.Context(), by)
	must(t, err)
	b := &tab{t: t, origin: link.URL[:strings.LastIndex(link.URL, "/")]}
	ctx, stop := chromedp.NewContext(c.ctx, chromedp.WithNewBrowserContext(), chromedp.WithListener(b.listen))
	t.Cleanup(stop)
	b.ctx = ctx
	t.Cleanup(func() {
		for _, wrong := range b.take() {
			t.Error(wrong)
		}
	})
	must(t, chromedp.Do(ctx, chromedp.Navigate(link.URL))) // the tab lives as long as its first context
	b.until(`document.querySelector("#cards") !== null`)
	return b
}

// listen notes what no page of ours may cause.
func (b *tab) listen(ev any) {
	wrong := ""
	switch ev := ev.(type) {
	case *log.EventEntryAdded:
		if text := ev.Entry.Text; strings.Contains(text, "Content Security Policy") || strings.Contains(text, "Trusted") || ev.Entry.Source == log.EntrySourceSecurity {
			wrong = "the policy was violated: " + text + " " + ev.Entry.URL
		}
	case *runtime.EventExceptionThrown:
		wrong = fmt.Sprintf("the script failed: %s %+v", ev.ExceptionDetails.Text, ev.ExceptionDetails.Exception)
	case *page.EventJavascriptDialogOpening:
		wrong = "the page opened a dialog: " + ev.Message
	}
	if wrong != "" {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.wrongs = append(b.wrongs, wrong)
	}
}

// take returns the noted wrongs and forgets them.
func (b *tab) take() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.wrongs
	b.wrongs = nil
	return all
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatalf("%v\nthe page: %s", err, b.text())
	}
}

// text is the page's visible text, for messages.
func (b *tab) text() string {
	ctx, cancel := context.WithTimeout(b.ctx, patience/10)
	defer cancel()
	out, _ := chromedp.Run(ctx, chromedp.Evaluate[string](`location.href + "\n" + document.body.innerText`)) // a message without it
	return out
}

// value evaluates an expression in the page.
func value[T any](b *tab, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	out, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return out
}

// until waits until an expression is true, across navigations.
func (b *tab) until(expression string) {
	b.t.Helper()
	end := time.After(patience)
	for {
		ctx, cancel := context.WithTimeout(b.ctx, patience/10) // a page that goes away in between never answers
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool](expression))
		cancel()
		if err == nil && ok {
			return
		}
		select {
		case <-end:
			b.t.Fatalf("it never came: %s\nthe page: %s", expression, b.text())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// visit opens a page of the console and waits for its frame.
func (b *tab) visit(path string) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.origin + path))
}

// click clicks the first element of a selector, as soon as it is there.
func (b *tab) click(selector string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`document.readyState === "complete" && document.querySelector(%q) !== null`, selector)) // its script has run
	value[bool](b, fmt.Sprintf(`(document.querySelector(%q).click(), true)`, selector))
}

// says waits until the page's text has a text.
func (b *tab) says(text string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`document.body.textContent.includes(%q)`, text))
}

// typed puts text into a field. By keys it would go to a node of a page that may be leaving.
func (b *tab) typed(selector, text string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`document.readyState === "complete" && document.querySelector(%q) !== null`, selector))
	value[bool](b, fmt.Sprintf(`((field) => { field.focus(); field.value = %q; return field.dispatchEvent(new Event("input", { bubbles: true })); })(document.querySelector(%q))`, text, selector))
}

// sized gives the window a width, and the system a colour scheme.
func (b *tab) sized(width int64, scheme string) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, 800), chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}},
		})
		return err
	}))
}

// pictures is the directory of the screenshots; without it none is kept.
var pictures = os.Getenv("CALLGATE_SCREENSHOTS")

// picture keeps a screenshot of the page, as a PNG.
func (b *tab) picture(name string) {
	b.t.Helper()
	if pictures == "" {
		return
	}
	shot, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	must(b.t, err)
	must(b.t, os.WriteFile(filepath.Join(pictures, name+".png"), shot, 0o600))
}

// window keeps the visible part of the page, as a small WebP for documents.
func (b *tab) window(name string) {
	b.t.Helper()
	if pictures == "" {
		return
	}
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		quality := int64(85)
		shot, err := cdp.Call(ctx, t, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatWebp, Quality: &quality})
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(pictures, name+".webp"), shot.Data, 0o600)
	}))
}
