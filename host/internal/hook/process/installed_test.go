package process

import (
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/hook/settings"
)

func TestInstalled(t *testing.T) {
	t.Parallel()
	uid := 7
	entry := settings.Entry{Binary: "/usr/bin/callgate", Endpoint: "unix:/run/s", TokenFile: "/run/t", Timeout: time.Hour, DaemonUID: &uid}
	got, ok := installed(append([]string{entry.Binary}, entry.Args()...))
	if want := (command{client: "claude-code", endpoint: "unix:/run/s", tokenFile: "/run/t", timeout: time.Hour, daemonUID: 7}); !ok || got != want {
		t.Errorf("as it is installed: got %+v, %t, want %+v", got, ok, want)
	}
	good := []string{"callgate", "hook", "claude-code", "--endpoint", "unix:/run/s", "--token-file", "/run/t"}
	if _, ok := installed(good); !ok {
		t.Error("without a time-out: not taken")
	}
	for name, args := range map[string][]string{
		"nothing":         {"callgate"},
		"another command": {"callgate", "serve"},
		"no client":       {"callgate", "hook"},
		"no flags":        good[:3],
		"no token file":   good[:5],
		"a flag alone":    append(good[:len(good):len(good)], "--install"),
		"help":            append(good[:len(good):len(good)], "--help", "--timeout"),
		"a flag twice":    append(good[:len(good):len(good)], "--endpoint", "unix:/run/u"),
		"a bad time":      append(good[:len(good):len(good)], "--timeout", "soon"),
		"a bad account":   append(good[:len(good):len(good)], "--daemon-uid", "x"),
		"with =":          append(good[:len(good):len(good)], "--timeout=3s"),
		"an empty value":  append(good[:5:5], "--token-file", ""),
		"a flag before":   append([]string{"callgate", "--config", "/x"}, good[1:]...),
	} {
		if got, ok := installed(args); ok {
			t.Errorf("%s: got %+v, want it left to the command", name, got)
		}
	}
}
