package slash

import (
	"context"
	"errors"
	"fmt"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin"
)

// mode shows or changes the mode of a session, or of its interactive forks.
func (h *Handler) mode(ctx context.Context, who asker, r request) (answer, error) {
	word, forks := r.texts[optMode], r.flags[optForks]
	if r.texts[optSession] != "" {
		r = r.with(admin.Where{Scope: engine.Session, Key: r.texts[optSession]}) // agent only helps to choose
	}
	if word == "" && !forks {
		where, err := h.placeOf(r)
		if errors.Is(err, errWhich) {
			return h.which(ctx, who, r, false)
		}
		if err != nil {
			return answer{}, err
		}
		return h.command(ctx, who, where, "/permission")
	}
	session, err := h.sessionOf(r)
	if errors.Is(err, errWhich) {
		return h.which(ctx, who, r, true)
	}
	switch {
	case err != nil:
		return answer{}, err
	case word == "":
		return h.forkMode(ctx, session)
	case word == agentsMode:
		return h.setMode(ctx, who, session, nil, forks)
	case !forks:
		return h.command(ctx, who, admin.Where{Scope: engine.Session, Key: session}, "/permission "+word)
	}
	mode, err := engine.ParseMode(word)
	if err != nil {
		return answer{}, badRequest{err}
	}
	return h.setMode(ctx, who, session, &mode, forks)
}

// setMode gives a session, or its forks, a mode; nil is the default one.
func (h *Handler) setMode(ctx context.Context, who asker, session string, mode *engine.Mode, forks bool) (answer, error) {
	set, text := h.c.Gate.ChangeMode, "the mode is now the agent's"
	if forks {
		set, text = h.c.Gate.ChangeForkMode, "the interactive forks have the session's mode again"
		if mode != nil {
			text = fmt.Sprintf("the mode of its interactive forks is now %s, until they end", mode)
		}
	}
	if err := set(ctx, who.change(), session, mode); err != nil {
		return answer{}, err
	}
	return answer{message: listing("**/permission** "+placeText(engine.Session, session), []string{text}, "")}, nil
}

// forkMode shows the mode of a session's forks.
func (h *Handler) forkMode(ctx context.Context, session string) (answer, error) {
	known, _, err := h.c.Gate.Session(ctx, session)
	if err != nil {
		return answer{}, err
	}
	text := "its interactive forks have the session's mode"
	if known.ForkMode != nil {
		text = "the mode of its interactive forks is " + known.ForkMode.String() + ", until they end"
	}
	return answer{message: listing("**/permission** "+placeText(engine.Session, session), []string{text}, "")}, nil
}

// clear ends a session's waiting asks, and its grants.
func (h *Handler) clear(ctx context.Context, who asker, r request) (answer, error) {
	session, err := h.sessionOf(r)
	if errors.Is(err, errWhich) {
		return h.which(ctx, who, r, true)
	}
	if err != nil {
		return answer{}, err
	}
	cleared, err := h.c.Gate.Clear(ctx, who.change(), session)
	if err != nil {
		return answer{}, err
	}
	text := fmt.Sprintf("%s cancelled, %s dropped; its own modes and what was known of its shell are gone", counted(cleared.Asks, "ask"), counted(cleared.Grants, "grant"))
	return answer{message: listing("**/clear** "+placeText(engine.Session, session), []string{text}, "")}, nil
}

// counted is a number of things with a plural in s.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
