package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/discord/setup"
	"github.com/callgate/callgate/host/internal/machine/finding"
)

// sampleCard is a card as people will see it, of an invented call. Its buttons belong to no daemon.
func sampleCard(now time.Time) message.Message {
	a := ask.Ask{
		ID: "TEST", Agent: "example", Session: "setup", State: ask.Shown,
		ShownAt: now, Deadline: now.Add(time.Minute),
		Tool: "Bash", Input: json.RawMessage(`{"command":"echo 'a test of Callgate: no answer needed'"}`),
		Digest: strings.Repeat("0", 64), Action: "tool:bash:echo",
		Decision: engine.Decision{Behavior: engine.Ask, Stage: engine.StageMode, Reason: "no rule allows this call and mode default asks"},
	}
	shown := message.Card(a, message.View{Instance: "test", Note: "This is a test. It is deleted in a moment."})
	shown.Components = nil
	return shown.Message
}

func discordTest(c *cli) *cobra.Command {
	var f setupFlags
	var keep time.Duration
	cmd := &cobra.Command{
		Use:   "test",
		Short: "Post a test card in each channel, then delete it",
		Long: `Posts a test card without buttons in each configured channel, waits, and deletes it.
Needs the bot token's file or the variable, but no running daemon.`,
		Example: "  callgate discord test --keep 30s",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			report, err := c.tryCard(cmd, f.choice.TokenFile, keep)
			if err != nil {
				return err
			}
			if err := c.print(cmd.OutOrStdout(), report, func(w io.Writer) { printFound(w, report.Findings) }); err != nil {
				return err
			}
			if report.Worst() != finding.Passed {
				return exit(exitDeny)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&f.choice.TokenFile, "token-file", "", "file with the bot token (default: from the configuration)")
	cmd.Flags().DurationVar(&keep, "keep", 0, "how long to keep the card, such as 30s")
	return cmd
}

func (c *cli) tryCard(cmd *cobra.Command, tokenFile string, keep time.Duration) (setup.Report, error) {
	cfg, dirs, err := c.settings()
	if err != nil {
		return setup.Report{}, err
	}
	file := tokenFileOf(cfg, dirs, tokenFile)
	client, err := discordClient(cfg, file, "")
	if err != nil {
		return setup.NoToken(file, err), nil
	}
	defer func() { _ = client.Close() }() // nothing waits in it
	want := setup.Of(cfg)
	want.TestCard = sampleCard(time.Now())
	pause := func(ctx context.Context) {
		select {
		case <-time.After(keep):
		case <-ctx.Done():
		}
	}
	return setup.Try(cmd.Context(), client, want, pause), nil
}

// printFound prints findings, each with its fix.
func printFound(w io.Writer, found []finding.Finding) {
	for _, f := range found {
		fmt.Fprintf(w, "%-7s  %-13s  %s\n", f.State, f.Check, card.Line(f.Text))
		if f.Fix != "" && f.State != finding.Passed {
			fmt.Fprintf(w, "%-7s  %-13s  Fix: %s\n", "", "", card.Line(f.Fix))
		}
	}
}
