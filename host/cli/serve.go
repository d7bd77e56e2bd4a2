package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/callgate/callgate/host/internal/api"
	"github.com/callgate/callgate/host/internal/approval/pin"
	"github.com/callgate/callgate/host/internal/approval/terminal"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/daemon"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/plugins"
)

func serveCommand(c *cli) *cobra.Command {
	var by string
	var quiet bool
	cmd := &cobra.Command{
		Use:     "serve",
		GroupID: "gate",
		Short:   "Run the daemon: check calls, ask approvers, keep rules and the audit log",
		Long: `Runs the daemon. It listens on a private socket (or a loopback address, see listen in the
configuration), creates its tokens at the first start, and restores asks that were
pending when it last stopped. On a terminal it shows new asks and reads the answers, like
callgate asks watch.`,
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
			program, err := ownPath()
			if err != nil {
				return err
			}
			log := slog.New(logHandler(cmd.ErrOrStderr()))
			collect := uncollected()
			d, err := daemon.Open(cmd.Context(), daemon.Options{
				Host:  assembly.Options{Config: cfg, CacheDir: dirs.Cache, Modules: plugins.Modules(), Compiler: compiler(), Log: log},
				State: dirs.State, Version: version, DiscordToken: discordToken, Program: program,
			})
			collect()
			if errors.Is(err, store.ErrLocked) || errors.Is(err, api.ErrInUse) {
				err = fmt.Errorf("a daemon is already running: %w", err)
			}
			if err != nil {
				return err
			}
			log.Info(logServing, "address", d.Address().String(), "config", cfg.File, "directory", dirs.State)
			t, ok := terminal.Open(os.Stdin, os.Stdout)
			asks := ok && !quiet
			if status, err := d.Presence.Status(cmd.Context(), pin.Who{}); err == nil && status.Why != "" && (status.Set || !asks) {
				log.Warn("the approver PIN needs attention", "error", status.Why)
			}
			ctx, stop := context.WithCancel(cmd.Context())
			defer stop()
			answering := make(chan struct{})
			go func() {
				defer close(answering)
				if asks {
					answerHere(ctx, d, watcher{by: by, out: t, terminal: t}, tokenfile.Admin(dirs.State), cmd.ErrOrStderr())
				}
			}()
			err = d.Run(ctx)
			stop()
			<-answering // the terminal is as it was
			log.Info(logStopped)
			return err
		},
	}
	cmd.Flags().BoolVar(&quiet, "quiet", false, "do not show asks on this terminal")
	asFlag(cmd, &by)
	return cmd
}

// Records that a terminal shows in other words.
const (
	logServing = "serving"
	logStopped = "stopped; pending asks continue at the next start"
)

// logHandler is the form of the log: short on a terminal, one record a line elsewhere.
func logHandler(w io.Writer) slog.Handler {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return newScreenLog(f)
	}
	return slog.NewTextHandler(w, nil)
}

// takeVariable reads a variable and removes it from the environment, so programs started from here
// do not inherit it. RATIONALE.md, "Where is the bot's token read?".
func takeVariable(name string) string {
	value := os.Getenv(name)
	_ = os.Unsetenv(name) // fails only for impossible names
	return value
}

// firstPIN offers to choose the PIN at the daemon's own terminal; it then counts as typed there.
func firstPIN(ctx context.Context, keeper *pin.Keeper, w watcher) {
	status, err := keeper.Status(ctx, pin.Who{})
	if err != nil || status.Set {
		return
	}
	fmt.Fprintln(w.out, "\nApprovals on this machine require a PIN, so that an agent cannot approve its own calls.\nChoose one now, or press Enter to skip.")
	typed, err := newPIN(3, func(prompt string) (string, error) {
		line, ok := w.terminal.Secret(ctx, prompt)
		if !ok {
			return "", errors.New("no PIN was set; set it later: callgate pin set")
		}
		return line, nil
	})
	if err == nil {
		here, _ := pin.Look(os.Getpid()).Terminal() // without it, the first approval asks for it
		err = keeper.Set(ctx, "", typed, pin.Who{By: w.by, Terminal: here})
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
	token, err := tokenfile.Read(tokenFile)
	if err == nil {
		w.client, err = client.Dial(d.Address().String(), token)
	}
	if err == nil {
		err = w.run(ctx)
	}
	if err != nil && ctx.Err() == nil {
		fmt.Fprintln(errOut, "callgate: asks are not shown on this terminal:", err)
	}
}

// startBytes is how much memory a start takes before Go's collector runs.
const startBytes = 64 << 20

// uncollected has Go's collector wait until collect, or until startBytes are in use: then it works as
// always. A start allocates 20 MB that mostly stay, and four collections were 7 % of its processor
// time. One of 10,000 rules would collect without end below a limit that it cannot keep.
func uncollected() (collect func()) {
	limit := debug.SetMemoryLimit(-1)
	percent := debug.SetGCPercent(-1)
	debug.SetMemoryLimit(min(limit, startBytes))
	collect = sync.OnceFunc(func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	})
	runtime.AddCleanup(new([64]byte), func(collect func()) { collect() }, collect) // at the first collection
	return collect
}
