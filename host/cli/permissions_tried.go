package cli

import (
	"context"
	"encoding/json"
	"os"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin/builder"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/store"
)

// rowsOf reads the audit through the daemon.
func rowsOf(client *client.Client) func(context.Context, store.Filter) ([]store.Row, error) {
	return func(ctx context.Context, f store.Filter) ([]store.Row, error) {
		page, err := client.Audit(ctx, f)
		return page.Rows, err
	}
}

// tried asks the daemon about a rule's effect on a call, as an allow rule and as a tightening one.
func tried(ctx context.Context, client *client.Client, rule string, c builder.Call) (allow, deny bool, err error) {
	cwd, err := os.Getwd()
	if err != nil {
		return false, false, err
	}
	try := func(b engine.Behavior) (bool, error) {
		return client.TestRule(ctx, protocol.RuleTest{Rule: protocol.NewRule{Rule: rule, Behavior: &b}, Input: json.RawMessage(c.Input), CWD: cwd, WorkingDirectories: []string{cwd}})
	}
	if allow, err = try(engine.Allow); err != nil {
		return false, false, err
	}
	deny, err = try(engine.Deny)
	return allow, deny, err
}
