package slash

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/callgate/callgate/host/internal/discord/message"
)

// The verbs of components of commands.
const (
	verbPlace  message.Verb = "place"  // the subject of a command was chosen
	verbShow   message.Verb = "show"   // an ask was chosen
	verbResume message.Verb = "resume" // a paused session was chosen
	verbOlder  message.Verb = "older"  // the next page of the audit
	verbNewest message.Verb = "newest" // its first page
	verbRow    message.Verb = "row"    // a row was chosen
)

// run carries out a command.
func (h *Handler) run(ctx context.Context, who asker, r request) (answer, error) {
	switch {
	case r.name == "allow" || r.name == "ask" || r.name == "deny":
		return h.list(ctx, who, r)
	case r.name == "permission" || r.name == "permissions" && r.sub == "mode":
		return h.mode(ctx, who, r)
	case r.name == "permissions" && r.sub == "show":
		return h.show(ctx, who, r)
	case r.name == "permissions" && r.sub == "profile":
		return h.profile(ctx, who, r)
	case r.name == "permissions" && r.sub == "builder":
		return h.build(ctx, who, r)
	case r.name == "asks":
		return h.asks(ctx, who, r)
	case r.name == "audit":
		return h.audit(ctx, who, r)
	case r.name == "folders":
		return h.folders(ctx, who, r)
	case r.name == "clear":
		return h.clear(ctx, who, r)
	}
	return answer{}, badRequest{fmt.Errorf("there is no command /%s %s here: the server has the commands of another version", r.name, r.sub)}
}

// errOver means: a button or menu came too late.
var errOver = badRequest{errors.New("this was done already, or is more than a quarter of an hour old: give the command again")}

// step goes on with a component's flow.
func (h *Handler) step(ctx context.Context, who asker, id message.CustomID, values []string) (answer, error) {
	if id.Verb == verbStore || id.Verb == verbDrop {
		return h.store(ctx, who, id)
	}
	f, ok := h.flows.get(id.Arg, who.Account)
	if !ok {
		return answer{}, errOver
	}
	switch id.Verb {
	case verbOlder:
		return h.auditPage(ctx, who, f.filter)
	case verbNewest:
		f.filter.Before = 0
		return h.auditPage(ctx, who, f.filter)
	}
	n, err := numbered(values, map[message.Verb]int{verbPlace: len(f.places), verbShow: len(f.asks), verbResume: len(f.sessions), verbRow: len(f.rows)}[id.Verb])
	if err != nil {
		return answer{}, err
	}
	switch id.Verb {
	case verbShow:
		return h.showAsk(ctx, f.asks[n])
	case verbResume:
		return h.resume(ctx, who, f.sessions[n])
	case verbRow:
		return h.auditRow(ctx, f.rows[n])
	}
	// The command is done once, however often it is clicked.
	if f, ok = h.flows.take(id.Arg, who.Account); !ok {
		return answer{}, errOver
	}
	return h.run(ctx, who, f.request.with(f.places[n]))
}

// numbered is the one chosen option of n.
func numbered(values []string, n int) (int, error) {
	if len(values) != 1 {
		return 0, badRequest{errors.New("choose one")}
	}
	i, err := strconv.Atoi(values[0])
	if err != nil || i < 0 || i >= n || strconv.Itoa(i) != values[0] {
		return 0, badRequest{errors.New("that is not among the choices")}
	}
	return i, nil
}
