package console_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/store"
)

var inRow = regexp.MustCompile(`href="(/activity/\d+)"`)

// TestActivity: calls appear with their decision, filters choose among them, and a row's page has
// the input and how the call would be decided now.
func TestActivity(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	<-p.check("s1", "Bash", map[string]string{"command": "ls '<b>-la</b>'"})
	<-p.check("s2", "Bash", map[string]string{"command": "pwd"})
	b := p.open(p.admin, "ann")
	page := b.page("/activity")
	for _, want := range []string{"<h2>Today</h2>", "pwd", "&lt;b&gt;-la&lt;/b&gt;", "href=\"/activity?session=s1\"", "Allowed"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in the page:\n%s", want, page)
		}
	}
	if page := b.page("/activity?session=s2"); !strings.Contains(page, "pwd") || strings.Contains(page, "la&lt;") {
		t.Errorf("the session's page:\n%s", page)
	}
	if page := b.page("/activity?text=nosuchthing&show=deny&since=1h"); !strings.Contains(page, "Nothing here yet") {
		t.Errorf("a filter that matches nothing:\n%s", page)
	}
	row := b.page(found(t, inRow, b.page("/activity?session=s2&show="+string(store.EventDecision))))
	for _, want := range []string{"pwd", "The same call now", "<td>deny_rule</td>", "<dt>hash</dt>"} {
		if !strings.Contains(row, want) {
			t.Errorf("%q is not in the row's page:\n%s", want, row)
		}
	}
	for path, want := range map[string]int{
		"/activity?since=x": http.StatusBadRequest, "/activity?before=x": http.StatusBadRequest, "/activity?sort=1": http.StatusBadRequest,
		"/activity/0": http.StatusNotFound, "/activity/999999": http.StatusNotFound,
	} {
		if g := b.get(path); g.status != want {
			t.Errorf("%s: %d, want %d\n%s", path, g.status, want, g.body)
		}
	}
}

// TestActivityPages: the pages follow each other without a gap.
func TestActivityPages(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for range 60 {
		<-p.check("s1", "Bash", map[string]string{"command": "pwd"})
	}
	b := p.open(p.admin, "ann")
	older := regexp.MustCompile(`href="(/activity\?[^"]*before=\d+[^"]*)">Older`)
	seen := map[string]bool{}
	for path := "/activity?show=allow"; ; {
		page := b.page(path)
		for _, m := range inRow.FindAllStringSubmatch(page, -1) {
			if seen[m[1]] {
				t.Fatalf("%s is there twice", m[1])
			}
			seen[m[1]] = true
		}
		m := older.FindStringSubmatch(page)
		if m == nil {
			break
		}
		path = strings.ReplaceAll(m[1], "&amp;", "&")
	}
	if len(seen) != 60 {
		t.Errorf("%d rows, want 60", len(seen))
	}
}
