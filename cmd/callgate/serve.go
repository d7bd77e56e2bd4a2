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
			if err := needModules(); err != nil {
				return err
			}
			cfg, dirs, err := c.settings()
			if err != nil {
				return err
			}
			log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
			d, err := daemon.Open(cmd.Context(), daemon.Options{
				Host:  host.Options{Config: cfg, CacheDir: dirs.Cache, Modules: plugins.Modules(), Log: log},
				State: dirs.State, Version: version,
			})
			if errors.Is(err, store.ErrLocked) || errors.Is(err, api.ErrInUse) {
				err = fmt.Errorf("a daemon is already running: %w", err)
			}
			if err != nil {
				return err
			}
			log.Info("serving", "address", d.Address().String(), "config", cfg.File, "tokens", dirs.State)
			if t, ok := terminal.Open(os.Stdin, os.Stdout); ok && !quiet {
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

// answerHere lets the person at the daemon's own terminal answer.
func answerHere(ctx context.Context, d *daemon.Daemon, w watcher, tokenFile string, errOut interface{ Write([]byte) (int, error) }) {
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
