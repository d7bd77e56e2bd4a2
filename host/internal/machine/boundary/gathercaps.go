package boundary

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// capabilities finds the capabilities Linux gives the agent's account at login, and those of its
// present processes.
func (g gatherer) capabilities() {
	if g.sys.OS() != "linux" {
		return
	}
	if text, ok := g.read("/etc/security/capability.conf"); ok {
		g.f.Capabilities = append(g.f.Capabilities, loginCapabilities(text, g.f.Agent)...)
	}
	if g.sys.Live() && g.f.Agent.UID != 0 {
		g.processes()
	}
}

// loginCapabilities reads pam_cap's capability.conf(5).
func loginCapabilities(text string, a Account) []string {
	var found []string
	for number, line := range logicalLines(text) {
		words := strings.Fields(line)
		if len(words) < 2 || words[0] == "none" {
			continue
		}
		for _, who := range words[1:] {
			group, isGroup := strings.CutPrefix(who, "@")
			inGroup := isGroup && slices.ContainsFunc(a.Groups, func(of Group) bool { return of.Name == group })
			if who == "*" || who == a.Name || inGroup {
				found = append(found, fmt.Sprintf("%s gets %s at login (/etc/security/capability.conf:%d)", a.Name, words[0], number))
				break
			}
		}
	}
	return found
}

// processes finds processes of the agent's account with capabilities. Those in another user
// namespace have no power over this one.
func (g gatherer) processes() {
	names, err := g.sys.ReadDir("/proc")
	if err != nil {
		g.unknown("which processes run: "+err.Error(), "mount /proc")
		return
	}
	ours, err := g.sys.Readlink("/proc/self/ns/user")
	for _, pid := range names {
		if _, notPID := strconv.Atoi(pid); notPID != nil {
			continue
		}
		text, readErr := g.sys.ReadFile("/proc/" + pid + "/status")
		if readErr != nil {
			continue // it has ended
		}
		uid, held := processCapabilities(string(text))
		if uid != g.f.Agent.UID || held == 0 {
			continue
		}
		if theirs, nsErr := g.sys.Readlink("/proc/" + pid + "/ns/user"); err == nil && nsErr == nil && theirs != ours {
			continue
		}
		g.f.Capabilities = append(g.f.Capabilities, fmt.Sprintf("process %s of %s holds capabilities (%#x)", pid, g.f.Agent.Name, held))
	}
}

// processCapabilities reads /proc/PID/status: the real uid, and the permitted capabilities. A text
// without them has no owner.
func processCapabilities(status string) (uid int, held uint64) {
	uid = -1
	for line := range strings.Lines(status) {
		key, value, _ := strings.Cut(line, ":")
		fields := strings.Fields(value)
		if len(fields) == 0 {
			continue
		}
		switch key {
		case "Uid":
			if n, err := strconv.Atoi(fields[0]); err == nil {
				uid = n
			}
		case "CapPrm":
			if n, err := strconv.ParseUint(fields[0], 16, 64); err == nil {
				held = n
			}
		}
	}
	return uid, held
}
