package cli

import (
	"github.com/spf13/cobra"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/config/recipe"
	"github.com/callgate/callgate/host/internal/store"
)

// completer completes the arguments of a command in a shell.
type completer = cobra.CompletionFunc

// inOrder completes the first argument with the first completer, and so on.
func inOrder(each ...completer) completer {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= len(each) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return each[len(args)](cmd, args, typed)
	}
}

// words completes with fixed words.
func words(list ...string) completer {
	return cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)
}

// later completes with words made when they are needed, not at each start of the program.
func later(list func() []string) completer {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		return words(list()...)(cmd, args, typed)
	}
}

// fromDaemon completes from the running daemon's data; without a daemon it offers nothing.
func (c *cli) fromDaemon(list func(*cobra.Command, *client.Client) ([]string, error)) completer {
	return func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		client, err := c.client("")
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer client.Close()
		found, err := list(cmd, client)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}

func (c *cli) completeTools() completer {
	return c.fromDaemon(func(cmd *cobra.Command, client *client.Client) ([]string, error) {
		tools, err := client.Tools(cmd.Context())
		names := make([]string, len(tools))
		for i, t := range tools {
			names[i] = t.Name
		}
		return names, err
	})
}

// completeInstalled offers the modules outside the binary.
func (c *cli) completeInstalled() completer {
	return c.fromDaemon(func(cmd *cobra.Command, client *client.Client) ([]string, error) {
		list, err := client.Modules(cmd.Context())
		var files []string
		for _, m := range list.Modules {
			if !m.Embedded {
				files = append(files, m.File)
			}
		}
		return files, err
	})
}

func (c *cli) completeRules() completer {
	return c.fromDaemon(func(cmd *cobra.Command, client *client.Client) ([]string, error) {
		rules, err := client.Rules(cmd.Context(), store.RuleFilter{Expired: true})
		var ids []string
		for _, r := range rules {
			if r.Source != config.Source { // those are removed from their file
				ids = append(ids, cobra.CompletionWithDesc(r.ID, r.Behavior.String()+" "+card.Line(r.String())))
			}
		}
		return ids, err
	})
}

func (c *cli) completeAsks() completer {
	return c.fromDaemon(func(cmd *cobra.Command, client *client.Client) ([]string, error) {
		asks, err := client.Asks(cmd.Context(), ask.Filter{})
		ids := make([]string, len(asks))
		for i, a := range asks {
			ids[i] = cobra.CompletionWithDesc(a.ID, card.Line(a.Action))
		}
		return ids, err
	})
}

func (c *cli) completeSessions() completer {
	return c.fromDaemon(func(cmd *cobra.Command, client *client.Client) ([]string, error) {
		sessions, err := client.Sessions(cmd.Context(), store.SessionFilter{Limit: 50})
		var ids []string
		for _, s := range sessions {
			if card.Line(s.ID) == s.ID { // a client chose it
				ids = append(ids, cobra.CompletionWithDesc(s.ID, "agent "+card.Line(s.Agent)))
			}
		}
		return ids, err
	})
}

func (c *cli) completeTokens() completer {
	return c.fromDaemon(func(cmd *cobra.Command, client *client.Client) ([]string, error) {
		tokens, err := client.Tokens(cmd.Context())
		var names []string
		for _, t := range tokens {
			if t.RevokedAt.IsZero() {
				names = append(names, cobra.CompletionWithDesc(t.Name, "kind "+string(t.Kind)))
			}
		}
		return names, err
	})
}

func completeRecipes() completer {
	return later(func() (names []string) {
		for _, r := range recipe.All() {
			names = append(names, cobra.CompletionWithDesc(r.Name, r.Title))
		}
		return names
	})
}

func completeModes() completer { return words(engine.Modes()...) }

func completeBehaviors() completer {
	return words(engine.Allow.String(), engine.Deny.String(), engine.Ask.String())
}

func completeScopes() completer {
	return words(string(engine.Project), string(engine.Agent), string(engine.Session), string(engine.Global))
}

// completeFlag completes the value of a flag of cmd.
func completeFlag(cmd *cobra.Command, name string, with completer) {
	if err := cmd.RegisterFlagCompletionFunc(name, with); err != nil {
		panic("callgate: " + err.Error()) // our own bug: the flag is not there
	}
}
