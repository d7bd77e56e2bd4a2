package config

import (
	"errors"
	"fmt"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
)

// Boundary names the accounts of this machine that may use the daemon's socket besides the daemon's
// own and root. With agent_accounts every account can reach the socket, and the account at its
// other end decides about permissions. Changes hold from the next start on.
type Boundary struct {
	// AgentAccounts are the accounts of agents, by name or uid: they may have calls checked and
	// nothing else, whichever token they show. Built in: none.
	AgentAccounts []Account `yaml:"agent_accounts"`
	// ApproverAccounts are further accounts with access to the socket, by name or uid; their tokens
	// decide about their permissions. Built in: none.
	ApproverAccounts []Account `yaml:"approver_accounts"`
}

// Account is an account of this machine, in the file its name or its uid.
type Account struct {
	// Name is the spelling in the file.
	Name string
	UID  int
}

// UnmarshalText implements encoding.TextUnmarshaler. A name is looked up when
// the file is loaded.
func (a *Account) UnmarshalText(text []byte) error {
	name := string(text)
	if uid, err := strconv.ParseInt(name, 10, 64); err == nil {
		return a.UnmarshalInteger(uid)
	}
	u, err := user.Lookup(name)
	var unknown user.UnknownUserError
	switch {
	case errors.As(err, &unknown):
		return fmt.Errorf("account %q does not exist on this machine; create it, or use another", name)
	case err != nil:
		return fmt.Errorf("look up account %q: %w", name, err)
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return fmt.Errorf("account %q has no UID: this system does not report which account uses a socket", name)
	}
	*a = Account{Name: name, UID: uid}
	return nil
}

// UnmarshalInteger takes a uid as a number of the file. No account needs to have
// it: in a container the names may be elsewhere.
func (a *Account) UnmarshalInteger(uid int64) error {
	if uid < 0 || uid >= 1<<32-1 { // the last one means "none" to the system
		return fmt.Errorf("%d is not a UID", uid)
	}
	*a = Account{Name: strconv.FormatInt(uid, 10), UID: int(uid)}
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (a Account) MarshalText() ([]byte, error) { return []byte(a.Name), nil }

// boundary refuses settings without effect. It comes after listen.
func (ck *checker) boundary(b *Boundary, listen string) {
	for i, a := range b.AgentAccounts {
		field := fmt.Sprintf("boundary.agent_accounts[%d]", i)
		if a.UID == 0 && a.Name != "" {
			ck.add(field, "%s is root; no boundary can contain root", a.Name)
		}
		if slices.ContainsFunc(b.ApproverAccounts, func(o Account) bool { return o.UID == a.UID }) {
			ck.add(field, "%s is also in approver_accounts; an agent must not be an approver", a.Name)
		}
	}
	if len(b.AgentAccounts)+len(b.ApproverAccounts) == 0 {
		return
	}
	const why = "boundary needs a socket: only there is the account of a connection known"
	switch {
	case len(b.AgentAccounts) == 0:
		ck.add("boundary.approver_accounts", "without agent_accounts only the daemon's own account can use the socket; set agent_accounts too")
	case listen == "" || filepath.Dir(listen) == filepath.Clean(ck.dirs.State):
		ck.add("boundary", "other accounts must be able to enter the socket's directory, but the state directory is private; set listen to another path, such as /run/callgate/callgate.sock")
	case !filepath.IsAbs(listen):
		ck.add("listen", "%s; set it to the path of a socket, such as /run/callgate/callgate.sock", why)
	}
}

// UIDs are the numbers of accounts.
func UIDs(accounts []Account) []int {
	var uids []int
	for _, a := range accounts {
		uids = append(uids, a.UID)
	}
	return uids
}
