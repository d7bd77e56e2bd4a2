package cli

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/config/frontmatter"
)

func sessionsLists(c *cli, by *string) *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:   "lists SESSION",
		Short: "Apply the lists of a chat file to a session",
		Long: `Reads permissions_allow, permissions_ask, permissions_deny and permission_mode (or
permissions_mode) from the front matter of a chat file and applies them to a session. They
replace the session's previous chat lists; its other rules are kept, and so is its mode
if the file names none. If the file cannot be read, the previous lists stay in effect.
Without --file the session's lists are shown.`,
		Example:           "  callgate sessions lists s-42 --file chat.md\n  callgate sessions lists s-42",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: inOrder(c.completeSessions()),
		RunE: func(cmd *cobra.Command, args []string) error {
			if path == "" {
				return c.runText(cmd, place{session: args[0]}, *by, "/permissions")
			}
			text, err := frontmatter.ReadFile(path)
			if err != nil {
				return err
			}
			head, err := frontmatter.Parse(frontmatter.Chat, text)
			if err != nil {
				return fmt.Errorf("%s: %w; the previous lists stay in effect", path, err)
			}
			lists := protocol.ChatLists{Allow: head.Allow, Ask: head.Ask, Deny: head.Deny}
			if lists.Mode, err = frontmatter.ChatMode(text); err != nil {
				return err
			}
			return c.withClient("", func(client *client.Client) error {
				out, err := client.SetLists(cmd.Context(), *by, args[0], lists)
				if err != nil {
					return seeAlso(placed(err, path, text), "callgate sessions list")
				}
				return c.print(cmd.OutOrStdout(), out, func(w io.Writer) {
					fmt.Fprintf(w, "session %s: %d rules added, %d removed\n", card.Line(out.Session), len(out.Added), len(out.Removed))
					for _, r := range out.Added {
						fmt.Fprintf(w, "+ %s %s\n", r.Behavior, card.Line(r.String()))
					}
					for _, r := range out.Removed {
						fmt.Fprintf(w, "- %s %s\n", r.Behavior, card.Line(r.String()))
					}
					if out.Mode != "" {
						fmt.Fprintln(w, "its mode is", out.Mode)
					}
					for _, note := range out.Notes {
						fmt.Fprintln(w, "note:", card.Line(note))
					}
				})
			})
		},
	}
	cmd.Flags().StringVar(&path, "file", "", "the chat file")
	return cmd
}

// listEntry is a member of a chat's lists in an error: "ask[2]".
var listEntry = regexp.MustCompile(`^(allow|ask|deny)\[(\d+)\]$`)

// placed puts the file and the line before an error about an entry of a chat's
// lists.
func placed(err error, path, text string) error {
	var e *protocol.Error
	if !errors.As(err, &e) {
		return err
	}
	m := listEntry.FindStringSubmatch(e.Field)
	if m == nil {
		return err
	}
	i, _ := strconv.Atoi(m[2]) // digits
	return fmt.Errorf("%s: line %d: permissions_%w; the previous lists stay in effect", path, frontmatter.LineOf(text, "permissions_"+m[1], i), err)
}
