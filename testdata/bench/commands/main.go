// Commands times check_permissions and match_rule of the bash module on 300
// command lines as agents write them: in the sandbox and, in the same rounds,
// natively, on the same envelopes; and the matching of 10, 100 and 1,000 rules in
// one call. It prints lines as go test -bench does.
//
// Usage: commands [-rounds 15] [-lines commands/lines.txt] bash.wasm
package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/plugins/bash"
	"github.com/callgate/callgate/sdk/go/tool"
)

//go:embed lines.txt
var lines string

func main() {
	n := flag.Int("rounds", 15, "how often each line is judged by each host")
	flag.Parse()
	if flag.NArg() != 1 || *n < 1 {
		fmt.Fprintln(os.Stderr, "usage: commands [-rounds 15] bash.wasm")
		os.Exit(3)
	}
	if err := measure(context.Background(), *n, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "commands:", err)
		os.Exit(1)
	}
}

// world is where the lines run.
var world = tool.Context{
	Agent: "builder", Session: "s-1", User: "ann", CWD: "/home/dev/shop", WorkingDirectories: []string{"/home/dev/shop"}, ProjectRoot: "/home/dev/shop",
	Home: "/home/dev", Kind: "main", Approver: "attached", ActiveSkills: []string{},
}

// envelope is what a verb reads. Source: docs/abi.md.
type envelope struct {
	Tool     string          `json:"tool"`
	Input    json.RawMessage `json:"input"`
	Context  tool.Context    `json:"context"`
	Behavior tool.Behavior   `json:"behavior,omitempty"`
	Rules    []tool.Rule     `json:"rules,omitempty"`
}

// question is one verb with what it reads.
type question struct {
	verb  string
	input []byte
}

// host answers questions.
type host func(question) ([]byte, error)

func measure(ctx context.Context, n int, file string) (err error) {
	wasm, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	r, err := sandbox.New(ctx, sandbox.Config{Limits: sandbox.Limits{Timeout: time.Second, Fuel: 5_000_000_000}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close(ctx)) }()
	module, err := r.Load(ctx, "bash", wasm)
	if err != nil {
		return err
	}
	corpus, err := questions()
	if err != nil {
		return err
	}
	answer := make([]byte, 0, 4096)
	sandboxed := func(q question) ([]byte, error) {
		return module.Append(ctx, answer[:0], sandbox.Request{Export: q.verb, Input: q.input})
	}
	native := func(q question) ([]byte, error) { return tool.Handle(bash.Module, q.verb, q.input) }
	if err := agree(sandboxed, native, corpus); err != nil {
		return err
	}
	if err := both(n, corpus, sandboxed, native); err != nil {
		return err
	}
	return rules(n, sandboxed, native)
}

// both judges every line in both hosts, in turn, so that what disturbs the machine
// disturbs both.
func both(n int, corpus [][]question, sandboxed, native host) error {
	var in, out []time.Duration
	for range n {
		for _, line := range corpus {
			a, err := took(sandboxed, line)
			if err != nil {
				return err
			}
			b, err := took(native, line)
			if err != nil {
				return err
			}
			in, out = append(in, a), append(out, b)
		}
	}
	fmt.Printf("BenchmarkCommands %d %d ns/sandbox %d ns/sandbox-p99 %d ns/native %d ns/native-p99\n", len(in),
		at(in, 0.5), at(in, 0.99), at(out, 0.5), at(out, 0.99))
	return nil
}

// rules matches rule sets of growing size in one call each.
func rules(n int, sandboxed, native host) error {
	for _, size := range []int{10, 100, 1000} {
		q, err := ruleSet(size)
		if err != nil {
			return err
		}
		var in, out []time.Duration
		for range 20 * n {
			a, err := took(sandboxed, []question{q})
			if err != nil {
				return err
			}
			b, err := took(native, []question{q})
			if err != nil {
				return err
			}
			in, out = append(in, a), append(out, b)
		}
		fmt.Printf("BenchmarkRules/%d %d %d ns/sandbox %d ns/native\n", size, len(in), at(in, 0.5), at(out, 0.5))
	}
	return nil
}

func took(h host, asked []question) (time.Duration, error) {
	start := time.Now()
	for _, q := range asked {
		if _, err := h(q); err != nil {
			return 0, fmt.Errorf("%s of %.300s: %w", q.verb, q.input, err)
		}
	}
	return time.Since(start), nil
}

// at is a quantile, in nanoseconds.
func at(took []time.Duration, q float64) int64 {
	took = slices.Clone(took)
	slices.Sort(took)
	return took[int(q*float64(len(took)-1))].Nanoseconds()
}

// agree makes sure that both hosts run the same code.
func agree(a, b host, corpus [][]question) error {
	for _, line := range corpus {
		for _, q := range line {
			x, err := a(q)
			if err != nil {
				return fmt.Errorf("%s of %.300s: %w", q.verb, q.input, err)
			}
			y, err := b(q)
			if err != nil || !bytes.Equal(x, y) {
				return fmt.Errorf("%s of %.300s: the sandbox says %s, natively it is %s, %w: is the module built from this tree?", q.verb, q.input, x, y, err)
			}
		}
	}
	return nil
}

// questions are check_permissions and match_rule for each line, with its targets
// as a host without links resolves them.
func questions() ([][]question, error) {
	rules := ruleTexts(30)
	var all [][]question
	for _, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		if strings.HasPrefix(line, `"`) { // one with line feeds
			if err := json.Unmarshal([]byte(line), &line); err != nil {
				return nil, err
			}
		}
		input, err := json.Marshal(map[string]string{"command": line})
		if err != nil {
			return nil, err
		}
		e := envelope{Tool: "Bash", Input: input, Context: world}
		e.Context.Mode = tool.ModeDefault
		if e.Context.Targets, e.Context.TargetsUnknown, err = targets(e); err != nil {
			return nil, err
		}
		check, err := ask("check_permissions", e)
		if err != nil {
			return nil, err
		}
		e.Context.Mode, e.Behavior, e.Rules = "", tool.Allow, rules
		match, err := ask("match_rule", e)
		if err != nil {
			return nil, err
		}
		all = append(all, []question{check, match})
	}
	return all, nil
}

func ask(verb string, e envelope) (question, error) {
	input, err := json.Marshal(e)
	return question{verb, input}, err
}

func targets(e envelope) ([]tool.Target, bool, error) {
	q, err := ask("describe_call", e)
	if err != nil {
		return nil, false, err
	}
	out, err := tool.Handle(bash.Module, q.verb, q.input)
	if err != nil {
		return nil, false, err
	}
	var d tool.Description
	if err := json.Unmarshal(out, &d); err != nil {
		return nil, false, err
	}
	for i := range d.Targets {
		t := &d.Targets[i]
		if t.Kind != tool.Path {
			continue
		}
		p := t.Value
		switch {
		case p == "~" || strings.HasPrefix(p, "~/"):
			p = world.Home + p[1:]
		case !path.IsAbs(p):
			p = path.Join(world.CWD, p)
		}
		t.Lexical, t.Resolved, t.Exists = path.Clean(p), path.Clean(p), true
		if strings.HasPrefix(t.Lexical+"/", world.CWD+"/") {
			t.Inside = world.CWD
		}
	}
	return d.Targets, d.TargetsUnknown, nil
}

// programs are what rules name: with sub-commands, so that a thousand differ.
var programs = []string{"npm run", "git", "go test", "cargo", "make", "docker compose", "kubectl get", "pnpm", "yarn", "gh pr", "terraform", "python3 -m pytest"}

// ruleTexts are n rules as people keep them: prefixes, exact texts, every tenth a
// glob.
func ruleTexts(n int) []tool.Rule {
	out := make([]tool.Rule, n)
	for i := range out {
		text := fmt.Sprintf("%s task-%d", programs[i%len(programs)], i/len(programs))
		switch {
		case i%10 == 9:
			text += " --env=* --yes"
		case i%3 > 0:
			text += ":*"
		}
		out[i].Content = text
	}
	return out
}

// ruleSet asks for a line that the last of n rules allows.
func ruleSet(n int) (question, error) {
	texts := ruleTexts(n)
	last := strings.TrimSuffix(texts[n-2].Content, ":*")
	input, err := json.Marshal(map[string]string{"command": "cd web && " + last + " && git status --short"})
	if err != nil {
		return question{}, err
	}
	return ask("match_rule", envelope{Tool: "Bash", Input: input, Context: world, Behavior: tool.Allow, Rules: texts})
}
