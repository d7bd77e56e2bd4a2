package ruletest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/store"
)

// suspendedSetting keeps in the store the rules new modules read more widely than those before
// them: their own examples do not show it, and the old module is gone.
const suspendedSetting = "suspended_rules"

// maxSuspended bounds them; beyond it, the newest are kept.
const maxSuspended = 4096

// suspension is one of them, as it is stored.
type suspension struct {
	Rule   string `json:"rule"`
	Digest string `json:"digest"`
	Tool   string `json:"tool"`
}

// Recall loads the suspensions of the last run. If they are unreadable, rules of third-party
// modules do not allow, and the error says so.
func (s *Stored) Recall(ctx context.Context) error {
	text, err := s.c.Store.Setting(ctx, suspendedSetting)
	var list []suspension
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err == nil:
		err = json.Unmarshal(text, &list)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.doubtful = true
		return fmt.Errorf("the list of suspended rules could not be read; allow rules are ignored for modules that did not come with Callgate: %w", err)
	}
	s.suspensions = list
	return nil
}

// suspend stores that rules are not used with modules that read them more widely.
func (s *Stored) suspend(ctx context.Context, stored []engine.Rule, more []suspension) error {
	there := map[string]bool{}
	for _, r := range stored {
		there[r.ID] = true
	}
	s.mu.Lock()
	list := slices.DeleteFunc(slices.Clone(s.suspensions), func(s suspension) bool {
		return !there[s.Rule] || slices.Contains(more, s)
	})
	list = append(list, more...)
	s.suspensions = list[max(0, len(list)-maxSuspended):]
	text, err := json.Marshal(s.suspensions)
	s.mu.Unlock()
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
		Time: s.c.Now(), Event: store.EventRulesSuspended, DecidedBy: "callgate", ModuleDigest: more[0].Digest,
		Tool: more[0].Tool, Detail: clip("its new module reads them more widely: "+strings.Join(texts, ", "), 500),
	}
	return s.c.Store.SaveSetting(context.WithoutCancel(ctx), suspendedSetting, text, row)
}

// isSuspended reports whether a rule is not used with the module of an entry. The
// caller holds mu.
func (s *Stored) isSuspended(entry modules.Entry, r engine.Rule) bool {
	if s.doubtful && !entry.Embedded {
		return true
	}
	return slices.Contains(s.suspensions, suspension{r.ID, entry.Digest, entry.Name})
}

// Unused explains for stored allow rules, by id, why they are not used with their tool's
// current module, in one sentence for people; the others are left out. A rule not yet brought
// before the module by a call or a swap is not tried for it.
func (s *Stored) Unused(rules []engine.Rule) map[string]string {
	tools := s.c.Catalog()
	defer tools.Release()
	unused := map[string]string{}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range rules {
		if r.ID == "" || r.Behavior != engine.Allow || r.WholeTool() {
			continue
		}
		names := []string{r.Tool}
		for _, s := range s.suspensions {
			if s.Rule == r.ID {
				names = append(names, s.Tool)
			}
		}
		for _, name := range names {
			entry := tools.Lookup(name)
			holds, known := s.tried[testOf{r.ID, entry.Digest, entry.Name}]
			if entry.Err == nil && (s.isSuspended(entry, r) || known && !holds) {
				unused[r.ID] = fmt.Sprintf("not used with %s %s: this module reads it differently than when it was stored; remove it, and add it again if you still want it", clip(entry.Module, 64), clip(entry.Version, 64))
			}
		}
	}
	return unused
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n]
}
