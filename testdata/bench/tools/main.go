// Tools prints what the same tool module costs in each language: size, time to
// compile, time and fuel of a call, and each beside the first module.
//
//	tools [-time 1s] [-json] CALLGATE CASES NAME=FILE.wasm...
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// module is what `callgate tool bench --json` prints of one.
type module struct {
	Name    string  `json:"language"`
	Size    float64 `json:"size"`
	Compile float64 `json:"compile_milliseconds"`
	Cached  float64 `json:"cached_milliseconds"`
	First   float64 `json:"first_call_milliseconds"`
	Memory  float64 `json:"snapshot_bytes"`
	Verbs   []struct {
		Verb   string  `json:"verb"`
		Median float64 `json:"median_microseconds"`
		P99    float64 `json:"p99_microseconds"`
		Fuel   float64 `json:"fuel"`
	} `json:"verbs"`
}

func main() {
	each := flag.String("time", "1s", "how long to measure each export")
	asJSON := flag.Bool("json", false, "print JSON")
	flag.Parse()
	if err := run(*each, *asJSON, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "tools:", err)
		os.Exit(1)
	}
}

func run(each string, asJSON bool, args []string) error {
	if len(args) < 3 {
		return errors.New("want CALLGATE CASES NAME=FILE.wasm...")
	}
	var all []module
	for _, arg := range args[2:] {
		name, file, ok := strings.Cut(arg, "=")
		if !ok {
			return fmt.Errorf("%s: want NAME=FILE.wasm", arg)
		}
		m, err := bench(args[0], args[1], file, each)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		m.Name = name
		all = append(all, m)
	}
	if asJSON {
		return json.NewEncoder(os.Stdout).Encode(all)
	}
	print(os.Stdout, all)
	return nil
}

func bench(callgate, cases, file, each string) (m module, err error) {
	cmd := exec.Command(callgate, "tool", "bench", file, "--cases", cases, "--time", each, "--json")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(out, &m)
}

// of returns a figure of one export: its median time or its fuel.
func (m module) of(verb string, fuel bool) float64 {
	for _, v := range m.Verbs {
		switch {
		case v.Verb == verb && fuel:
			return v.Fuel
		case v.Verb == verb:
			return v.Median
		}
	}
	return 0
}

func print(w io.Writer, all []module) {
	columns := []struct {
		head, unit string
		of         func(module) float64
	}{
		{"size", "KiB", func(m module) float64 { return m.Size / 1024 }},
		{"compile", "ms", func(m module) float64 { return m.Compile }},
		{"cached", "ms", func(m module) float64 { return m.Cached }},
		{"first", "ms", func(m module) float64 { return m.First }},
		{"memory", "KiB", func(m module) float64 { return m.Memory / 1024 }},
		{"check", "us", func(m module) float64 { return m.of("check_permissions", false) }},
		{"match", "us", func(m module) float64 { return m.of("match_rule", false) }},
		{"check fuel", "k", func(m module) float64 { return m.of("check_permissions", true) / 1000 }},
		{"match fuel", "k", func(m module) float64 { return m.of("match_rule", true) / 1000 }},
	}
	fmt.Fprintf(w, "%-16s", "language")
	for _, c := range columns {
		fmt.Fprintf(w, "%20s", c.head+" "+c.unit)
	}
	fmt.Fprintln(w)
	for _, m := range all {
		fmt.Fprintf(w, "%-16s", m.Name)
		for _, c := range columns {
			cell := fmt.Sprintf("%.1f", c.of(m))
			if first := c.of(all[0]); first > 0 {
				cell += fmt.Sprintf(" (%.1fx)", c.of(m)/first)
			}
			fmt.Fprintf(w, "%20s", cell)
		}
		fmt.Fprintln(w)
	}
}
