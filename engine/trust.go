package engine

import (
	"cmp"
	"slices"
)

// trustStep comes between the allow rules and the mode: it allows a still undecided call that only
// reads in a folder trusted by a person, or only edits in one trusted for edits. The other modes
// need no such step: they read and edit by themselves, or not at all. RATIONALE.md, "What does
// trust in a folder allow?".
func (w *walk) trustStep() (Decision, bool) {
	if w.askReason != "" || w.mode != DefaultMode && w.mode != DontAsk {
		return Decision{}, false
	}
	if t := w.req.Reads; t != nil && t.readsInside(w.call) {
		call := w.trusted(t, w.mode)
		ro, err := w.req.Entry.Tool.CheckReadOnly(w.ctx, call)
		switch {
		case err != nil:
			return w.fail(CodeToolError, "check_read_only", err), true
		case ro.ReadOnly && w.req.Entry.MayReadOnly:
			return w.trust(StageReadOnly, "reads in the trusted folder "+t.Targets[0].Inside), true
		}
		w.note(StageReadOnly, join("in a trusted folder: false", ro.Reason), "go on")
	}
	if t := w.req.Edits; t != nil && w.mode == DefaultMode && t.editsInside(w.call) {
		v, err := w.req.Entry.Tool.CheckPermissions(w.ctx, w.trusted(t, AcceptEdits))
		switch {
		case err != nil:
			return w.fail(CodeToolError, "check_permissions", err), true
		case v.Behavior == Allow && w.req.Entry.MayAllow:
			return w.trust(StageToolCheck, cmp.Or(v.Reason, "edits in a trusted folder")), true
		}
		w.note(StageToolCheck, join("in a folder trusted for editing: "+v.Behavior.String(), v.Reason), "go on")
	}
	return Decision{}, false
}

// trust is an allowance from a trusted folder.
func (w *walk) trust(stage Stage, reason string) Decision {
	w.note(stage, reason, "allow")
	return Decision{Behavior: Allow, Stage: stage, Code: CodeTrustedFolder, Reason: reason}
}

// trusted is the call as it is in trusted folders.
func (w *walk) trusted(t *InFolders, mode Mode) *Call {
	call := *w.call
	call.Context.Mode, call.Context.WorkingDirectories, call.Context.Targets = mode, t.Directories, t.Targets
	return &call
}

// readsInside reports whether all known targets of the call are paths it reads in the folders.
func (t *InFolders) readsInside(c *Call) bool {
	outside := func(target Target) bool { return target.Access != "read" || !target.held() }
	return !c.Context.TargetsUnknown && len(t.Targets) > 0 && !slices.ContainsFunc(t.Targets, outside)
}

// editsInside reports whether all changes of the call are to paths in the folders.
func (t *InFolders) editsInside(c *Call) bool {
	astray := func(target Target) bool {
		return target.Kind != "path" || target.Access != "read" && (target.Access != "write" || !target.held())
	}
	writes := func(target Target) bool { return target.Access == "write" }
	return !c.Context.TargetsUnknown && slices.ContainsFunc(t.Targets, writes) && !slices.ContainsFunc(t.Targets, astray)
}

// held reports whether a working directory contains the path, as far as known.
func (t Target) held() bool {
	return t.Kind == "path" && t.Inside != "" && t.Error == "" && !t.Claimed
}
