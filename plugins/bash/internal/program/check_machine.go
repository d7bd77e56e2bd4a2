package program

import (
	"slices"
	"strings"
)

// shieldAsks asks about the protections of macOS that go away.
func shieldAsks(u *Use) string {
	for _, w := range u.Args() {
		if strings.Contains(w.Text, "disable") || w.Text == "clear" || strings.HasSuffix(w.Text, "-remove") || strings.HasSuffix(w.Text, "-add") {
			return u.Program + " " + w.Text + " changes a protection of the machine"
		}
	}
	return ""
}

// launchAsks asks about what runs by itself from now on.
func launchAsks(u *Use) string {
	verb := strings.Join(u.Sub[:min(1, len(u.Sub))], "")
	if slices.Contains([]string{"load", "bootstrap", "submit", "enable", "disable", "setenv", "reboot", "config", "asuser", "bsexec"}, verb) {
		return "launchctl " + verb + " changes what runs by itself"
	}
	return ""
}

// goEnvHarmless are settings of go by which nothing else is run or fetched than
// without them.
var goEnvHarmless = []string{"GO111MODULE", "GOOS", "GOARCH", "GOARM", "GOAMD64", "CGO_ENABLED", "GOTELEMETRY", "GOPRIVATE", "GOMAXPROCS", "GOEXPERIMENT"}

// goEnvAsks asks about settings of go that hold from now on.
func goEnvAsks(u *Use) string {
	if !u.Has("-w", "-u") {
		return ""
	}
	for _, o := range u.Operands {
		if key, _, _ := strings.Cut(o.Text, "="); !slices.Contains(goEnvHarmless, key) {
			return "go env -w " + key + " may change what is run or where it is fetched"
		}
	}
	return ""
}
