package boundary

import (
	"fmt"
	"io/fs"
)

// places finds the places the agent, or anybody, could change or read.
func places(f Facts) []Finding {
	j := judge{f: f}
	for _, p := range f.Places {
		j.place(p)
	}
	return j.found
}

// judge gathers findings about places, each path once.
type judge struct {
	f     Facts
	found []Finding
	said  map[string]bool
}

func (j *judge) add(code string, breaks Level, path, what, fix string) {
	if j.said == nil {
		j.said = map[string]bool{}
	}
	if key := code + "\x00" + path; !j.said[key] {
		j.said[key] = true
		j.found = append(j.found, Finding{code, breaks, what, fix})
	}
}

func (j *judge) place(p Place) {
	if p.Problem != "" || len(p.Steps) == 0 {
		j.add("unknown", B, p.Path, fmt.Sprintf("cannot check who may write %s (%s): %s", p.Path, p.Kind, p.Problem), "run as root, or make it readable")
		return
	}
	for i, s := range p.Steps {
		next := Step{Missing: true}
		if i+1 < len(p.Steps) {
			next = p.Steps[i+1]
		}
		j.step(p, s, next)
	}
	for _, s := range p.Inside {
		j.step(p, s, Step{Missing: true})
	}
	agent := j.f.Agent
	if p.Secret && agent.UID != j.f.Daemon.UID && reaches(agent, p.Steps, mayRead) {
		j.add("readable", B, p.Path, fmt.Sprintf("%s can read %s (%s)", agent.Name, p.Path, p.Kind), "chmod go-rwx "+p.Path)
	}
}

// step judges one file or directory on the way to p; next is the following step.
func (j *judge) step(p Place, s, next Step) {
	if s.Missing {
		return // an account with write access to the directory may make it: judged there
	}
	agent := j.f.Agent
	where := fmt.Sprintf("%s (%s)", s.Path, p.Kind)
	switch {
	case s.UID == agent.UID && agent.UID != j.f.Daemon.UID:
		j.add("owned", B, s.Path, fmt.Sprintf("%s owns %s", agent.Name, where), fmt.Sprintf("chown -h root %s, or store it elsewhere", s.Path))
	case !j.trusted(s.UID):
		j.add("foreign", A, s.Path, fmt.Sprintf("%s belongs to uid %d, which is neither root, the daemon nor an approver", where, s.UID), "chown -h root "+s.Path)
	}
	if s.Mode&fs.ModeSymlink != 0 {
		return // a link's mode says nothing
	}
	if s.ACL {
		j.add("access_list", B, s.Path, where+" has an access list, which Callgate does not read", noACL(j.f.OS, s.Path))
	}
	if sheltered(s, next) {
		return
	}
	switch {
	case s.Mode.Perm()&0o002 != 0:
		j.add("writable", A, s.Path, "any account can write "+where, "chmod o-w "+s.Path)
	case s.UID != agent.UID && mayWrite(agent, s):
		j.add("writable", B, s.Path, fmt.Sprintf("%s can write %s through group %d", agent.Name, where, s.GID), "chmod g-w "+s.Path)
	}
}

// trusted reports whether an account may own a place.
func (j *judge) trusted(uid int) bool {
	if uid == 0 || uid == j.f.Daemon.UID || uid == j.f.Agent.UID {
		return true // the agent's own is another finding
	}
	for _, a := range j.f.Approvers {
		if uid == a.UID {
			return true
		}
	}
	return false
}

// sheltered reports whether s lies in a sticky directory: there only its owner can rename or remove
// a file, so an existing one is as safe as its own owner and mode.
func sheltered(s, next Step) bool {
	return s.Mode.IsDir() && s.Mode&fs.ModeSticky != 0 && !next.Missing
}

func noACL(os, path string) string {
	if os == "darwin" {
		return "chmod -N " + path
	}
	return "setfacl -b " + path
}

// mayWrite reports whether the account can change s. An owner can, with any mode. Where the system
// would look at the group's bits alone, those of others count as well: the stricter reading.
func mayWrite(a Account, s Step) bool { return may(a, s, 0o2) || a.UID == s.UID }

func mayRead(a Account, s Step) bool { return may(a, s, 0o4) || a.UID == s.UID }

func may(a Account, s Step, bit fs.FileMode) bool {
	perm := s.Mode.Perm()
	return a.UID == 0 || s.ACL || perm&bit != 0 || a.in(s.GID) && perm&(bit<<3) != 0 || a.UID == s.UID && perm&(bit<<6) != 0
}

// reaches reports whether the account gets through all steps and has the wanted permission on the
// last one.
func reaches(a Account, steps []Step, last func(Account, Step) bool) bool {
	for i, s := range steps {
		switch {
		case s.Missing:
			return false
		case s.Mode&fs.ModeSymlink != 0:
		case i < len(steps)-1 && s.Mode.IsDir() && !may(a, s, 0o1):
			return false
		case i == len(steps)-1 && !last(a, s):
			return false
		}
	}
	return len(steps) > 0
}
