package process

import (
	"context"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/callgate/callgate/host/internal/hook/claudecode"
	"github.com/callgate/callgate/host/internal/hook/runner"
)

// Installed runs the hook and returns its exit code when the arguments are those of an installed
// hook.
func Installed(args []string) (code int, ran bool) {
	h, ok := installed(args)
	if !ok {
		return 0, false
	}
	return Guarded(h.run), true
}

// command is the hook's command line as the settings of its client hold it.
type command struct {
	client              string
	endpoint, tokenFile string
	timeout             time.Duration
	daemonUID           int
}

func (c command) run() int {
	connect := func() (runner.Daemon, error) { return Dial(c.endpoint, c.tokenFile, c.daemonUID) }
	return Run(context.Background(), c.client, os.Stdin, os.Stdout, os.Stderr, c.timeout, connect)
}

// installed reads the arguments of an installed hook: settings.Entry.Args, each flag once and with
// a value, the endpoint and the token file among them. Other arguments, also valid ones of the
// command, are left to the command.
func installed(args []string) (c command, ok bool) {
	if len(args) < 3 || args[1] != "hook" || !slices.Contains(Clients, args[2]) || len(args)%2 == 0 {
		return command{}, false
	}
	c = command{client: args[2], timeout: claudecode.DefaultTimeout, daemonUID: -1}
	seen := map[string]bool{}
	for i := 3; i < len(args); i += 2 {
		name, value := args[i], args[i+1]
		if seen[name] || value == "" {
			return command{}, false
		}
		seen[name] = true
		var err error
		switch name {
		case "--endpoint":
			c.endpoint = value
		case "--token-file":
			c.tokenFile = value
		case "--timeout":
			c.timeout, err = time.ParseDuration(value)
		case "--daemon-uid":
			c.daemonUID, err = strconv.Atoi(value)
		default:
			return command{}, false
		}
		if err != nil {
			return command{}, false
		}
	}
	return c, c.endpoint != "" && c.tokenFile != ""
}
