package boundary_test

import (
	"testing"

	"github.com/callgate/callgate/host/internal/machine/boundary"
)

var agent = boundary.Account{Name: "agent", UID: 1001, Groups: []boundary.Group{{GID: 1001, Name: "agent"}, {GID: 100, Name: "users"}}}

func TestT06_Sudoers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"":                              0,
		"root ALL=(ALL:ALL) ALL":        0,
		"%sudo ALL=(ALL:ALL) ALL":       0,
		"agent ALL=(ALL) NOPASSWD: ALL": 1,
		"  agent\tALL=(ALL) ALL":        1,
		"#agent ALL=(ALL) ALL":          0,
		"#1001 ALL=(ALL) ALL":           1,
		"#1002 ALL=(ALL) ALL":           0,
		"%users ALL=(ALL) ALL":          1,
		"%#100 ALL=(ALL) ALL":           1,
		"ALL ALL=(ALL) ALL":             1,
		"ann, agent ALL=(ALL) ALL":      1,
		"ann ,agent ALL=(ALL) ALL":      1,
		"ann,\\\n  agent ALL=(ALL) ALL": 1,
		"ann ALL=(ALL) \\\nagent":       0,
		`"agent" ALL=(ALL) ALL`:         1,
		"User_Alias OPS = ann, agent\nOPS ALL=(root) /bin/systemctl": 1,
		"User_Alias A = B : B = A, agent\nA ALL=ALL":                 1,
		"User_Alias OPS = ann\nOPS ALL=(root) ALL":                   0,
		"User_Alias OPS = !agent\nOPS ALL=(root) ALL":                0,
		"!!agent ALL=ALL":                                1,
		"Defaults:agent !requiretty":                     0,
		"Defaults@ALL env_reset":                         0,
		"Cmnd_Alias ALL_OF = /bin/ls\nroot ALL = ALL_OF": 0,
		"+netgroup ALL=(ALL) ALL":                        1,
		"%:foreign ALL=(ALL) ALL":                        1,
		`DOMAIN\\agent ALL=(ALL) ALL`:                    1,
		"# ann \\\nagent ALL=(ALL) ALL":                  1,
		"root ALL=(ALL) ALL # agent ALL=ALL":             0,
		"agent ALL=(ALL) ALL\nann ALL=ALL\\":             1,
		"@includedir /etc/sudoers.d\n#include /etc/more": 0,
	} {
		if got := boundary.SudoGrants("sudoers", text, agent); len(got) != want {
			t.Errorf("%q: got %v, want %d", text, got, want)
		}
	}
}

func TestT06_Doas(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"permit :wheel":                       0,
		"permit nopass :users":                1,
		"permit persist setenv { A=b } agent": 1,
		"deny agent":                          0,
		"# permit agent":                      0,
		"permit ann as root cmd /bin/ls":      0,
	} {
		if got := boundary.DoasGrants("doas.conf", text, agent); len(got) != want {
			t.Errorf("%q: got %v, want %d", text, got, want)
		}
	}
}

func TestT06_Capabilities(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"none *": 0, "cap_sys_ptrace agent": 1, "cap_net_raw ann": 0, "cap_net_raw *": 1, "cap_net_raw ann @users": 1, "# cap_net_raw agent": 0, "": 0,
	} {
		if got := boundary.LoginCapabilities(text, agent); len(got) != want {
			t.Errorf("%q: got %v, want %d", text, got, want)
		}
	}
	uid, held := boundary.ProcessCapabilities("Name:\tx\nUid:\t1001\t0\t0\t0\nCapPrm:\t0000000000080000\n")
	if uid != 1001 || held != 0x80000 {
		t.Errorf("got %d, %#x; want 1001, 0x80000", uid, held)
	}
}

func TestFindAccount(t *testing.T) {
	t.Parallel()
	const passwd = "root:x:0:0::/root:/bin/sh\nagent:x:1001:1001::/home/agent:/bin/sh\nbad:x:a:b::/:/\n"
	const group = "root:x:0:\nagent:x:1001:\ndocker:x:998:ann,agent\nother:x:5:agents\n"
	for _, name := range []string{"agent", "1001"} {
		a, err := boundary.FindAccount(passwd, group, name)
		if err != nil || a.Name != "agent" || a.UID != 1001 || a.Home != "/home/agent" || len(a.Groups) != 2 || a.Groups[1].Name != "docker" {
			t.Errorf("%s: got %+v, %v", name, a, err)
		}
	}
	if a, err := boundary.FindAccount(passwd, group, "nobody"); err == nil {
		t.Errorf("got %+v, want no account", a)
	}
	if a, err := boundary.FindAccount(passwd, group, "bad"); err == nil {
		t.Errorf("got %+v, want an error", a)
	}
}

func FuzzSudoers(f *testing.F) {
	for _, seed := range []string{"root ALL=(ALL) ALL", "User_Alias A = B : B = A\nA ALL=ALL\\", "#include x", "permit nopass :users", "\"a", "%", "none *"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		boundary.DoasGrants("f", text, agent)
		boundary.LoginCapabilities(text, agent)
		boundary.ProcessCapabilities(text)
		if _, err := boundary.FindAccount(text, text, "agent"); err == nil && len(text) < len("agent:x:0:0:::") {
			t.Errorf("%q: got an account", text)
		}
		before := len(boundary.SudoGrants("f", text, agent))
		// A plain line more, after a line's end, never hides a grant.
		if after := len(boundary.SudoGrants("f", text+"\n\nagent ALL=(ALL) ALL\n", agent)); after != before+1 {
			t.Errorf("%q: got %d grants, want %d", text, after, before+1)
		}
	})
}
