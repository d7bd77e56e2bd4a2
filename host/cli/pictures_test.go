package cli

import (
	"fmt"
	"html"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// terminalPicture draws the golden prompt of an ask in a terminal.
func terminalPicture(t *testing.T) string {
	t.Helper()
	p := picture{width: 700, line: 18}
	for line := range strings.Lines(strings.TrimSpace(goldenText(t, "host/internal/approval/terminal/testdata/prompt.golden"))) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "Type the ask's ID") {
			break
		}
		class := "m"
		if key := regexp.MustCompile(`^\[(.)\]`); key.MatchString(line) {
			class = "m key"
		}
		p.text(20, class, span{text: line})
	}
	return p.svg("#1e1e1e")
}

type span struct{ text, class string }

// picture is an SVG that grows downwards.
type picture struct {
	width, line, y int
	body           strings.Builder
}

func (p *picture) text(x int, class string, all ...span) {
	p.at(x, class, all...)
	p.y += p.line
}

func (p *picture) at(x int, class string, all ...span) {
	fmt.Fprintf(&p.body, `<text x="%d" y="%d" class="%s" xml:space="preserve">`, x, p.y+36, class)
	for _, s := range all {
		if s.text != "" {
			fmt.Fprintf(&p.body, `<tspan class="%s">%s</tspan>`, s.class, html.EscapeString(s.text))
		}
	}
	p.body.WriteString("</text>\n")
}

func (p *picture) svg(fill string) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">
<style>text{font:14px "Helvetica Neue",Helvetica,Arial,sans-serif;fill:#dbdee1}.m{font-family:ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:13px}.bold{font-weight:bold;fill:#fff}.small{font-size:12px;fill:#949ba4}.key{fill:#7ee787}</style>
<rect width="100%%" height="100%%" rx="8" fill="%s"/>
%s</svg>
`, p.width, p.y+36, p.width, p.y+36, fill, p.body.String())
}

func goldenText(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(repo.File(file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
