package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/config/recipe"
)

func recipesCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "recipes",
		GroupID: "setup",
		Short:   "Ready-made settings for common situations",
		Example: "  callgate recipes list\n  callgate recipes apply explore --agent reviewer",
		Args:    onlyCommands,
		RunE:    needCommand,
	}
	cmd.AddCommand(recipesList(c), recipesShow(c), recipesApply(c))
	return cmd
}

type recipeInfo struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	YAML        string `json:"yaml,omitempty"`
}

func recipesList(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the recipes",
		Example: "  callgate recipes list\n  callgate recipes list --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list := []recipeInfo{}
			for _, r := range recipe.All() {
				list = append(list, recipeInfo{Name: r.Name, Title: r.Title, Description: r.Description})
			}
			return c.print(cmd.OutOrStdout(), list, func(w io.Writer) {
				for _, r := range list {
					fmt.Fprintf(w, "%-16s %s\n", r.Name, r.Title)
				}
			})
		},
	}
}

// recipeFlags fill a recipe's blanks.
func recipeFlags(cmd *cobra.Command, o *recipe.Options) {
	cmd.Flags().StringVar(&o.Agent, "agent", "", "agent to apply it to (default: every agent)")
	cmd.Flags().StringVar(&o.WorkingDirectory, "dir", "", "working directory of the agent, absolute or ~/...")
}

func recipesShow(c *cli) *cobra.Command {
	var o recipe.Options
	cmd := &cobra.Command{
		Use:               "show NAME",
		Short:             "Show a recipe as it would appear in the configuration",
		Example:           "  callgate recipes show unattended --agent ci\n  callgate recipes show unattended --json",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: inOrder(completeRecipes()),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := recipe.Find(args[0])
			if err != nil {
				return err
			}
			info := recipeInfo{Name: r.Name, Title: r.Title, Description: r.Description, YAML: r.Fragment(o)}
			return c.print(cmd.OutOrStdout(), info, func(w io.Writer) {
				fmt.Fprintf(w, "# %s: %s\n%s", info.Title, info.Description, info.YAML)
			})
		},
	}
	recipeFlags(cmd, &o)
	return cmd
}

func recipesApply(c *cli) *cobra.Command {
	var o recipe.Options
	var dryRun bool
	cmd := &cobra.Command{
		Use:               "apply NAME",
		Short:             "Add a recipe to the configuration file; existing lines are kept",
		Example:           "  callgate recipes apply node-project --agent builder --dir ~/shop --dry-run",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: inOrder(completeRecipes()),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := recipe.Find(args[0])
			if err != nil {
				return err
			}
			dirs, err := config.UserDirs()
			if err != nil {
				return err
			}
			path := cmp.Or(c.configPath, dirs.ConfigFile())
			existing, err := os.ReadFile(path)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			next, diff, err := recipe.Apply(path, existing, r, o)
			if err != nil {
				return err
			}
			if !dryRun {
				if err := recipe.Write(path, existing, next); err != nil {
					return err
				}
			}
			return c.print(cmd.OutOrStdout(), applied{path, diff, !dryRun}, func(w io.Writer) { fmt.Fprint(w, diff) })
		},
	}
	recipeFlags(cmd, &o)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show the change and write nothing")
	return cmd
}

type applied struct {
	File    string `json:"file"`
	Diff    string `json:"diff"`
	Written bool   `json:"written"`
}
