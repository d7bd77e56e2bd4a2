package config

import "testing"

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
