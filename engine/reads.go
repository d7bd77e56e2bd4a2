package engine

import (
	"cmp"
	"slices"
)

// matchReads tries the allow rules of the tool that reads files on a call that only reads files or
// searches below directories: all of them must be named, and the call's own tool must say that
// it only reads, which no search for secrets does. A rule for the whole tool names no place. The
// result is the first rule. RATIONALE.md, "Why does one rule allow reading and searching?".
func (w *walk) matchReads() (first *Rule, err error) {
	if !w.namesReads() {
		return nil, nil
	}
	for _, rel := range w.req.Related {
		var room [8]string
		_, withContent := split(rulesOf(w.req.Rules, rel.Entry, rel.Call, rel.Entry.appendNames(room[:0], ""))[Allow])
		if len(withContent) == 0 {
			return nil, nil
		}
		rule, err := match(w.ctx, rel.Entry, rel.whole(), Allow, withContent)
		if rule == nil || err != nil {
			return nil, err
		}
		first = cmp.Or(first, rule)
	}
	if ok, err := w.onlyReads(); !ok {
		return nil, err
	}
	return first, nil
}

// onlyReads reports whether the call's tool says that it only reads.
func (w *walk) onlyReads() (bool, error) {
	ro, err := w.req.Entry.Tool.CheckReadOnly(w.ctx, w.call)
	return ro.ReadOnly && err == nil, err
}

// namesReads reports whether each target of the call is a path that it reads, known to the host and
// put to the tool that reads files.
func (w *walk) namesReads() bool {
	c := &w.call.Context
	return w.req.Err == nil && w.req.Entry.MayReadOnly && w.req.Entry.Err == nil && w.req.Entry.Tool != nil &&
		!c.TargetsUnknown && len(c.Targets) > 0 && len(w.req.Related) >= len(c.Targets) &&
		!slices.ContainsFunc(c.Targets, func(t Target) bool { return t.Kind != "path" || t.Access != "read" || t.Error != "" }) &&
		!slices.ContainsFunc(w.req.Related, func(rel Related) bool { return !rel.Reads || rel.Unknown })
}

// whole is the call of everything below the target.
func (rel Related) whole() *Call {
	call := *rel.Call
	call.Context.Targets = slices.Clone(call.Context.Targets)
	for i := range call.Context.Targets {
		call.Context.Targets[i].Kind = "tree"
	}
	return &call
}
