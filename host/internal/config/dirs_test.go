package config

import "testing"

func TestDirsOf(t *testing.T) {
	t.Parallel()
	env := map[string]string{"XDG_CONFIG_HOME": "/x/../c", "XDG_STATE_HOME": "relative", "XDG_CACHE_HOME": ""}
	got, err := dirsOf("/home/dev", func(k string) string { return env[k] })
	want := Dirs{Home: "/home/dev", Config: "/c/callgate", State: "/home/dev/.local/state/callgate", Cache: "/home/dev/.cache/callgate"}
	if err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if got.ConfigFile() != "/c/callgate/callgate.yaml" {
		t.Errorf("got file %s", got.ConfigFile())
	}
	if _, err := dirsOf("home", func(string) string { return "" }); err == nil {
		t.Error("a relative home: got no error")
	}
}
