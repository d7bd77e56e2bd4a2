package engine_test

import (
	"context"
	"testing"

	"github.com/callgate/callgate/engine"
	"pgregory.net/rapid"
)

// inSite are targets in a trusted folder, with this access.
func inSite(access string) *engine.InFolders {
	return &engine.InFolders{Directories: []string{"/home/ann/site"}, Targets: []engine.Target{
		{Kind: "path", Value: "a", Access: access, Resolved: "/home/ann/site/a", Lexical: "/home/ann/site/a", Inside: "/home/ann/site"},
	}}
}

// TestTrustedFolder: a reading call in a trusted folder is allowed where the mode would have
// asked, edits only in one trusted for them, and nothing else.
func TestTrustedFolder(t *testing.T) {
	t.Parallel()
	reading := func(change func(*engine.InFolders)) *engine.InFolders {
		f := inSite("read")
		change(f)
		return f
	}
	for name, tc := range map[string]struct {
		mode     engine.Mode
		readOnly bool
		verdict  engine.Verdict
		reads    *engine.InFolders
		edits    *engine.InFolders
		unknown  bool
		want     engine.Behavior
	}{
		"a read in default":              {readOnly: true, reads: inSite("read"), want: engine.Allow},
		"a read in dont_ask":             {mode: engine.DontAsk, readOnly: true, reads: inSite("read"), want: engine.Allow},
		"no folder":                      {readOnly: true, want: engine.Ask},
		"not read-only (a secret)":       {reads: inSite("read"), want: engine.Ask},
		"outside":                        {readOnly: true, reads: reading(func(f *engine.InFolders) { f.Targets[0].Inside = "" }), want: engine.Ask},
		"not resolved":                   {readOnly: true, reads: reading(func(f *engine.InFolders) { f.Targets[0].Error = "a loop" }), want: engine.Ask},
		"claimed by the module alone":    {readOnly: true, reads: reading(func(f *engine.InFolders) { f.Targets[0].Claimed = true }), want: engine.Ask},
		"a host besides":                 {readOnly: true, reads: reading(func(f *engine.InFolders) { f.Targets = append(f.Targets, engine.Target{Kind: "host", Access: "read"}) }), want: engine.Ask},
		"a path outside besides":         {readOnly: true, reads: reading(func(f *engine.InFolders) { f.Targets = append(f.Targets, engine.Target{Kind: "path", Access: "read"}) }), want: engine.Ask},
		"nothing touched":                {readOnly: true, reads: &engine.InFolders{}, want: engine.Ask},
		"unknown targets":                {readOnly: true, reads: inSite("read"), unknown: true, want: engine.Ask},
		"the tool wants a person":        {readOnly: true, verdict: plainAsk, reads: inSite("read"), want: engine.Ask},
		"a safety check":                 {readOnly: true, verdict: immuneAsk, reads: inSite("read"), want: engine.Ask},
		"the tool denies":                {readOnly: true, verdict: toolDeny, reads: inSite("read"), want: engine.Deny},
		"a write, trusted for reading":   {verdict: passthrough, reads: inSite("write"), want: engine.Ask},
		"a read, said to write":          {readOnly: true, reads: inSite("write"), want: engine.Ask},
		"dont_ask edits nothing":         {mode: engine.DontAsk, edits: inSite("write"), want: engine.Deny},
		"a tool that does not say allow": {edits: inSite("write"), want: engine.Ask},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := &stub{readOnly: tc.readOnly, verdict: tc.verdict}
			if tool.verdict == (engine.Verdict{}) {
				tool.verdict = passthrough
			}
			req := request(tc.mode, tool)
			req.Reads, req.Edits, req.Call.Context.TargetsUnknown = tc.reads, tc.edits, tc.unknown
			if got := engine.Decide(t.Context(), req); got.Behavior != tc.want {
				t.Errorf("got %s (%s at %s), want %s", got.Behavior, got.Reason, got.Stage, tc.want)
			}
		})
	}
}

// editor allows in accept_edits files in its only working directory.
type editor struct {
	stub
	seen []engine.Context
}

// CheckPermissions implements engine.Tool.
func (e *editor) CheckPermissions(_ context.Context, c *engine.Call) (engine.Verdict, error) {
	e.seen = append(e.seen, c.Context)
	if c.Context.Mode == engine.AcceptEdits && len(c.Context.Targets) > 0 && c.Context.Targets[0].Inside != "" {
		return toolAllow, nil
	}
	return passthrough, nil
}

// TestTrustedForEditing: in a folder trusted for editing a call is decided as in accept_edits
// with that folder alone as working directory.
func TestTrustedForEditing(t *testing.T) {
	t.Parallel()
	also := func(target engine.Target) func(*engine.Request) {
		return func(r *engine.Request) { r.Edits.Targets = append(r.Edits.Targets, target) }
	}
	for name, tc := range map[string]struct {
		change func(*engine.Request)
		want   engine.Behavior
	}{
		"inside":          {func(*engine.Request) {}, engine.Allow},
		"no folder":       {func(r *engine.Request) { r.Edits = nil }, engine.Ask},
		"for reading":     {func(r *engine.Request) { r.Reads, r.Edits = r.Edits, nil }, engine.Ask},
		"outside":         {func(r *engine.Request) { r.Edits.Targets[0].Inside = "" }, engine.Ask},
		"a host besides":  {also(engine.Target{Kind: "host", Access: "read"}), engine.Ask},
		"another write":   {also(engine.Target{Kind: "path", Access: "write"}), engine.Ask},
		"a read outside":  {also(engine.Target{Kind: "path", Access: "read"}), engine.Allow},
		"runs a file":     {func(r *engine.Request) { r.Edits.Targets[0].Access = "run" }, engine.Ask},
		"not granted":     {func(r *engine.Request) { r.Entry.MayAllow = false }, engine.Ask},
		"explore":         {func(r *engine.Request) { r.Call.Context.Mode = engine.Explore }, engine.Deny},
		"unsettled":       {func(r *engine.Request) { r.Unsettled = "a cd" }, engine.Ask},
		"unknown targets": {func(r *engine.Request) { r.Call.Context.TargetsUnknown = true }, engine.Ask},
		"background":      {func(r *engine.Request) { r.Call.Context.Kind = engine.Background }, engine.Allow},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := &editor{}
			req := request(engine.DefaultMode, &tool.stub)
			req.Entry.Tool, req.Edits = tool, inSite("write")
			tc.change(&req)
			if got := engine.Decide(t.Context(), req); got.Behavior != tc.want {
				t.Errorf("got %s (%s at %s), want %s", got.Behavior, got.Reason, got.Stage, tc.want)
			}
			if name != "inside" {
				return
			}
			if last := tool.seen[len(tool.seen)-1]; len(last.WorkingDirectories) != 1 || last.WorkingDirectories[0] != "/home/ann/site" {
				t.Errorf("the tool saw the working directories %v", last.WorkingDirectories)
			}
		})
	}
}

// TestTrustOnlyAnswersTheMode: trusted folders change only decisions by the mode: no rule,
// list, tool's word or error is overruled by them.
func TestTrustOnlyAnswersTheMode(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawScene(t)
		before := engine.Decide(t.Context(), s.req)
		s.req.Reads, s.req.Edits = inSite("read"), inSite("write")
		after := engine.Decide(t.Context(), s.req)
		fails := before.Stage == engine.StageMode && after.Stage == engine.StageError && after.Behavior != engine.Allow
		if after.Behavior == before.Behavior || fails || before.Stage == engine.StageMode && after.Code == engine.CodeTrustedFolder {
			return
		}
		if before.ConvertedFrom == engine.StageMode && after.Code == engine.CodeTrustedFolder {
			return // a background session's ask, now none
		}
		t.Fatalf("%s at %s (%s) before, %s at %s (%s) with trusted folders", before.Behavior, before.Stage, before.Reason, after.Behavior, after.Stage, after.Reason)
	})
}
