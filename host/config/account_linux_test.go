package config

import (
	"strings"
	"testing"
)

func TestHomeIn(t *testing.T) {
	t.Parallel()
	const list = "root:x:0:0:root:/root:/bin/sh\n#dev:x:7:7::/commented:/bin/sh\n\ndev:x:1000:1000:a, b:/home/dev:/bin/sh\n" +
		"twin:x:1000:1000::/home/twin:/bin/sh\nshort:x:9:/home/short\n+::::::\n"
	for uid, want := range map[int]string{0: "/root", 1000: "/home/dev", 7: "", 9: "", 1: "", -1: ""} {
		got, err := homeIn(strings.NewReader(list), uid)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("user %d: got %q, %v, want %q", uid, got, err, want)
		}
	}
}

// TestT07_AccountDirsIgnoreTheEnvironment: the project's environment does not
// choose the daemon.
func TestT07_AccountDirsIgnoreTheEnvironment(t *testing.T) {
	want, err := AccountDirs()
	if err != nil {
		t.Skipf("SKIPPED: this account is not in the list: %v", err)
	}
	for _, name := range []string{"HOME", "USER", "LOGNAME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"} {
		t.Setenv(name, t.TempDir())
	}
	if got, err := AccountDirs(); err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}
