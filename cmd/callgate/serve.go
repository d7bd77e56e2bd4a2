package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host"
	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/daemon"
	"github.com/callgate/callgate/host/discord/link"
	"github.com/callgate/callgate/host/presence"
	"github.com/callgate/callgate/host/store"
	"github.com/callgate/callgate/host/terminal"
	"github.com/callgate/callgate/plugins"
)

func serveCommand(c *cli) *cobra.Command {
	var by string
	var quiet bool
	cmd := &cobra.Command{
		Use:     "serve",
		GroupID: "gate",
		Short:   "Run the daemon: decide calls, keep rules and the audit, ask people",
		Long: `Runs the daemon. It listens on a socket of yours alone (or a loopback address,
see listen: in the configuration), makes its tokens at the first start, and
takes up the asks that waited when it last ended. On a terminal it shows the
asks and takes the answers, as callgate asks watch does.`,
		Example: "  callgate serve\n  callgate serve --config ./callgate.yaml --quiet",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			discordToken := takeVariable(link.TokenVariable)
			if err := needModules(); err != nil {
				return err
			}
			cfg, dirs, err := c.settings()
			if err != nil {
				return err
			}
			log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
			d, err := daemon.Open(cmd.Context(), daemon.Options{
				Host:  host.Options{Config: cfg, CacheDir: dirs.Cache, Modules: plugins.Modules(), Compiler: compiler(), Log: log},
				State: dirs.State, Version: version, DiscordToken: discordToken,
			})
			if errors.Is(err, store.ErrLocked) || errors.Is(err, api.ErrInUse) {
				err = fmt.Errorf("a daemon is already running: %w", err)
			}
			if err != nil {
				return err
			}
			log.Info("serving", "address", d.Address().String(), "config", cfg.File, "tokens", dirs.State)
			t, ok := terminal.Open(os.Stdin, os.Stdout)
			if status, err := d.Presence.Status(cmd.Context(), presence.Who{}); err == nil && status.Why != "" {
				log.Warn(status.Why)
			}
			if ok && !quiet {
				go answerHere(cmd.Context(), d, watcher{by: by, out: t, terminal: t}, api.AdminTokenFile(dirs.State), cmd.ErrOrStderr())
			}
			err = d.Run(cmd.Context())
			log.Info("stopped; what waits for a human is taken up at the next start")
			return err
		},
	}
	cmd.Flags().BoolVar(&quiet, "quiet", false, "do not show asks on this terminal")
	asFlag(cmd, &by)
	return cmd
}

// takeVariable reads a variable and takes it out of the environment, so that no program
// started from here inherits it.
func takeVariable(name string) string {
	value := os.Getenv(name)
	_ = os.Unsetenv(name) // fails for names that no variable can have
	return value
}

// firstPIN offers to choose the PIN at the daemon's own terminal, which it then
// counts as typed at.
func firstPIN(ctx context.Context, keeper *presence.Keeper, w watcher) {
	status, err := keeper.Status(ctx, presence.Who{})
	if err != nil || status.Set {
		return
	}
	fmt.Fprintln(w.out, "\nWho approves here has to show that a person does it: choose a PIN now, or press Enter to do it later.")
	pin, err := newPIN(3, func(prompt string) (string, error) {
		line, ok := w.terminal.Secret(ctx, prompt)
		if !ok {
			return "", errors.New("no PIN was set: callgate pin set, in a terminal, does it later")
		}
		return line, nil
	})
	if err == nil {
		here, _ := presence.Look(os.Getpid()).Terminal() // without, it is asked for at the first approval
		err = keeper.Set(ctx, "", pin, presence.Who{By: w.by, Terminal: here})
	}
	if err != nil && ctx.Err() == nil {
		fmt.Fprintln(w.out, err)
		return
	}
	fmt.Fprintln(w.out, "The approver PIN is set.")
}

// answerHere lets the person at the daemon's own terminal answer.
func answerHere(ctx context.Context, d *daemon.Daemon, w watcher, tokenFile string, errOut interface{ Write([]byte) (int, error) }) {
	firstPIN(ctx, d.Presence, w)
	token, err := api.ReadToken(tokenFile)
	if err == nil {
		w.client, err = api.Dial(d.Address().String(), token)
	}
	if err == nil {
		err = w.run(ctx)
	}
	if err != nil && ctx.Err() == nil {
		fmt.Fprintln(errOut, "callgate: asks are not shown here:", err)
	}
}
