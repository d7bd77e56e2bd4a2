package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/wire"
	"github.com/callgate/callgate/plugins"
)

// evaluate returns how a call would be decided, without asking or storing anything.
// Without a running daemon it decides here, with the configuration alone.
func (c *cli) evaluate(cmd *cobra.Command, f callFlags, r wire.Request) (res wire.Result, err error) {
	err = c.withClient(f.agent, func(client *client.Client) (err error) {
		res, err = client.Evaluate(cmd.Context(), r)
		return err
	})
	if c.conn.endpoint != "" || c.conn.tokenFile != "" || !errors.Is(err, client.ErrNoDaemon) {
		return res, err
	}
	return c.evaluateHere(cmd, f, r)
}

// evaluateHere decides in this process, with an empty temporary store.
func (c *cli) evaluateHere(cmd *cobra.Command, f callFlags, r wire.Request) (_ wire.Result, err error) {
	if err := needModules(); err != nil {
		return wire.Result{}, err
	}
	cfg, dirs, err := c.settings()
	if err != nil {
		return wire.Result{}, err
	}
	cmd.PrintErrln("callgate: note: the daemon is not running; using the configuration alone, without stored rules and sessions")
	temporary, err := os.MkdirTemp("", "callgate-explain-")
	if err != nil {
		return wire.Result{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temporary)) }()
	alone := *cfg
	alone.Store = filepath.Join(temporary, "callgate.db")
	h, err := assembly.Open(cmd.Context(), assembly.Options{Config: &alone, CacheDir: dirs.Cache, Modules: plugins.Modules(), Compiler: compiler(), Compiling: compiling(cmd)})
	if err != nil {
		return wire.Result{}, err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	caller := authority.Caller{Token: "admin", Kind: authority.Admin}
	if f.agent != "" {
		caller = authority.Caller{Token: "check:" + f.agent, Kind: authority.Checker, Agent: f.agent}
	}
	return h.Gate.Evaluate(context.WithoutCancel(cmd.Context()), caller, r)
}
