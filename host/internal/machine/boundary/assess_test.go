package boundary_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/machine/boundary"
)

// apart are the facts of a sound installation.
func apart() boundary.Facts {
	dir := func(path string, uid int, perm fs.FileMode) boundary.Step {
		return boundary.Step{Path: path, UID: uid, GID: uid, Mode: fs.ModeDir | perm}
	}
	root := dir("/", 0, 0o755)
	return boundary.Facts{
		Supported: true, OS: "linux",
		Agent:     boundary.Account{Name: "agent", UID: 1001, Home: "/home/agent", Groups: []boundary.Group{{GID: 1001, Name: "agent"}, {GID: 100, Name: "users"}}},
		Daemon:    boundary.Account{Name: "callgate", UID: 990, Groups: []boundary.Group{{GID: 990, Name: "callgate"}}},
		Approvers: []boundary.Account{{Name: "ann", UID: 1000}},
		Places: []boundary.Place{
			{Kind: "binary", Path: "/usr/local/bin/callgate", Steps: []boundary.Step{root, dir("/usr", 0, 0o755), {Path: "/usr/callgate", Mode: 0o755}}},
			{Kind: "state", Path: "/var/lib/callgate", Secret: true, Steps: []boundary.Step{root, dir("/var/lib/callgate", 990, 0o700)}},
			{Kind: "home of approver ann", Path: "/home/ann", Steps: []boundary.Step{root, dir("/home/ann", 1000, 0o755)}},
			{Kind: "managed settings", Path: "/etc/claude-code", Steps: []boundary.Step{root, {Path: "/etc/claude-code", Missing: true}}},
			{Kind: "cache", Path: "/tmp/cache", Steps: []boundary.Step{root, dir("/tmp", 0, 0o777|fs.ModeSticky), dir("/tmp/cache", 990, 0o700)}},
		},
		Sockets: []boundary.Place{{Path: "/run/docker.sock", Steps: []boundary.Step{root, {Path: "/run/docker.sock", GID: 998, Mode: fs.ModeSocket | 0o660}}}},
	}
}

// TestT06_Assess: each way around the boundary is found, with the needed change.
func TestT06_Assess(t *testing.T) {
	t.Parallel()
	step := func(f *boundary.Facts, place int) *boundary.Step {
		steps := f.Places[place].Steps
		return &steps[len(steps)-1]
	}
	for name, test := range map[string]struct {
		change func(*boundary.Facts)
		level  boundary.Level
		code   string
	}{
		"apart":                     {func(*boundary.Facts) {}, boundary.B, ""},
		"nothing known":             {func(f *boundary.Facts) { *f = boundary.Facts{} }, boundary.None, "unsupported"},
		"another system":            {func(f *boundary.Facts) { f.Supported = false }, boundary.None, "unsupported"},
		"no agent":                  {func(f *boundary.Facts) { f.Agent = boundary.Account{} }, boundary.None, "no_account"},
		"agent is root":             {func(f *boundary.Facts) { f.Agent.UID = 0 }, boundary.A, "root"},
		"one account":               {func(f *boundary.Facts) { f.Agent.UID = f.Daemon.UID }, boundary.A, "same_account"},
		"agent approves":            {func(f *boundary.Facts) { f.Approvers = append(f.Approvers, f.Agent) }, boundary.A, "approver_is_agent"},
		"docker":                    {func(f *boundary.Facts) { f.Agent.Groups[1] = boundary.Group{GID: 998, Name: "docker"} }, boundary.A, "group"},
		"docker's group by number":  {func(f *boundary.Facts) { f.Agent.Groups[1].GID = 998 }, boundary.A, "socket"},
		"group 0 by another name":   {func(f *boundary.Facts) { f.Agent.Groups[1] = boundary.Group{Name: "system"} }, boundary.A, "group"},
		"the daemon's group":        {func(f *boundary.Facts) { f.Agent.Groups[1].GID = 990 }, boundary.A, "daemon_group"},
		"socket open to all":        {func(f *boundary.Facts) { f.Sockets[0].Steps[1].Mode |= 0o006 }, boundary.A, "socket"},
		"sudo":                      {func(f *boundary.Facts) { f.Grants = []boundary.Grant{{By: "sudo", Text: "ALL"}} }, boundary.A, "grant"},
		"capabilities":              {func(f *boundary.Facts) { f.Capabilities = []string{"cap_sys_ptrace"} }, boundary.A, "capability"},
		"something untold":          {func(f *boundary.Facts) { f.Unknown = []boundary.Unknown{{What: "sudoers"}} }, boundary.A, "unknown"},
		"a place untold":            {func(f *boundary.Facts) { f.Places[0].Problem = "permission denied" }, boundary.A, "unknown"},
		"a place without steps":     {func(f *boundary.Facts) { f.Places[0].Steps = nil }, boundary.A, "unknown"},
		"binary owned":              {func(f *boundary.Facts) { step(f, 0).UID = 1001 }, boundary.A, "owned"},
		"binary by group":           {func(f *boundary.Facts) { s := step(f, 0); s.GID, s.Mode = 100, 0o775 }, boundary.A, "writable"},
		"binary by all":             {func(f *boundary.Facts) { step(f, 0).Mode = 0o777 }, boundary.None, "writable"},
		"binary of a third":         {func(f *boundary.Facts) { step(f, 0).UID = 1234 }, boundary.None, "foreign"},
		"directory above":           {func(f *boundary.Facts) { f.Places[0].Steps[1].UID = 1001 }, boundary.A, "owned"},
		"access list":               {func(f *boundary.Facts) { f.Places[0].Steps[1].ACL = true }, boundary.A, "access_list"},
		"inside":                    {func(f *boundary.Facts) { f.Places[0].Inside = []boundary.Step{{Path: "/x", UID: 1001}} }, boundary.A, "owned"},
		"state readable":            {func(f *boundary.Facts) { step(f, 1).Mode |= 0o005 }, boundary.A, "readable"},
		"approver's home":           {func(f *boundary.Facts) { s := step(f, 2); s.GID, s.Mode = 1001, s.Mode|0o020 }, boundary.A, "writable"},
		"missing below the agent's": {func(f *boundary.Facts) { f.Places[3].Steps[0].UID = 1001 }, boundary.A, "owned"},
		"sticky, owned by agent":    {func(f *boundary.Facts) { step(f, 4).UID = 1001 }, boundary.A, "owned"},
		"sticky, missing":           {func(f *boundary.Facts) { step(f, 4).Missing = true }, boundary.None, "writable"},
		"not sticky":                {func(f *boundary.Facts) { f.Places[4].Steps[1].Mode = fs.ModeDir | 0o777 }, boundary.None, "writable"},
		"link owned by the agent":   {func(f *boundary.Facts) { *step(f, 0) = boundary.Step{UID: 1001, Mode: fs.ModeSymlink | 0o777} }, boundary.A, "owned"},
		"link of root":              {func(f *boundary.Facts) { step(f, 0).Mode = fs.ModeSymlink | 0o777 }, boundary.B, ""},
		"memory, apart":             {func(f *boundary.Facts) { f.PtraceOpen = true }, boundary.B, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := apart()
			test.change(&f)
			got := boundary.Assess(f)
			if got.Level != test.level {
				t.Errorf("level: got %s, want %s\n%+v", got.Level, test.level, got.Reasons)
			}
			if test.code != "" && !slices.ContainsFunc(got.Reasons, func(r boundary.Finding) bool { return r.Code == test.code }) {
				t.Errorf("reasons: got %+v, want code %s", got.Reasons, test.code)
			}
			for _, r := range got.Reasons {
				if r.What == "" || r.Breaks == "" || r.Fix == "" && r.Code != "unknown" {
					t.Errorf("reason %+v: want what, fix and the level it breaks", r)
				}
			}
		})
	}
}

func TestMemoryAtLevelA(t *testing.T) {
	t.Parallel()
	f := apart()
	f.Daemon, f.PtraceOpen = f.Agent, true
	if got := boundary.Assess(f); !slices.ContainsFunc(got.Reasons, func(r boundary.Finding) bool { return r.Code == "ptrace" && strings.Contains(r.Fix, "ptrace_scope=1") }) {
		t.Errorf("got %+v, want ptrace", got.Reasons)
	}
}

// TestRootAgentOnce: a root agent is reported once, with a practicable fix, and without its
// consequences.
func TestRootAgentOnce(t *testing.T) {
	t.Parallel()
	f := apart()
	root := boundary.Account{Name: "root", Groups: []boundary.Group{{Name: "root"}}}
	f.Agent, f.Daemon, f.PtraceOpen = root, root, true
	f.Grants = []boundary.Grant{{By: "sudo", Text: "ALL"}}
	got := boundary.Assess(f)
	if got.Level != boundary.A || len(got.Reasons) != 1 || got.Reasons[0].Code != "root" {
		t.Fatalf("got level %s and %+v, want level A and one finding, root", got.Level, got.Reasons)
	}
	if fix := got.Reasons[0].Fix; strings.Contains(fix, "root") || !strings.Contains(fix, "normal user") {
		t.Errorf("fix: got %q, want an account of its own and nothing for root itself", fix)
	}
}
