package boundary

import (
	"fmt"
	"slices"
)

// Level is how much of the boundary holds. The zero value is none.
type Level string

// The levels of design section 8.
const (
	None Level = "none"
	A    Level = "A"
	B    Level = "B"
)

// Report is what Assess found.
type Report struct {
	// Level is the level that holds.
	Level Level `json:"level"`
	// Reasons say why no higher one does; empty at B.
	Reasons []Finding `json:"reasons"`
}

// Finding is one way around the boundary.
type Finding struct {
	// Code is a stable word.
	Code string `json:"code"`
	// Breaks is the lowest level that cannot hold because of it.
	Breaks Level `json:"breaks"`
	// What says what is wrong and where, Cure what to change.
	What string `json:"what"`
	Cure string `json:"cure"`
}

// Assess tells which level holds. It is a function of f alone.
func Assess(f Facts) Report {
	if !f.Supported {
		return Report{None, []Finding{{
			"unsupported", A, fmt.Sprintf("accounts and permissions of this system (%s) are not understood", orUnknown(f.OS)),
			"use Linux or macOS",
		}}}
	}
	if f.Agent.Name == "" || f.Daemon.Name == "" {
		return Report{None, []Finding{{"no_account", A, "the agent's or the daemon's account is not known", "name an account that exists"}}}
	}
	if f.Agent.UID == 0 {
		return Report{A, []Finding{rootAgent(f)}} // all else follows from it, and has no cure while it is so
	}
	r := Report{Level: B, Reasons: []Finding{}}
	for _, check := range []func(Facts) []Finding{accounts, groups, grants, sockets, capabilities, places, unknown} {
		r.Reasons = append(r.Reasons, check(f)...)
	}
	for _, reason := range r.Reasons {
		if r.Level == B || reason.Breaks == A {
			r.Level = below(reason.Breaks)
		}
	}
	return r
}

// below is the level that is left when this one is broken.
func below(broken Level) Level {
	if broken == B {
		return A
	}
	return None
}

func orUnknown(name string) string {
	if name == "" {
		return "unknown"
	}
	return name
}

// rootAgent is the one finding about an agent that is root.
func rootAgent(f Facts) Finding {
	return Finding{
		"root", B, fmt.Sprintf("the agent's account %s is root: it can change everything that the gate relies on", f.Agent.Name),
		"run the agent under an account of its own (useradd -m NAME, and start its client as that account), then: callgate service install --level b --agent-account NAME",
	}
}

// accounts finds accounts that are the same.
func accounts(f Facts) []Finding {
	var found []Finding
	if f.Agent.UID == f.Daemon.UID {
		found = append(found, Finding{
			"same_account", B, fmt.Sprintf("agent and daemon run as one account, %s", f.Agent.Name),
			fmt.Sprintf("sudo callgate service install --level b --agent-account %s", f.Agent.Name),
		})
		if f.PtraceOpen {
			found = append(found, Finding{"ptrace", B, "a program of the account may look into the daemon's memory (kernel.yama.ptrace_scope is 0 or absent)", "sysctl kernel.yama.ptrace_scope=1"})
		}
	}
	for _, a := range f.Approvers {
		if a.UID == f.Agent.UID {
			found = append(found, Finding{"approver_is_agent", B, fmt.Sprintf("the account %s is an agent's and an approver's", a.Name), "let another account, or Discord, approve"})
		}
	}
	return found
}

// powerful are groups whose members are root, or as good as, and how.
var powerful = map[string]string{
	"root": "owns files of the system", "wheel": "administrators", "sudo": "administrators", "admin": "administrators",
	"docker": "starts containers as root", "podman": "starts containers as root", "lxd": "starts containers as root", "lxc": "starts containers as root",
	"incus": "starts containers as root", "incus-admin": "starts containers as root", "microk8s": "starts containers as root",
	"libvirt": "starts virtual machines with any disk", "libvirtd": "starts virtual machines with any disk",
	"disk": "writes disks below the file system", "kmem": "writes memory", "shadow": "reads password hashes",
	"input": "reads what is typed, the PIN too", "uinput": "types as if at the keyboard", "tty": "writes to others' terminals",
	"_developer": "looks into others' processes",
}

// groups finds memberships that make an account as good as root.
func groups(f Facts) []Finding {
	var found []Finding
	for _, g := range f.Agent.Groups {
		why, bad := powerful[g.Name]
		if g.GID == 0 {
			why, bad = powerful["root"], true
		}
		if bad {
			found = append(found, Finding{
				"group", B, fmt.Sprintf("%s is in group %s, which %s", f.Agent.Name, g.Name, verb(why)),
				fmt.Sprintf("gpasswd -d %s %s, and end the account's sessions", f.Agent.Name, g.Name),
			})
		}
		if f.Agent.UID != f.Daemon.UID && f.Daemon.Name != "root" && slices.ContainsFunc(f.Daemon.Groups[:min(1, len(f.Daemon.Groups))], func(own Group) bool { return own.GID == g.GID }) {
			found = append(found, Finding{"daemon_group", B, fmt.Sprintf("%s is in the daemon's own group %s", f.Agent.Name, g.Name), fmt.Sprintf("gpasswd -d %s %s", f.Agent.Name, g.Name)})
		}
	}
	return found
}

func verb(why string) string {
	if why == "administrators" {
		return "makes administrators (sudo, polkit)"
	}
	return why
}

// grants reports every grant: whether a single command can be bent to more
// cannot be told, so each counts.
func grants(f Facts) []Finding {
	var found []Finding
	for _, g := range f.Grants {
		found = append(found, Finding{
			"grant", B, fmt.Sprintf("%s lets %s run commands as another account (%s): %s", g.By, f.Agent.Name, g.Where, g.Text),
			"take the entry away, or exclude the account from it",
		})
	}
	return found
}

// sockets finds services of root that the agent can talk to.
func sockets(f Facts) []Finding {
	var found []Finding
	for _, s := range f.Sockets {
		if s.Problem == "" && reaches(f.Agent, s.Steps, mayWrite) {
			found = append(found, Finding{"socket", B, fmt.Sprintf("%s can use %s, which runs programs as root", f.Agent.Name, s.Path), "chmod o-rw,g-rw it, or take the account out of its group"})
		}
	}
	return found
}

func capabilities(f Facts) []Finding {
	var found []Finding
	for _, c := range f.Capabilities {
		found = append(found, Finding{"capability", B, c, "take the capability away, and end the account's sessions"})
	}
	return found
}

func unknown(f Facts) []Finding {
	var found []Finding
	for _, u := range f.Unknown {
		found = append(found, Finding{"unknown", B, "it could not be told: " + u.What, u.Cure})
	}
	return found
}
