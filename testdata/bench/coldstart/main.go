// Coldstart times `callgate serve` from its start to its first decision, as a
// client sees it: with nothing compiled yet (the first run on a machine), and
// with the compiled modules of an earlier run.
//
// Usage: coldstart [-runs 5] path/to/callgate
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	runs := flag.Int("runs", 5, "how often each is timed; the median counts")
	flag.Parse()
	if flag.NArg() != 1 || *runs < 1 {
		fmt.Fprintln(os.Stderr, "usage: coldstart [-runs 5] path/to/callgate")
		os.Exit(3)
	}
	if err := measure(flag.Arg(0), *runs); err != nil {
		fmt.Fprintln(os.Stderr, "coldstart:", err)
		os.Exit(1)
	}
}

func measure(binary string, runs int) error {
	binary, err := filepath.Abs(binary)
	if err != nil {
		return err
	}
	var first, later []took
	for range runs {
		cold, warm, err := pair(binary)
		if err != nil {
			return err
		}
		first, later = append(first, cold), append(later, warm)
	}
	report("first run (nothing compiled)", first)
	report("later runs (compiled modules cached)", later)
	slices.SortFunc(first, func(a, b took) int { return cmp.Compare(a.wall, b.wall) })
	fmt.Printf("BenchmarkColdstart %d %d ns/wall\n", runs, first[len(first)/2].wall.Nanoseconds())
	slices.SortFunc(later, func(a, b took) int { return cmp.Compare(a.memory, b.memory) })
	if kib := later[len(later)/2].memory; kib > 0 {
		fmt.Printf("BenchmarkIdle %d %d KiB/private\n", runs, kib)
	}
	slices.SortFunc(later, func(a, b took) int { return cmp.Compare(a.cpu, b.cpu) })
	if cpu := later[len(later)/2].cpu; cpu > 0 { // for the sandbox's table
		fmt.Printf("BenchmarkWarmstart %d %d ns/cpu\n", runs, cpu.Nanoseconds())
	}
	return nil
}

// took is the cost of one start up to its first decision: time, the processors' time in the
// program and for it in the system, and its private memory when idle after that, in KiB.
type took struct {
	wall, cpu time.Duration
	memory    int
}

func report(name string, all []took) {
	var wall, cpu []time.Duration
	for _, t := range all {
		wall, cpu = append(wall, t.wall), append(cpu, t.cpu)
	}
	line := func(what string, d []time.Duration) {
		slices.Sort(d)
		fmt.Printf("%-40s %-5s median %8s   fastest %8s   slowest %8s   (%d runs)\n", name, what,
			d[len(d)/2].Round(time.Millisecond), d[0].Round(time.Millisecond), d[len(d)-1].Round(time.Millisecond), len(d))
	}
	line("time", wall)
	if cpu[0] > 0 {
		line("CPU", cpu)
	}
}

const configuration = `
listen: %s
rules:
  - {tool: Bash, content: "npm run:*", behavior: allow}
`

// pair starts a daemon twice in directories of its own: the first time with an
// empty cache.
func pair(binary string) (cold, warm took, err error) {
	dir, err := os.MkdirTemp("", "callgate-coldstart-")
	if err != nil {
		return cold, warm, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	settings := filepath.Join(dir, "config", "callgate")
	if err := os.MkdirAll(settings, 0o700); err != nil {
		return cold, warm, err
	}
	text := fmt.Sprintf(configuration, filepath.Join(dir, "s"))
	if err := os.WriteFile(filepath.Join(settings, "callgate.yaml"), []byte(text), 0o600); err != nil {
		return cold, warm, err
	}
	if cold, err = start(binary, dir); err != nil {
		return cold, warm, err
	}
	warm, err = start(binary, dir)
	return cold, warm, err
}

// patience bounds one start; compiling takes a few seconds of a free processor.
const patience = 3 * time.Minute

// settle is how long a daemon is idle before its memory counts: it gives unused memory back when
// it is quiet.
const settle = 8 * time.Second

// start times one daemon until it has decided a call, and ends it.
func start(binary, dir string) (t took, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "serve", "--quiet")
	cmd.Env = []string{
		"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "XDG_CONFIG_HOME=" + filepath.Join(dir, "config"),
		"XDG_STATE_HOME=" + filepath.Join(dir, "state"), "XDG_CACHE_HOME=" + filepath.Join(dir, "cache"),
	}
	log, err := cmd.StderrPipe()
	if err != nil {
		return t, err
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return t, err
	}
	defer func() {
		if kerr := cmd.Process.Signal(os.Interrupt); kerr != nil {
			err = errors.Join(err, kerr)
		}
		if werr := cmd.Wait(); err == nil && werr != nil {
			err = fmt.Errorf("serve ended with %w", werr)
		}
	}()
	said, err := awaitLine(log, "msg=serving")
	if err != nil {
		return t, fmt.Errorf("serve did not start: %w\n%s", err, said)
	}
	go func() { _, _ = io.Copy(io.Discard, log) }() // so that it never waits for us
	if err := decide(ctx, dir); err != nil {
		return t, err
	}
	t.wall = time.Since(begin)
	if t.cpu, err = processorTime(cmd.Process.Pid); err != nil {
		return t, err
	}
	time.Sleep(settle)
	t.memory, err = privateMemory(cmd.Process.Pid)
	return t, err
}

// awaitLine reads up to the line with the text, and returns what came before.
func awaitLine(in io.Reader, text string) (said string, err error) {
	r := bufio.NewReader(in)
	for {
		line, err := r.ReadString('\n')
		if said += line; strings.Contains(line, text) {
			return said, nil
		}
		if err != nil {
			return said, err
		}
	}
}

// decide has `npm run build` checked, and wants it allowed.
func decide(ctx context.Context, dir string) error {
	token, err := os.ReadFile(filepath.Join(dir, "state", "callgate", "agents", "default.token"))
	if err != nil {
		return err
	}
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(dir, "s"))
	}}}
	defer client.CloseIdleConnections()
	body := []byte(`{"tool": "Bash", "input": {"command": "npm run build"}, "context": {"session": "s", "cwd": "/"}}`)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://callgate/v1/check", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // read to its end
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	var got struct {
		Decision struct {
			Behavior string `json:"behavior"`
		} `json:"decision"`
	}
	if err := json.Unmarshal(answer, &got); err != nil || got.Decision.Behavior != "allow" {
		return fmt.Errorf("the first decision: got status %d, %s, want allow", resp.StatusCode, answer)
	}
	return nil
}
