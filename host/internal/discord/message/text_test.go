package message_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/discord/message"
)

// drawn is a message about as Discord shows it, for those who read the golden files:
// code blocks behind a gutter, then the files, the buttons in brackets and the menus with
// their options.
func drawn(m message.Message) string {
	var out strings.Builder
	for i, part := range strings.Split(m.Content, "```") {
		if i%2 == 1 {
			for l := range strings.SplitSeq(strings.Trim(part, "\n"), "\n") {
				out.WriteString("  │ " + l + "\n")
			}
			continue
		}
		for l := range strings.SplitSeq(strings.Trim(part, "\n"), "\n") {
			if l != "" {
				out.WriteString(plainLine(l) + "\n")
			}
		}
	}
	for _, f := range m.Files {
		fmt.Fprintf(&out, "📎 %s (%d bytes)\n", f.Name, len(f.Data))
	}
	for _, c := range m.Components {
		if r, ok := c.(discordgo.ActionsRow); ok {
			out.WriteString(rowText(r))
		}
	}
	return out.String()
}

var timestamp = regexp.MustCompile(`<t:(-?[0-9]{1,12}):[a-zA-Z]>`)

var mentioned = regexp.MustCompile(`<@([0-9]{17,20})>`)

// plainLine removes our own marks from a line; code stays as it is.
func plainLine(l string) string {
	l = strings.TrimPrefix(l, "-# ")
	parts := strings.Split(l, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = timestamp.ReplaceAllStringFunc(mentioned.ReplaceAllString(strings.ReplaceAll(parts[i], "**", ""), "@$1"), clock)
	}
	return strings.Join(parts, "`")
}

func clock(mark string) string {
	seconds, err := strconv.ParseInt(timestamp.FindStringSubmatch(mark)[1], 10, 64)
	if err != nil {
		return mark
	}
	return time.Unix(seconds, 0).UTC().Format("15:04:05 UTC")
}

func rowText(r discordgo.ActionsRow) string {
	var buttons, lines []string
	for _, c := range r.Components {
		switch c := c.(type) {
		case discordgo.Button:
			buttons = append(buttons, "["+c.Label+"]")
		case discordgo.SelectMenu:
			lines = append(lines, "▾ "+c.Placeholder)
			for _, o := range c.Options {
				lines = append(lines, "    "+o.Label+"\n      "+o.Description)
			}
		}
	}
	if len(buttons) > 0 {
		lines = append(lines, strings.Join(buttons, " "))
	}
	return strings.Join(lines, "\n") + "\n"
}
