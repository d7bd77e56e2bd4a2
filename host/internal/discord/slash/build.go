package slash

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin"
	"github.com/callgate/callgate/host/internal/admin/builder"
	"github.com/callgate/callgate/host/internal/admin/command"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/history"
	"github.com/callgate/callgate/host/internal/text/strictjson"
	"github.com/callgate/callgate/host/wire"
)

// The verbs below the preview of a rule.
const (
	verbStore message.Verb = "bstore"
	verbDrop  message.Verb = "bdrop"
)

// behaviors are those of a rule, the default first; spans are its lifetimes.
var (
	behaviors = []string{engine.Ask.String(), engine.Allow.String(), engine.Deny.String()}
	spanNames = []string{"1 hour", "24 hours", "7 days"}
	spans     = map[string]time.Duration{"": 0, "1 hour": time.Hour, "24 hours": 24 * time.Hour, "7 days": 7 * 24 * time.Hour}
)

// build previews a rule, with its dangers and its matches among the last calls, and a button to
// store it exactly as shown.
func (h *Handler) build(ctx context.Context, who asker, r request) (answer, error) {
	where, err := h.placeOf(r)
	if errors.Is(err, errWhich) {
		return h.which(ctx, who, r, false)
	}
	if err != nil {
		return answer{}, err
	}
	rule, err := h.typedRule(r, where)
	if err != nil {
		return answer{}, err
	}
	plan, err := h.c.Gate.ChangeRules(ctx, who.change(), []engine.Rule{rule}, nil, true)
	if err != nil {
		return answer{}, err
	}
	shown := plan.Rules[0]
	lines := builder.Preview(shown.Rule, shown.Exists, shown.Notes)
	more, err := h.besideRule(ctx, shown.Rule)
	if err != nil {
		return answer{}, err
	}
	const head = "**Rule builder.** This would be stored:"
	m := listing(head, append(lines, more...), "")
	if len(m.Files) > 0 {
		m = listing(head, lines, "What it matches of the last calls does not fit here.")
	}
	if len(m.Files) > 0 {
		return answer{}, errTooLong
	}
	id := h.flows.add(flow{account: who.Account, rule: &rule})
	m.Components = append(m.Components, row(
		h.button(verbStore, id, "Store it", discordgo.SuccessButton), h.button(verbDrop, id, "Discard", discordgo.SecondaryButton)))
	return answer{message: m}, nil
}

// errTooLong means: a rule cannot be shown whole.
var errTooLong = badRequest{errors.New("the rule is too long to be shown here whole, and what is not shown is not stored: give it to /allow, /ask or /deny")}

// typedRule is the rule in the options.
func (h *Handler) typedRule(r request, where admin.Where) (engine.Rule, error) {
	text := strings.TrimSpace(r.texts[optRule])
	if command.Unseen(text) {
		return engine.Rule{}, badRequest{fmt.Errorf("the rule holds characters that cannot be seen, or that turn the text around: %+q; type it anew", text)}
	}
	rule, err := engine.ParseRule(text)
	if err != nil {
		return engine.Rule{}, badRequest{err}
	}
	does := r.texts[optDoes]
	if does == "" {
		does = behaviors[0]
	}
	length, known := spans[r.texts[optFor]]
	if !known || !slices.Contains(behaviors, does) {
		return engine.Rule{}, badRequest{errors.New("choose what the rule does, and for how long, from the lists")}
	}
	if rule.Behavior, err = engine.ParseBehavior(does); err != nil {
		return engine.Rule{}, badRequest{err}
	}
	rule.Scope, rule.ScopeKey, rule.Source = where.Scope, where.Key, admin.SourceCommand
	if length > 0 {
		rule.ExpiresAt = h.c.Now().Add(length).Truncate(time.Second)
	}
	return rule, nil
}

// besideRule helps to judge a rule: its matches among the last calls, the syntax of the tool's
// rules, and the tool's existing rules.
func (h *Handler) besideRule(ctx context.Context, r engine.Rule) ([]string, error) {
	info := h.toolNamed(r.Tool)
	calls, err := builder.LastCalls(ctx, func(ctx context.Context, f store.Filter) ([]store.Row, error) {
		return history.Rows(ctx, h.c.Audit, f)
	}, info, append([]string{r.Tool}, info.Aliases...))
	if err != nil {
		return nil, err
	}
	lines := []string{builder.Report(calls, func(c builder.Call) (allow, deny bool, err error) {
		if allow, err = h.tried(ctx, r, engine.Allow, c); err != nil {
			return false, false, err
		}
		deny, err = h.tried(ctx, r, engine.Deny, c)
		return allow, deny, err
	})}
	if info.RuleHelp != "" {
		lines = append(lines, info.RuleHelp)
	}
	rules, err := h.c.Gate.Rules(ctx, store.RuleFilter{})
	for _, set := range rules {
		if engine.MatchName(set.Tool, r.Tool) {
			lines = append(lines, fmt.Sprintf("set: %s %s (%s)", set.Behavior, set, strings.TrimSpace(string(set.Scope)+" "+set.ScopeKey)))
		}
	}
	return lines, err
}

// toolNamed is the tool of a name, an alias or a pattern of names; zero for none.
func (h *Handler) toolNamed(name string) wire.Tool {
	for _, t := range h.c.Tools() {
		if slices.Contains(t.Names(), name) || strings.ContainsAny(t.Name, "*?") && engine.MatchName(t.Name, name) {
			return t
		}
	}
	return wire.Tool{}
}

// tried reports whether a rule, with another behavior, would match one of the last
// calls.
func (h *Handler) tried(ctx context.Context, r engine.Rule, b engine.Behavior, c builder.Call) (bool, error) {
	input, err := strictjson.Object(json.RawMessage(c.Input))
	if err != nil {
		return false, err
	}
	cwd, project := h.standing(ctx, r)
	r.Behavior = b
	return h.c.Gate.TestRule(ctx, r, &engine.Call{Tool: r.Tool, Input: input, Context: engine.Context{CWD: cwd, ProjectRoot: project, WorkingDirectories: []string{cwd}}})
}

// standing is where the calls of a rule are taken to be made: where its session, or the
// agent's last one, stands, else in its project.
func (h *Handler) standing(ctx context.Context, r engine.Rule) (cwd, project string) {
	switch r.Scope {
	case engine.Project:
		return r.ScopeKey, r.ScopeKey
	case engine.Session:
		if known, _, err := h.c.Gate.Session(ctx, r.ScopeKey); err == nil && known.CWD != "" {
			return known.CWD, known.ProjectRoot
		}
	default:
		last, err := h.c.Gate.Sessions(ctx, store.SessionFilter{Agent: r.ScopeKey, Limit: 1})
		if err == nil && len(last) == 1 && last[0].CWD != "" {
			return last[0].CWD, last[0].ProjectRoot
		}
	}
	return "/", ""
}

// store stores the previewed rule, once, or discards it.
func (h *Handler) store(ctx context.Context, who asker, id message.CustomID) (answer, error) {
	f, ok := h.flows.take(id.Arg, who.Account)
	if !ok || f.rule == nil {
		return answer{}, errOver
	}
	if id.Verb == verbDrop {
		return answer{message: message.Ephemeral("Discarded: nothing was stored.")}, nil
	}
	done, err := h.c.Gate.ChangeRules(ctx, who.change(), []engine.Rule{*f.rule}, nil, false)
	if err != nil {
		return answer{}, err
	}
	r := done.Rules[0].Rule
	tail := fits("To take it back: ", fmt.Sprintf("/%s %s:%s%s", r.Behavior, optRemove, byID, r.ID))
	return answer{message: listing("**Stored.**", builder.Preview(r, false, done.Rules[0].Notes), tail)}, nil
}
