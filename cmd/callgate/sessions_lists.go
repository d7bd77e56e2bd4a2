package main

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/card"
	"github.com/callgate/callgate/host/frontmatter"
)

func sessionsLists(c *cli, by *string) *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:   "lists SESSION",
		Short: "Put the lists of a chat's file in force for a session",
		Long: `Reads permissions_allow, permissions_ask, permissions_deny and permission_mode (or
permissions_mode) from the head of a chat's file and puts them in force for a session,
in the place of those that it had from its chat before. The session's other rules stay,
and so does its mode when the file names none. A file that cannot be read leaves the
previous lists in force. Without --file the session's lists are shown.`,
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
				return fmt.Errorf("%s: %w; the previous lists stay in force", path, err)
			}
			lists := api.ChatLists{Allow: head.Allow, Ask: head.Ask, Deny: head.Deny}
			if lists.Mode, err = frontmatter.ChatMode(text); err != nil {
				return err
			}
			return c.withClient("", func(client *api.Client) error {
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
	cmd.Flags().StringVar(&path, "file", "", "the chat's file")
	return cmd
}

// listEntry is a member of a chat's lists in an error: "ask[2]".
var listEntry = regexp.MustCompile(`^(allow|ask|deny)\[(\d+)\]$`)

// placed puts the file and the line before an error about an entry of a chat's
// lists.
func placed(err error, path, text string) error {
	var e *api.Error
	if !errors.As(err, &e) {
		return err
	}
	m := listEntry.FindStringSubmatch(e.Field)
	if m == nil {
		return err
	}
	i, _ := strconv.Atoi(m[2]) // digits
	return fmt.Errorf("%s: line %d: permissions_%w; the previous lists stay in force", path, frontmatter.LineOf(text, "permissions_"+m[1], i), err)
}
