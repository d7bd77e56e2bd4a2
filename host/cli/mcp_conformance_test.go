package cli

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/testkit/world"
)

// The variables with the conformance suite's program, and the address of a server that runs.
const (
	conformanceVariable       = "CALLGATE_CONFORMANCE"
	conformanceServerVariable = "CALLGATE_CONFORMANCE_SERVER"
)

// TestMCPConformance: the suite says the same about a server with the proxy and without it.
func TestMCPConformance(t *testing.T) {
	suite, server := os.Getenv(conformanceVariable), os.Getenv(conformanceServerVariable)
	if suite == "" || server == "" {
		t.Skipf("%s and %s are not set", conformanceVariable, conformanceServerVariable)
	}
	w := world.New(t, "rules: [{allow: McpServer}, {allow: \"mcp__*\"}]\n")
	w.Serve(nil)
	cmd := exec.Command("callgate", "mcp", "--server", "suite", "--upstream", server, "--listen", "127.0.0.1:0", "--endpoint", w.Dirs.Socket(), "--token-file", tokenfile.Check(w.Dirs.State, tokenfile.DefaultAgent))
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(cmd.Process.Kill(), cmd.Wait()) }) // it ends on purpose
	line, err := bufio.NewReader(said).ReadString('\n')
	proxy := regexp.MustCompile(`at (http://\S+)`).FindStringSubmatch(line)
	if proxy == nil {
		t.Fatalf("the proxy says %q, %v", line, err)
	}
	run := func(url string) string {
		out, err := exec.CommandContext(t.Context(), suite, "server", "--url", url).CombinedOutput()
		if err != nil {
			t.Logf("%v", err) // it also ends so when the server lacks something
		}
		return strings.Join(regexp.MustCompile(`(?m)^(?:[✓✗] .*|Total: .*)$`).FindAllString(string(out), -1), "\n")
	}
	direct, through := run(server), run(proxy[1])
	t.Log(direct)
	if direct == "" || !strings.Contains(direct, "passed") || direct != through {
		t.Errorf("without the proxy:\n%s\nwith it:\n%s", direct, through)
	}
}
