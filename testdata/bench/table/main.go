// Table reads `go test -bench` lines on stdin and prints the figures beside their aims,
// whether each is met, and each figure's ratio to the recorded one. Of several lines of
// one benchmark the median counts. Failed benchmarks come after the table.
//
// Usage: table [-json] [-measured] [-recorded FILE] < lines
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// result is one row that was measured, or that should have been.
type result struct {
	Figure  string  `json:"figure"`
	Of      string  `json:"of"`
	Value   float64 `json:"value"`
	Unit    string  `json:"unit,omitempty"`
	AtLeast float64 `json:"at_least,omitempty"`
	AtMost  float64 `json:"at_most"`
	Status  string  `json:"status"` // met, missed, shown: no aim, or missing: not measured
	Parts   string  `json:"parts,omitempty"`
	// recorded is the value over the recorded one; 0 without one.
	recorded float64
	free     bool // it has no aim
}

// compare fills in each result's ratio to the one that is recorded in a file.
func compare(results []result, file string) error {
	if file == "" {
		return nil
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var before []result
	if err == nil {
		err = json.Unmarshal(text, &before)
	}
	if err != nil {
		return err
	}
	for i := range results {
		r := &results[i]
		of := slices.IndexFunc(before, func(b result) bool { return b.key() == r.key() && b.Value > 0 })
		if of >= 0 {
			r.recorded = r.Value / before[of].Value
		}
	}
	return nil
}

// key names a result: figures with the same words differ in what they are measured of.
func (r result) key() string { return r.Figure + " " + r.Of }

func main() {
	asJSON := flag.Bool("json", false, "print one JSON array")
	measured := flag.Bool("measured", false, "leave out what was not measured")
	recorded := flag.String("recorded", "", "a file of -json, to compare with")
	flag.Parse()
	figures, failed, err := read(os.Stdin)
	if err == nil {
		results := judge(figures)
		if *measured {
			results = slices.DeleteFunc(results, func(r result) bool { return r.Status == "missing" })
		}
		if *asJSON {
			enc := json.NewEncoder(os.Stdout)
			enc.SetIndent("", " ")
			err = enc.Encode(results)
		} else if err = compare(results, *recorded); err == nil {
			err = print(os.Stdout, results)
		}
	}
	if err == nil && len(failed) > 0 {
		err = fmt.Errorf("benchmarks failed:\n%s", strings.Join(failed, "\n"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

// figures are the values by "Name/case unit", without the Benchmark before it.
type figures map[string]float64

var procs = regexp.MustCompile(`-\d+$`)

// read collects figures, and what failed benchmarks said.
func read(in io.Reader) (medians figures, failed []string, err error) {
	all := map[string][]float64{}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, "FAIL") || strings.HasPrefix(line, "--- FAIL") || strings.HasPrefix(line, "panic:") {
			failed = append(failed, line)
		}
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := procs.ReplaceAllString(strings.TrimPrefix(fields[0], "Benchmark"), "")
		for i := 2; i+1 < len(fields); i += 2 {
			v, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return nil, nil, fmt.Errorf("line %q: %w", line, err)
			}
			all[name+" "+fields[i+1]] = append(all[name+" "+fields[i+1]], v)
		}
	}
	medians = figures{}
	for name, values := range all {
		slices.Sort(values)
		medians[name] = values[len(values)/2]
	}
	return medians, failed, lines.Err()
}

func judge(f figures) []result {
	var results []result
	for _, a := range aims {
		r := result{Figure: a.figure, Of: a.of, Unit: a.unit, AtLeast: a.atLeast, AtMost: a.atMost, Status: "missing", free: a.free}
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
	fmt.Fprintln(w, "figure\tmeasured\taim\t\tagainst recorded\tfrom")
	for _, r := range results {
		measured, aim := number(r.Value)+" "+r.Unit, "at most "+number(r.AtMost)
		if r.AtLeast > 0 {
			aim = "at least " + number(r.AtLeast)
		}
		switch r.Status {
		case "missing":
			measured = "-"
		}
		if r.free {
			aim = "-"
		}
		against := "-"
		if r.recorded > 0 {
			against = number(r.recorded)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", r.Figure, measured, aim, r.Status, against, r.Parts)
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
