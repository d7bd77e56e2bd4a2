package program

import (
	"slices"
	"strings"
)

// shieldAsks asks about switching off protections of macOS.
func shieldAsks(u *Use) string {
	for _, w := range u.Args() {
		if strings.Contains(w.Text, "disable") || w.Text == "clear" || strings.HasSuffix(w.Text, "-remove") || strings.HasSuffix(w.Text, "-add") {
			return u.Program + " " + w.Text + " changes a protection of the machine"
		}
	}
	return ""
}

// launchAsks asks about programs started automatically from now on.
func launchAsks(u *Use) string {
	verb := strings.Join(u.Sub[:min(1, len(u.Sub))], "")
	if slices.Contains([]string{"load", "bootstrap", "submit", "enable", "disable", "setenv", "reboot", "config", "asuser", "bsexec"}, verb) {
		return "launchctl " + verb + " changes what runs by itself"
	}
	return ""
}

// goEnvHarmless are settings of go without influence on the programs it runs and the modules it
// fetches.
var goEnvHarmless = []string{"GO111MODULE", "GOOS", "GOARCH", "GOARM", "GOAMD64", "CGO_ENABLED", "GOTELEMETRY", "GOPRIVATE", "GOMAXPROCS", "GOEXPERIMENT"}

// goEnvAsks asks about lasting settings of go.
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
