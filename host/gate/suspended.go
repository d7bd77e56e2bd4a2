package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/store"
)

// suspendedSetting keeps in the store which rules new modules read more widely than
// those before them: their own examples do not tell, and the module before is gone.
const suspendedSetting = "suspended_rules"

// maxSuspended bounds them; a change that would suspend more keeps the newest.
const maxSuspended = 4096

// suspension is one of them, as it is stored.
type suspension struct {
	Rule   string `json:"rule"`
	Digest string `json:"digest"`
	Tool   string `json:"tool"`
}

// RecallSuspended takes up the suspensions of the last run. Where they cannot be
// read, rules of modules that did not come with Callgate do not allow: the error says
// so.
func (g *Gate) RecallSuspended(ctx context.Context) error {
	text, err := g.c.Store.Setting(ctx, suspendedSetting)
	var list []suspension
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err == nil:
		err = json.Unmarshal(text, &list)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if err != nil {
		g.doubtful = true
		return fmt.Errorf("which stored rules are suspended is not known, so that no allow rule is used for modules that did not come with Callgate: %w", err)
	}
	g.suspensions = list
	return nil
}

// suspend keeps that rules are not used with modules that read them more widely.
func (g *Gate) suspend(ctx context.Context, stored []engine.Rule, more []suspension) error {
	there := map[string]bool{}
	for _, r := range stored {
		there[r.ID] = true
	}
	g.mu.Lock()
	list := slices.DeleteFunc(slices.Clone(g.suspensions), func(s suspension) bool {
		return !there[s.Rule] || slices.Contains(more, s)
	})
	list = append(list, more...)
	g.suspensions = list[max(0, len(list)-maxSuspended):]
	text, err := json.Marshal(g.suspensions)
	g.mu.Unlock()
	if err != nil {
		return err
	}
	var texts []string
	for _, r := range stored {
		if slices.ContainsFunc(more, func(s suspension) bool { return s.Rule == r.ID }) {
			texts = append(texts, told(r))
		}
	}
	row := store.Row{
		Time: g.c.Now(), Event: store.EventRulesSuspended, DecidedBy: "callgate", ModuleDigest: more[0].Digest,
		Tool: more[0].Tool, Detail: clip("its new module reads them more widely: "+strings.Join(texts, ", "), 500),
	}
	return g.c.Store.SaveSetting(context.WithoutCancel(ctx), suspendedSetting, text, row)
}

// isSuspended reports whether a rule is not used with the module of an entry. The
// caller holds mu.
func (g *Gate) isSuspended(entry catalog.Entry, r engine.Rule) bool {
	if g.doubtful && !entry.Embedded {
		return true
	}
	return slices.Contains(g.suspensions, suspension{r.ID, entry.Digest, entry.Name})
}

// Unused tells of stored allow rules, by id, why they are not used with the module
// that answers for their tool now, in one sentence for people; the others are left
// out. A rule that no call and no swap has brought before the module yet is not tried
// for it.
func (g *Gate) Unused(rules []engine.Rule) map[string]string {
	tools := g.c.Catalog()
	defer tools.Release()
	unused := map[string]string{}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, r := range rules {
		if r.ID == "" || r.Behavior != engine.Allow || r.WholeTool() {
			continue
		}
		names := []string{r.Tool}
		for _, s := range g.suspensions {
			if s.Rule == r.ID {
				names = append(names, s.Tool)
			}
		}
		for _, name := range names {
			entry := tools.Lookup(name)
			holds, known := g.tried[trialOf{r.ID, entry.Digest, entry.Name}]
			if entry.Err == nil && (g.isSuspended(entry, r) || known && !holds) {
				unused[r.ID] = fmt.Sprintf("not used with %s %s, which reads it otherwise than when it was stored: remove it, and add it again if it should hold", clip(entry.Module, 64), clip(entry.Version, 64))
			}
		}
	}
	return unused
}
