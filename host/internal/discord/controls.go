package discord

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/discord/message"
)

// controlsDigest is the digest of a message's controls, in Discord's form: the custom id of
// each label. It begins with a letter not used by digests of a text.
func controlsDigest(components []discordgo.MessageComponent) string {
	h := sha256.New()
	for _, c := range components {
		addControl(h, c)
	}
	return "x" + hex.EncodeToString(h.Sum(nil))
}

// filesDigest is the digest of a message's attachments. It begins with a letter not used by
// other digests.
func filesDigest(m *discordgo.Message) string {
	h := sha256.New()
	for _, a := range m.Attachments {
		if a != nil {
			fmt.Fprintf(h, "file %q %q %d\n", a.ID, a.Filename, a.Size)
		}
	}
	return "y" + hex.EncodeToString(h.Sum(nil))
}

// embedded reports whether a message has text in embeds; ours have none. A link's preview does
// not count.
func embedded(m *discordgo.Message) bool {
	return slices.ContainsFunc(m.Embeds, func(e *discordgo.MessageEmbed) bool {
		return e != nil && (e.Type == discordgo.EmbedTypeRich || e.Type == "")
	})
}

// ofText reports whether a digest is one of a text.
func ofText(digest string) bool {
	return !strings.HasPrefix(digest, "x") && !strings.HasPrefix(digest, "y")
}

// isFiles reports whether a digest is one of attachments.
func isFiles(digest string) bool { return strings.HasPrefix(digest, "y") }

// same reports whether a message has the text and controls of one of ours without files.
func same(m *discordgo.Message, ours message.Message) bool {
	return m != nil && message.Digest(m.Content) == message.Digest(ours.Content) && controlsDigest(m.Components) == controlsDigest(ours.Components) &&
		len(m.Attachments) == 0 && !embedded(m)
}

func addControl(h hash.Hash, c discordgo.MessageComponent) {
	switch c := c.(type) {
	case *discordgo.ActionsRow:
		addControl(h, *c)
	case discordgo.ActionsRow:
		fmt.Fprintln(h, "row")
		for _, inner := range c.Components {
			addControl(h, inner)
		}
	case *discordgo.Button:
		addControl(h, *c)
	case discordgo.Button:
		fmt.Fprintf(h, "button %q %q %q\n", c.CustomID, c.Label, c.URL)
	case *discordgo.SelectMenu:
		addControl(h, *c)
	case discordgo.SelectMenu:
		fmt.Fprintf(h, "menu %q\n", c.CustomID)
		for _, o := range c.Options {
			fmt.Fprintf(h, "option %q %q %q\n", o.Value, o.Label, o.Description)
		}
	default:
		fmt.Fprintf(h, "%T\n", c)
	}
}
