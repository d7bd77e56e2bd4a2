// Hook times `callgate-hook`, which lies beside callgate, as the client runs it: one process per
// call, started, answered by a running daemon, ended. Beside it, in turn with it,
// run `true` and a hook that only parses its input.
//
// Usage: hook [-runs 200] [-starts 5] path/to/callgate path/to/parsehook
package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	runs := flag.Int("runs", 200, "how often each process is timed")
	starts := flag.Int("starts", 5, "how many daemons are started for the cold figure")
	flag.Parse()
	if flag.NArg() != 2 || *runs < 1 || *starts < 1 {
		fmt.Fprintln(os.Stderr, "usage: hook [-runs 200] [-starts 5] path/to/callgate path/to/parsehook")
		os.Exit(3)
	}
	if err := measure(flag.Arg(0), flag.Arg(1), *runs, *starts); err != nil {
		fmt.Fprintln(os.Stderr, "hook:", err)
		os.Exit(1)
	}
}

const configuration = `
listen: %s
rules:
  - {tool: Bash, content: "npm run:*", behavior: allow}
`

const payload = `{"session_id":"%s","transcript_path":"/tmp/t.jsonl","cwd":"%s","prompt_id":"p1","permission_mode":"default",` +
	`"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"npm run build","description":"Build"},"tool_use_id":"%s"}`

// world is a daemon in a directory of its own.
type world struct {
	binary, program, dir string
	calls                int
}

func measure(binary, parse string, runs, starts int) (err error) {
	w := &world{}
	if w.binary, err = filepath.Abs(binary); err != nil {
		return err
	}
	w.program = w.binary + "-hook" // as installed
	if w.dir, err = os.MkdirTemp("", "callgate-hook-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(w.dir)) }()
	settings := filepath.Join(w.dir, "config", "callgate")
	if err := os.MkdirAll(settings, 0o700); err != nil {
		return err
	}
	text := fmt.Sprintf(configuration, filepath.Join(w.dir, "s"))
	if err := os.WriteFile(filepath.Join(settings, "callgate.yaml"), []byte(text), 0o600); err != nil {
		return err
	}
	var cold []time.Duration
	for i := range starts + 1 {
		err := w.serve(func() error {
			took, err := w.hook()
			if i > 0 { // the first daemon compiles the modules
				cold = append(cold, took)
			}
			if i < starts || err != nil {
				return err
			}
			return w.compare(parse, runs)
		})
		if err != nil {
			return err
		}
	}
	report("callgate hook, the first call of a daemon", cold, 0)
	return nil
}

// compare times the three processes in turn, so that what else the machine does
// falls on all of them.
func (w *world) compare(parse string, runs int) error {
	var nothing, parsing, whole []time.Duration
	for range runs {
		for _, one := range []struct {
			into *[]time.Duration
			run  func() (time.Duration, error)
		}{
			{&nothing, func() (time.Duration, error) { return timed(exec.Command("true"), "", "") }},
			{&parsing, func() (time.Duration, error) { return timed(exec.Command(parse), w.payload(), "") }},
			{&whole, w.hook},
		} {
			took, err := one.run()
			if err != nil {
				return err
			}
			*one.into = append(*one.into, took)
		}
	}
	base := median(nothing)
	report("true", nothing, base)
	report("a hook that only parses", parsing, base)
	report("callgate-hook, allowed by a rule", whole, base)
	fmt.Printf("BenchmarkHook %d %d ns/hook %d ns/parse %d ns/true\n", runs, median(whole), median(parsing), base)
	return nil
}

func (w *world) payload() string {
	w.calls++
	return fmt.Sprintf(payload, "bench", w.dir, fmt.Sprintf("toolu_%d", w.calls))
}

// hook runs one hook process on a call that a rule allows.
func (w *world) hook() (time.Duration, error) {
	cmd := exec.Command(w.program, "hook", "claude-code", "--endpoint", "unix:"+filepath.Join(w.dir, "s"),
		"--token-file", filepath.Join(w.dir, "state", "callgate", "agents", "default.token"), "--timeout", "600s")
	return timed(cmd, w.payload(), `"permissionDecision":"allow"`)
}

// timed runs a process that must succeed and print want.
func timed(cmd *exec.Cmd, in, want string) (time.Duration, error) {
	var out, failed bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(in), &out, &failed
	begin := time.Now()
	err := cmd.Run()
	took := time.Since(begin)
	if err != nil || !strings.Contains(out.String(), want) {
		return took, fmt.Errorf("%s: %v: printed %q, %q", cmd.Args[0], err, out.String(), failed.String())
	}
	return took, nil
}

// serve runs do beside a daemon.
func (w *world) serve(do func() error) (err error) {
	cmd := exec.Command(w.binary, "serve", "--quiet")
	cmd.Env = []string{
		"HOME=" + w.dir, "PATH=" + os.Getenv("PATH"), "XDG_CONFIG_HOME=" + filepath.Join(w.dir, "config"),
		"XDG_STATE_HOME=" + filepath.Join(w.dir, "state"), "XDG_CACHE_HOME=" + filepath.Join(w.dir, "cache"),
	}
	log, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cmd.Process.Signal(os.Interrupt), cmd.Wait()) }()
	lines := bufio.NewScanner(log)
	for said := ""; lines.Scan(); said += lines.Text() + "\n" {
		if strings.Contains(lines.Text(), "msg=serving") {
			go func() { _, _ = io.Copy(io.Discard, log) }() // so that it never waits for us
			return do()
		}
	}
	return errors.New("serve did not start")
}

func median(all []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

func report(name string, all []time.Duration, base time.Duration) {
	sorted := slices.Sorted(slices.Values(all))
	p99 := sorted[min(len(sorted)*99/100, len(sorted)-1)]
	over := ""
	if base > 0 {
		over = fmt.Sprintf("   median over true %+6.1f ms", float64(median(all)-base)/1e6)
	}
	fmt.Printf("%-48s median %6.1f ms   p99 %6.1f ms%s   (%d runs)\n", name, float64(median(all))/1e6, float64(p99)/1e6, over, len(all))
}
