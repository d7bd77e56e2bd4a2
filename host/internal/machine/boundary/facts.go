package boundary

import "io/fs"

// Facts are the known facts about one agent's account and one daemon's. The zero value knows
// nothing.
type Facts struct {
	// Supported reports whether this system's facts can be gathered at all.
	Supported bool `json:"supported"`
	// OS is the system, as runtime.GOOS names it.
	OS string `json:"os"`
	// Agent and Daemon are the two accounts.
	Agent  Account `json:"agent"`
	Daemon Account `json:"daemon"`
	// Approvers are the accounts allowed to answer on this machine.
	Approvers []Account `json:"approvers"`
	// Places are the files needed by the daemon, the hook and the approvers.
	Places []Place `json:"places"`
	// Sockets are services giving root to everybody with write access.
	Sockets []Place `json:"sockets"`
	// Grants are the agent's account's permissions through sudo, doas and their like.
	Grants []Grant `json:"grants"`
	// Capabilities are those of the agent's account or of its processes, one sentence each.
	Capabilities []string `json:"capabilities"`
	// PtraceOpen reports whether a process may look into any other of its account.
	PtraceOpen bool `json:"ptrace_open"`
	// Unknown are the unknown facts, each with a way to learn it.
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

// Place is a path the agent must not change.
type Place struct {
	// Kind is its purpose: "binary", "state", "managed settings", ...
	Kind string `json:"kind"`
	Path string `json:"path"`
	// Secret reports whether the agent must not read it either.
	Secret bool `json:"secret,omitempty"`
	// Steps are all steps from the root to the path, including links and their targets, the path
	// itself last.
	Steps []Step `json:"steps"`
	// Inside is the content of a directory, at any depth.
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
	// ACL reports whether an access list extends Mode.
	ACL bool `json:"acl,omitempty"`
	// Missing reports whether nothing exists there.
	Missing bool `json:"missing,omitempty"`
}

// Grant is a permission of the agent's account through sudo or its like.
type Grant struct {
	// By is "sudo" or "doas"; Where is the file and line, or the command, with the grant.
	By    string `json:"by"`
	Where string `json:"where"`
	Text  string `json:"text"`
}

// Unknown is an unknown fact.
type Unknown struct {
	What string `json:"what"`
	Fix  string `json:"fix"`
}
