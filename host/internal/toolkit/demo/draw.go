package demo

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
)

// drawn is a message as somebody sees it: its text as a client shows it, its files, its
// buttons and the options of its menu.
func drawn(m discordtest.Message, now time.Time) string {
	m.Content = readable(m.Content, now)
	_, text, _ := strings.Cut(m.String(), "\n") // without its author
	return text
}

// readable is a content as a client shows it: code blocks are set off, times are words,
// and what makes text bold or small is gone.
func readable(content string, now time.Time) string {
	var b strings.Builder
	code := false
	for line := range strings.Lines(content) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "```":
			code = !code
			continue
		case code:
			b.WriteString("│ " + line + "\n")
			continue
		}
		for i, text := range strings.Split(strings.TrimPrefix(line, "-# "), "`") {
			if i > 0 {
				b.WriteString("`")
			}
			if i%2 == 0 { // what stands in code stays as it is
				text = timeMark.ReplaceAllStringFunc(strings.ReplaceAll(text, "**", ""), func(mark string) string { return timeWords(mark, now) })
			}
			b.WriteString(text)
		}
		b.WriteString("\n")
	}
	return b.String()
}

var timeMark = regexp.MustCompile(`<t:(\d{1,12}):([Rft])>`)

// timeWords is a timestamp as a client words it.
func timeWords(mark string, now time.Time) string {
	m := timeMark.FindStringSubmatch(mark)
	unix, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil {
		return mark
	}
	at := time.Unix(unix, 0)
	if m[2] != "R" {
		return at.Format("15:04")
	}
	if left := at.Sub(now).Round(time.Second); left >= 0 {
		return fmt.Sprintf("in %s", left)
	}
	return fmt.Sprintf("%s ago", now.Sub(at).Round(time.Second))
}

// framed puts a text beside a bar, so that one sees where a message begins and ends.
func framed(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("  ┃" + strings.TrimSuffix(line, "\n") + "\n")
	}
	return b.String()
}

// firstLine is the first line of what a message says.
func firstLine(m discordtest.Message, now time.Time) string {
	line, _, _ := strings.Cut(readable(m.Content, now), "\n")
	return line
}

// part is a button of a message, or an option of its menu.
type part struct {
	verb  message.Verb
	label string
	// button is the custom id of a button, option the value of an option.
	button, option string
}

// plain reports whether an option is no rule.
func (p part) plain() bool {
	return p.option == message.ValueReason || p.option == message.ValueDetails
}

// String is a part as somebody sees it.
func (p part) String() string {
	if p.option != "" {
		return "menu: " + p.label
	}
	return "[" + p.label + "]"
}

// parts are what can be pressed or chosen, in the order of the message.
func parts(m discordtest.Message) []part {
	var list []part
	for _, row := range m.Components {
		for _, c := range row.Components {
			id, err := message.ParseID(c.CustomID)
			if err != nil || c.Disabled {
				continue
			}
			if c.Type == discordtest.Button {
				list = append(list, part{verb: id.Verb, label: c.Label, button: c.CustomID})
			}
			for _, o := range c.Options {
				list = append(list, part{verb: id.Verb, label: o.Label, option: o.Value})
			}
		}
	}
	return list
}

// subject is the ask that a message's buttons are about; empty for none.
func subject(m discordtest.Message) string {
	for _, row := range m.Components {
		for _, c := range row.Components {
			if id, err := message.ParseID(c.CustomID); err == nil {
				return id.Subject
			}
		}
	}
	return ""
}
