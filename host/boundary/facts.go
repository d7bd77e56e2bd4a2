package boundary

import "io/fs"

// Facts are what is known about one agent's account and one daemon's. The zero
// value is knowing nothing.
type Facts struct {
	// Supported tells that this system's facts can be gathered at all.
	Supported bool `json:"supported"`
	// OS is the system, as runtime.GOOS names it.
	OS string `json:"os"`
	// Agent and Daemon are the two accounts.
	Agent  Account `json:"agent"`
	Daemon Account `json:"daemon"`
	// Approvers are the accounts that may answer on this machine.
	Approvers []Account `json:"approvers"`
	// Places are what the daemon, the hook and the approvers rely on.
	Places []Place `json:"places"`
	// Sockets are services that give root to whoever may write to them.
	Sockets []Place `json:"sockets"`
	// Grants are what sudo, doas and their like let the agent's account do.
	Grants []Grant `json:"grants"`
	// Capabilities are those that the agent's account is given, or that its
	// processes hold, one sentence each.
	Capabilities []string `json:"capabilities"`
	// PtraceOpen tells that a process may look into any other of its account.
	PtraceOpen bool `json:"ptrace_open"`
	// Unknown is what could not be told, each with what would tell it.
	Unknown []Unknown `json:"unknown"`
}

// Account is an account of the system, with every group it is in.
type Account struct {
	Name   string  `json:"name"`
	UID    int     `json:"uid"`
	Home   string  `json:"home"`
	Groups []Group `json:"groups"`
}

// Group is one group of an account.
type Group struct {
	GID  int    `json:"gid"`
	Name string `json:"name"`
}

func (a Account) in(gid int) bool {
	for _, g := range a.Groups {
		if g.GID == gid {
			return true
		}
	}
	return false
}

// Place is a path that must not be the agent's to change.
type Place struct {
	// Kind says what it is for: "binary", "state", "managed settings", ...
	Kind string `json:"kind"`
	Path string `json:"path"`
	// Secret tells that the agent must not be able to read it either.
	Secret bool `json:"secret,omitempty"`
	// Steps are all that is passed on the way from the root to the path, links
	// and what they lead to included, the path itself last.
	Steps []Step `json:"steps"`
	// Inside is what a directory holds, at any depth.
	Inside []Step `json:"inside,omitempty"`
	// Problem says why Steps or Inside are not whole; empty when they are.
	Problem string `json:"problem,omitempty"`
}

// Step is one file, directory or link.
type Step struct {
	Path string      `json:"path"`
	UID  int         `json:"uid"`
	GID  int         `json:"gid"`
	Mode fs.FileMode `json:"mode"`
	// ACL tells that an access list says more than Mode does.
	ACL bool `json:"acl,omitempty"`
	// Missing tells that there is nothing.
	Missing bool `json:"missing,omitempty"`
}

// Grant is something that sudo or its like allows the agent's account.
type Grant struct {
	// By is "sudo" or "doas"; Where the file and line, or the command, that says so.
	By    string `json:"by"`
	Where string `json:"where"`
	Text  string `json:"text"`
}

// Unknown is something that could not be told.
type Unknown struct {
	What string `json:"what"`
	Cure string `json:"cure"`
}
