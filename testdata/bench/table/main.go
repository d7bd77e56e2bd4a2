// Table reads `go test -bench` lines on stdin and prints the sandbox's figures
// beside the aims of its design, and whether each is met.
//
// Usage: table [-json] < lines
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"
)

// result is one row that was measured, or that should have been.
type result struct {
	Figure  string  `json:"figure"`
	Value   float64 `json:"value"`
	Unit    string  `json:"unit,omitempty"`
	AtLeast float64 `json:"at_least,omitempty"`
	AtMost  float64 `json:"at_most"`
	Status  string  `json:"status"` // met, missed, shown: no aim, or missing: not measured
	Parts   string  `json:"parts,omitempty"`
}

func main() {
	asJSON := flag.Bool("json", false, "print one JSON array")
	flag.Parse()
	figures, err := read(os.Stdin)
	if err == nil {
		results := judge(figures)
		if *asJSON {
			err = json.NewEncoder(os.Stdout).Encode(results)
		} else {
			err = print(os.Stdout, results)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

// figures are the values by "Name/case unit", without the Benchmark before it.
type figures map[string]float64

var procs = regexp.MustCompile(`-\d+$`)

// read collects figures. A failed benchmark is an error: its figures would be
// missing, and what it said lost.
func read(in io.Reader) (figures, error) {
	all := figures{}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, "FAIL") || strings.HasPrefix(line, "--- FAIL") || strings.HasPrefix(line, "panic:") {
			return nil, fmt.Errorf("a benchmark failed: %s", line)
		}
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := procs.ReplaceAllString(strings.TrimPrefix(fields[0], "Benchmark"), "")
		for i := 2; i+1 < len(fields); i += 2 {
			v, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return nil, fmt.Errorf("line %q: %w", line, err)
			}
			all[name+" "+fields[i+1]] = v
		}
	}
	return all, lines.Err()
}

func judge(f figures) []result {
	var results []result
	for _, a := range aims {
		r := result{Figure: a.figure, Unit: a.unit, AtLeast: a.atLeast, AtMost: a.atMost, Status: "missing"}
		if value, parts, ok := a.measured(f); ok {
			r.Value, r.Parts, r.Status = value, parts, "met"
			if a.free {
				r.Status = "shown"
			} else if a.atLeast > 0 && value < a.atLeast || a.atLeast == 0 && value > a.atMost {
				r.Status = "missed"
			}
		}
		results = append(results, r)
	}
	return results
}

func print(out io.Writer, results []result) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "figure\tmeasured\taim\t\tfrom")
	for _, r := range results {
		measured, aim := number(r.Value)+" "+r.Unit, "at most "+number(r.AtMost)
		if r.AtLeast > 0 {
			aim = "at least " + number(r.AtLeast)
		}
		switch r.Status {
		case "missing":
			measured = "-"
		case "shown":
			aim = "-"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", r.Figure, measured, aim, r.Status, r.Parts)
	}
	return w.Flush()
}

// number has three significant digits, and all before the point.
func number(v float64) string {
	switch {
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}
