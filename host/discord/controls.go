package discord

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"

	"github.com/bwmarrin/discordgo"
)

// controlsDigest is the digest of what can be pressed on a message, as Discord has it:
// which custom id each label has. It begins with a letter that no digest of a text has.
func controlsDigest(components []discordgo.MessageComponent) string {
	h := sha256.New()
	for _, c := range components {
		addControl(h, c)
	}
	return "x" + hex.EncodeToString(h.Sum(nil))
}

// ofText reports whether a digest is that of a text, not of controls.
func ofText(digest string) bool { return !strings.HasPrefix(digest, "x") }

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
