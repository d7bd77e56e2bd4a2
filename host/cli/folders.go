package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/wire"
)

func foldersCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "folders",
		GroupID: "people",
		Short:   "List and remove the project folders that you trusted",
		Long: `A trusted folder is a project in which an agent may read, or read and edit, without
asking. The card of a call offers to trust the project it runs in; this command does the
same without a card. Secrets, protected files, deny and ask rules hold in it as anywhere.

A folder is the root of a git repository. Home directories, system and temporary
directories, places with several projects and places with Callgate's own files cannot be
trusted. A folder that was moved or replaced is not trusted any more.`,
		Example: "  callgate folders list\n  callgate folders trust ~/site --agent claude\n  callgate folders forget fk3q9x2a",
		Args:    onlyCommands,
		RunE:    needCommand,
	}
	var by string
	asFlag(cmd, &by)
	cmd.AddCommand(foldersList(c), foldersTrust(c, &by), foldersForget(c, &by))
	return cmd
}

func foldersList(c *cli) *cobra.Command {
	var agent string
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the trusted folders",
		Example: "  callgate folders list --agent claude\n  callgate folders list --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withClient("", func(client *client.Client) error {
				list, err := client.Folders(cmd.Context(), agent)
				if err != nil {
					return err
				}
				return c.print(cmd.OutOrStdout(), wire.FolderList{Folders: list}, func(w io.Writer) { printFolders(w, list) })
			})
		},
	}
	cmd.Flags().StringVar(&agent, "agent", "", "only those of this agent")
	return cmd
}

func printFolders(w io.Writer, list []wire.Folder) {
	if len(list) == 0 {
		fmt.Fprintln(w, "no trusted folders")
		return
	}
	rows := [][]string{{"id", "agent", "access", "folder", "trusted by", "state"}}
	for _, f := range list {
		state := "in force"
		if f.Problem != "" {
			state = "not in force: " + f.Problem
		}
		rows = append(rows, []string{f.ID, card.Line(f.Agent), string(f.Access), card.Line(f.Path), card.Line(f.By) + ", " + f.At.Local().Format(time.DateTime), card.Line(state)})
	}
	fmt.Fprint(w, table(rows))
}

func foldersTrust(c *cli, by *string) *cobra.Command {
	body := protocol.NewFolder{Access: wire.ReadFolder}
	var edit bool
	cmd := &cobra.Command{
		Use:     "trust DIR",
		Short:   "Trust a project folder for an agent",
		Long:    "The agent's calls that only read files in DIR, or with --edit also change them, run without asking from then on. Needs the approver PIN.",
		Example: "  callgate folders trust ~/site --agent claude\n  callgate folders trust ~/site --edit",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if body.Path, err = filepath.Abs(args[0]); err != nil {
				return err
			}
			if edit {
				body.Access = wire.EditFolder
			}
			return c.withClient("", func(client *client.Client) error {
				kept, err := client.TrustFolder(cmd.Context(), *by, body)
				if err != nil {
					return err
				}
				return c.print(cmd.OutOrStdout(), kept, func(w io.Writer) {
					fmt.Fprintf(w, "trusted %s (%s): %s may %s\n", card.Line(kept.Path), kept.ID, card.Line(kept.Agent), kept.Access.Allows())
				})
			})
		},
	}
	cmd.Flags().StringVar(&body.Agent, "agent", "", "for this agent (default: the agent \"default\")")
	cmd.Flags().BoolVar(&edit, "edit", false, "trust it for editing as well")
	return cmd
}

func foldersForget(c *cli, by *string) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:     "forget [ID]",
		Short:   "Remove a trusted folder, or with --all every one",
		Example: "  callgate folders forget fk3q9x2a\n  callgate folders forget --all",
		Args:    cobra.MaximumNArgs(1),
		ValidArgsFunction: inOrder(c.fromDaemon(func(cmd *cobra.Command, client *client.Client) ([]string, error) {
			list, err := client.Folders(cmd.Context(), "")
			var ids []string
			for _, f := range list {
				ids = append(ids, f.ID)
			}
			return ids, err
		})),
		RunE: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) == 1) {
				return errors.New("name one trusted folder by its id, or --all")
			}
			return c.withClient("", func(client *client.Client) error {
				if all {
					if err := client.ForgetFolders(cmd.Context(), *by); err != nil {
						return err
					}
					return c.print(cmd.OutOrStdout(), map[string]bool{"all": true}, func(w io.Writer) { fmt.Fprintln(w, "no folder is trusted any more") })
				}
				gone, err := client.ForgetFolder(cmd.Context(), *by, args[0])
				if err != nil {
					return seeAlso(err, "callgate folders list")
				}
				return c.print(cmd.OutOrStdout(), gone, func(w io.Writer) {
					fmt.Fprintf(w, "%s is not trusted any more for %s\n", card.Line(gone.Path), card.Line(gone.Agent))
				})
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "every folder, also when the list cannot be read any more")
	return cmd
}
