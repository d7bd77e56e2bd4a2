// Package daemon runs a gate behind its API, for `callgate serve`.
//
// It may import every room but toolkit and testkit; the CLI and the demo call it, package
// host calls assembly.
package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/callgate/callgate/host/internal/api"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/pin"
	"github.com/callgate/callgate/host/internal/approval/push"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/console"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/gate/mcptools"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/notary"
	"github.com/callgate/callgate/host/internal/telemetry"
)

// Options configure a Daemon.
type Options struct {
	Host assembly.Options
	// State is the directory of the tokens.
	State string
	// Version is the program's.
	Version string
	// Listener is where it answers; nil means the configuration's endpoint.
	Listener net.Listener
	// DiscordToken is the bot's token where it came by the environment; a token file of
	// the configuration goes before it.
	DiscordToken string
	// Program is the file of this program. Probes of the hooks start it, or a program of Callgate's
	// in its directory, and no other.
	Program string
}

// Daemon is a gate with its API, ready to serve.
type Daemon struct {
	Host     *assembly.Host
	Tokens   *api.Tokens
	Presence *pin.Keeper
	server   *api.Server
	console  *console.Server
	pipe     *console.Pipe // the console's way to the server
	chat     *chat
	listener net.Listener
	log      *slog.Logger
	now      func() time.Time

	metrics  *telemetry.Metrics
	traces   *telemetry.Traces
	push     *push.Keeper
	numbers  net.Listener // of the metrics; nil for none
	gateway  net.Listener // for gateways; nil for none
	verified verified
	notary   *notary.Notary
	prober   *prober
}

// Open opens the gate, its tokens and its endpoint. The caller calls Run, or
// Close.
func Open(ctx context.Context, o Options) (_ *Daemon, err error) {
	log := o.Host.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	now := o.Host.Now
	if now == nil {
		now = time.Now
	}
	d := &Daemon{log: log, listener: o.Listener, now: now}
	defer func() {
		if err != nil {
			_ = d.Close() // the first error is the one to return
		}
	}()
	o.Host.Behind, o.Host.Version = true, o.Version
	// Not earlier, because a connected client expects an answer at once.
	o.Host.Ready = func(accepted *config.Config) error { return d.listen(accepted, o.Host.Config) }
	if d.Host, err = assembly.Open(ctx, o.Host); err != nil {
		return nil, err
	}
	if d.Tokens, err = api.OpenTokens(ctx, api.TokenOptions{
		State: o.State, Store: d.Host.Store, Agents: agents(d.Host.Config()), Others: d.others, Log: log, Now: o.Host.Now,
	}); err != nil {
		return nil, err
	}
	if d.notary, err = d.openNotary(ctx, o.State); err != nil {
		return nil, err
	}
	d.Host.Store.SetAuditKey(d.notary.KeyName())
	d.Host.OnTokens(d.Tokens.Load)
	d.Presence = pin.New(pin.Config{Store: d.Host.Store, Log: log, Now: o.Host.Now})
	d.Host.Answers(d.listener.Addr().Network(), d.listener.Addr().String())
	// With the admin token a person can answer through the API at any time.
	d.Host.Asks.Attach(ask.Surface{Name: "api"})
	d.chat = d.openChat(ctx, o)
	if d.traces, err = d.openTraces(o.Version); err != nil {
		return nil, err
	}
	d.prober = d.openProber(o.Program, o.State)
	d.metrics = telemetry.New(o.Version, d.sources())
	if err := d.openTelemetry(); err != nil {
		return nil, err
	}
	if err := d.openGateway(); err != nil {
		return nil, err
	}
	d.push = push.New(d.Host.Store, now)
	d.pipe = console.NewPipe()
	d.console = console.New(console.Config{Dial: d.pipe.Dial, Name: d.Host.Passkeys.Name, Beyond: d.beyond(), Answers: d.Host.AnswersBeside, Log: log, Now: o.Host.Now})
	d.Host.ConsoleAt(d.console.Origin)
	if err := d.console.Open(); err != nil {
		return nil, err
	}
	books := mcptools.NewBook(d.Host.Store, now)
	d.Host.OnSetting(books.Forgets)
	d.server, err = api.New(api.Config{
		Metrics: d.metrics.Handler(), Ready: d.ready,
		Gate: &measured{d.Host.Gate, d.metrics, d.traces, d.prober}, Hooks: d.prober.probes, Folders: d.Host.Gate.Folders, MCP: books, Team: d.Host.Store, Asks: d.Host.Asks, Audit: d.Host.Store, Tools: d.Host.Catalog.Tools, Tokens: d.Tokens, Boundary: boundaryOf(d.Host.Accepted()),
		Configuration: d.Host, Modules: d.Host.Catalog, Presence: d.Presence, Passkeys: d.Host.Passkeys, Push: d.push, Notary: d.notary,
		Console: func(ctx context.Context, by string, lend func(time.Duration) (string, context.Context, func(), error)) (protocol.ConsoleLink, error) {
			return d.console.Link(ctx, by, lend)
		},
		RefusedRules: d.Host.Store.RefusedRules, ModuleProblems: d.Host.Catalog.Problems, Sandbox: d.Host.Sandbox, Discord: d.chat.health,
		MaxChecks: d.Host.Accepted().Asks.Checks, Version: o.Version, Log: log, Now: o.Host.Now,
	})
	if err == nil {
		d.Host.Notices(d.server.Tell)
		d.Host.Swaps(d.server)
	}
	return d, err
}

// listen opens the accepted endpoint. When it is unusable and the file names another one, not yet
// accepted, it opens the state directory's own socket: without a daemon a person could not accept
// anything.
func (d *Daemon) listen(accepted, file *config.Config) (err error) {
	if d.listener != nil {
		return nil
	}
	if d.listener, err = boundaryOf(accepted).Listen(accepted.Endpoint()); err == nil || file.Listen == accepted.Listen {
		return err
	}
	socket := file.Dirs().Socket()
	if d.listener, _ = (api.Boundary{}).Listen("unix", socket); d.listener == nil {
		return err
	}
	d.log.Error("the accepted listen address cannot be used, and the one in the file is pending", "error", err,
		"fix", "callgate config accept --endpoint unix:"+socket+", then start again")
	return nil
}

// others reports whether another daemon of the store is alive.
func (d *Daemon) others(ctx context.Context) bool {
	nodes, err := d.Host.Store.Nodes(ctx)
	return err != nil || slices.ContainsFunc(nodes, func(n store.Node) bool { return n.Alive && !n.Self })
}

// boundaryOf is who may use the socket.
func boundaryOf(c *config.Config) api.Boundary {
	return api.Boundary{Agents: config.UIDs(c.Boundary.AgentAccounts), Approvers: config.UIDs(c.Boundary.ApproverAccounts)}
}

func agents(c *config.Config) []string { return slices.Sorted(maps.Keys(c.Agents)) }

// Address is where the daemon answers.
func (d *Daemon) Address() net.Addr { return d.listener.Addr() }

// closePatience is how long checks under way get at a shutdown.
const closePatience = 5 * time.Second

// Run serves until ctx ends, applies the configuration when it changes, swaps tool modules when
// their files do, deletes expired rules, verifies the audit at once and every day, shows asks in Discord where
// configured, and closes everything. Waiting asks stay in the store until the next start.
func (d *Daemon) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d.prober.recall(ctx) // before a canary can come
	failed := make(chan error, 2)
	go func() { failed <- d.server.Serve(d.listener) }()
	go func() { failed <- d.server.Serve(d.pipe) }()
	var work sync.WaitGroup
	work.Go(func() {
		if err := d.Host.Watch(ctx, d.reloaded); err != nil && !errors.Is(err, context.Canceled) {
			d.log.Error("the configuration is no longer watched; restart to apply changes", "error", err)
		}
	})
	work.Go(func() { _ = d.Host.WatchModules(ctx) }) // it ends with ctx
	work.Go(func() { d.expire(ctx, d.Host.Store.ExpireRules, d.Host.Store.ForgetCalls) })
	work.Go(func() {
		_ = d.Host.Store.Hold(ctx, "retention", func(ctx context.Context) error { // one daemon of a store is enough
			d.retain(ctx, d.Host.Store, d.Host.Audit, d.now)
			return nil
		})
	})
	work.Go(func() { d.notary.Run(ctx) })
	work.Go(func() { d.verifyDaily(ctx) })
	work.Go(func() { d.prober.run(ctx) })
	work.Go(func() { d.serveGateway(ctx) })
	work.Go(func() { d.serveTelemetry(ctx) })
	work.Go(func() {
		_ = d.Host.Store.Hold(ctx, "push", func(ctx context.Context) error { // each message once
			push.NewSender(d.push, d.isListed, nil, d.log).Run(ctx, d.Host.Asks.Subscribe(ctx))
			return nil
		})
	})
	work.Go(func() { d.chat.run(ctx) })
	work.Go(func() { rest(ctx, restEvery) })
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	cancel()
	work.Wait()
	return errors.Join(err, d.Close())
}

// reloaded records the outcome of a changed configuration file.
func (d *Daemon) reloaded(notes []string, err error) {
	change := protocol.ConfigChange{File: d.Host.Config().File, Pending: len(d.Host.ConfigState().Widenings)}
	if err != nil {
		d.log.Error("the configuration has errors; the previous one stays in effect", "error", err)
		change.Error = err.Error()
		d.server.Announce(change)
		return
	}
	if err := d.Tokens.Ensure(context.Background(), agents(d.Host.Config())); err != nil {
		d.log.Error("tokens for new agents could not be created", "error", err)
	}
	for _, n := range notes {
		d.log.Warn("the configuration needs attention", "error", n)
	}
	d.server.Announce(change)
	d.log.Info("configuration applied", "config", d.Host.Config().File, "pending", change.Pending, "agents", len(d.Host.Config().Agents))
}

// Close ends the work of Open. It may be called after Run.
func (d *Daemon) Close() error {
	var errs []error
	if d.console != nil {
		errs = append(errs, d.console.Close(), d.pipe.Close())
	}
	if d.chat != nil {
		d.chat.close()
	}
	if d.Host != nil {
		d.Host.Asks.Close()
	}
	if d.server != nil {
		ctx, cancel := context.WithTimeout(context.Background(), closePatience)
		defer cancel()
		if err := d.server.Shutdown(ctx); err != nil {
			errs = append(errs, fmt.Errorf("stop serving: %w", err))
		}
	}
	sending, stop := context.WithTimeout(context.Background(), closePatience)
	defer stop()
	errs = append(errs, d.traces.Close(sending))
	if d.listener != nil { // a server that never served does not close it
		if err := d.listener.Close(); !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	if d.gateway != nil {
		_ = d.gateway.Close() // Run may have closed it
	}
	if d.numbers != nil {
		_ = d.numbers.Close() // Run may have closed it
	}
	if d.Host != nil {
		errs = append(errs, d.Host.Close())
	}
	return errors.Join(errs...)
}
