// Ratio reads `go test -bench` output on stdin and prints the median of every
// benchmark's figures; with one benchmark named, what share of its time each
// takes; with two, the ratio of their times.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

func main() {
	figures, order, err := read(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, "ratio:", err)
		os.Exit(1)
	}
	for _, name := range order {
		fmt.Printf("%-48s", name)
		for _, unit := range sorted(figures[name]) {
			fmt.Printf(" %12.0f %s", median(figures[name][unit]), unit)
		}
		if share, ok := shareOf(figures, name); ok {
			fmt.Printf(" %6.1f %%", 100*share)
		}
		fmt.Println()
	}
	if len(os.Args) != 3 {
		return
	}
	a, b := figures[os.Args[1]]["ns/op"], figures[os.Args[2]]["ns/op"]
	if len(a) == 0 || len(b) == 0 {
		fmt.Fprintf(os.Stderr, "ratio: no figures for %s or %s\n", os.Args[1], os.Args[2])
		os.Exit(1)
	}
	fmt.Printf("%s / %s = %.2f (median time)\n", os.Args[1], os.Args[2], median(a)/median(b))
}

// shareOf is the benchmark's time over that of the one that is named alone.
func shareOf(figures map[string]map[string][]float64, name string) (share float64, ok bool) {
	if len(os.Args) != 2 {
		return 0, false
	}
	whole, part := figures[os.Args[1]]["ns/op"], figures[name]["ns/op"]
	if len(whole) == 0 || len(part) == 0 {
		return 0, false
	}
	return median(part) / median(whole), true
}

var procs = regexp.MustCompile(`-\d+$`)

// read collects name -> unit -> values. Output that is no benchmark line and
// tells of a failure is passed on.
func read(in io.Reader) (map[string]map[string][]float64, []string, error) {
	figures, order := map[string]map[string][]float64{}, []string(nil)
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			if strings.HasPrefix(lines.Text(), "FAIL") || strings.HasPrefix(lines.Text(), "---") || strings.HasPrefix(lines.Text(), "panic") {
				return nil, nil, fmt.Errorf("the benchmark failed: %s", lines.Text())
			}
			continue
		}
		name := procs.ReplaceAllString(fields[0], "")
		if figures[name] == nil {
			figures[name] = map[string][]float64{}
			order = append(order, name)
		}
		for i := 2; i+1 < len(fields); i += 2 {
			v, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return nil, nil, fmt.Errorf("line %q: %w", lines.Text(), err)
			}
			figures[name][fields[i+1]] = append(figures[name][fields[i+1]], v)
		}
	}
	return figures, order, lines.Err()
}

func sorted(m map[string][]float64) []string {
	units := make([]string, 0, len(m))
	for u := range m {
		units = append(units, u)
	}
	// ns/op first, then the rest by name.
	slices.SortFunc(units, func(a, b string) int {
		if (a == "ns/op") != (b == "ns/op") {
			if a == "ns/op" {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	return units
}

func median(v []float64) float64 {
	v = slices.Clone(v)
	slices.Sort(v)
	return v[len(v)/2]
}
