package boundary

import (
	"fmt"
	"slices"
)

// Level is how much of the boundary holds. The zero value is none.
type Level string

// The levels of docs/security.md, "The two levels".
const (
	None Level = "none"
	A    Level = "A"
	B    Level = "B"
)

// Report is the result of Assess.
type Report struct {
	// Level is the present level.
	Level Level `json:"level"`
	// Reasons say why no higher one does; empty at B.
	Reasons []Finding `json:"reasons"`
}

// Finding is one way around the boundary.
type Finding struct {
	// Code is a stable word.
	Code string `json:"code"`
	// Breaks is the lowest level made impossible by the finding.
	Breaks Level `json:"breaks"`
	// What is the problem and its place, Fix the change to make.
	What string `json:"what"`
	Fix  string `json:"fix"`
}

// Assess finds the present level. It is a function of f alone.
func Assess(f Facts) Report {
	if !f.Supported {
		return Report{None, []Finding{{
			"unsupported", A, fmt.Sprintf("accounts and permissions of this system (%s) are not supported", orUnknown(f.OS)),
			"use Linux or macOS",
		}}}
	}
	if f.Agent.Name == "" || f.Daemon.Name == "" {
		return Report{None, []Finding{{"no_account", A, "the agent's or the daemon's account is unknown", "name an account that exists"}}}
	}
	if f.Agent.UID == 0 {
		return Report{A, []Finding{rootAgent(f)}} // all else follows from it, and has no fix while it is so
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

// below is the next lower level.
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

// rootAgent is the one finding about an agent with root's account.
func rootAgent(f Facts) Finding {
	return Finding{
		"root", B, fmt.Sprintf("The agent runs as root (account %s) and can change anything Callgate relies on.", f.Agent.Name),
		"run the agent as a normal user (useradd -m NAME, and start its client as that account), then: callgate service install --level b --agent-account NAME",
	}
}

// accounts finds equal accounts.
func accounts(f Facts) []Finding {
	var found []Finding
	if f.Agent.UID == f.Daemon.UID {
		found = append(found, Finding{
			"same_account", B, fmt.Sprintf("agent and daemon run as the same account, %s", f.Agent.Name),
			fmt.Sprintf("sudo callgate service install --level b --agent-account %s", f.Agent.Name),
		})
		if f.PtraceOpen {
			found = append(found, Finding{"ptrace", B, "programs of the account can read the daemon's memory (kernel.yama.ptrace_scope is 0 or missing)", "sysctl kernel.yama.ptrace_scope=1"})
		}
	}
	for _, a := range f.Approvers {
		if a.UID == f.Agent.UID {
			found = append(found, Finding{"approver_is_agent", B, fmt.Sprintf("the account %s belongs to an agent and to an approver", a.Name), "approve from another account, or in Discord"})
		}
	}
	return found
}

// powerful are groups with root's power, or nearly so, and how.
var powerful = map[string]string{
	"root": "owns system files", "wheel": "administrators", "sudo": "administrators", "admin": "administrators",
	"docker": "can start containers as root", "podman": "can start containers as root", "lxd": "can start containers as root", "lxc": "can start containers as root",
	"incus": "can start containers as root", "incus-admin": "can start containers as root", "microk8s": "can start containers as root",
	"libvirt": "can start virtual machines with any disk", "libvirtd": "can start virtual machines with any disk",
	"disk": "can write disks below the file system", "kmem": "can write memory", "shadow": "can read password hashes",
	"input": "can read keyboard input, including the PIN", "uinput": "can fake keyboard input", "tty": "can write to other terminals",
	"_developer": "can inspect other processes",
}

// groups finds memberships with nearly root's power.
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
				fmt.Sprintf("gpasswd -d %s %s, then end the account's sessions", f.Agent.Name, g.Name),
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
		return "creates administrators (sudo, polkit)"
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
			"remove the entry, or exclude the account from it",
		})
	}
	return found
}

// sockets finds services of root within the agent's reach.
func sockets(f Facts) []Finding {
	var found []Finding
	for _, s := range f.Sockets {
		if s.Problem == "" && reaches(f.Agent, s.Steps, mayWrite) {
			found = append(found, Finding{"socket", B, fmt.Sprintf("%s can use %s, which runs programs as root", f.Agent.Name, s.Path), "chmod o-rw,g-rw the file, or remove the account from its group"})
		}
	}
	return found
}

func capabilities(f Facts) []Finding {
	var found []Finding
	for _, c := range f.Capabilities {
		found = append(found, Finding{"capability", B, c, "remove the capability, then end the account's sessions"})
	}
	return found
}

func unknown(f Facts) []Finding {
	var found []Finding
	for _, u := range f.Unknown {
		found = append(found, Finding{"unknown", B, "could not be checked: " + u.What, u.Fix})
	}
	return found
}
