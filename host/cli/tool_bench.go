package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/modules/trial"
	"github.com/callgate/callgate/host/internal/toolkit/workbench"
)

// benched are the figures of one module.
type benched struct {
	Module string `json:"module"`
	Name   string `json:"name"`
	Digest string `json:"digest"`
	Size   int    `json:"size"`
	workbench.Start
	sandbox.Footprint
	Verbs []workbench.Speed `json:"verbs"`
}

func toolBench(c *cli) *cobra.Command {
	var file string
	var each time.Duration
	cmd := &cobra.Command{
		Use:   "bench [MODULE]",
		Short: "Measure the speed and start-up cost of a module",
		Long: `Measures the time and fuel of each export on the module's cases, or on its rule examples
if there are no cases; the time to compile it, cold and from the cache; the first call;
and the memory it needs. Fuel is the same on every machine; times are not. A call is
limited to 600,000,000 fuel and one second, unless the operator sets other limits.`,
		Example:           "  callgate tool bench deploy.wasm\n  callgate tool bench deploy.wasm --cases many.yaml --time 5s --json",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeModule,
		RunE: func(cmd *cobra.Command, args []string) error {
			if each < 0 || each > time.Hour {
				return usageError(cmd, fmt.Errorf("--time %s: want 0 to 1h", each))
			}
			path, err := moduleArg(args)
			if err != nil {
				return err
			}
			return withModule(cmd, path, func(b *workbench.Bench, m *workbench.Module) error {
				out, err := benchModule(cmd, b, m, file, each)
				if err != nil {
					return err
				}
				return c.print(cmd.OutOrStdout(), out, out.write)
			})
		},
	}
	cmd.Flags().StringVar(&file, "cases", "", "file of cases to use (default: the one beside the module)")
	cmd.Flags().DurationVar(&each, "time", time.Second, "how long to measure each export")
	return cmd
}

func benchModule(cmd *cobra.Command, b *workbench.Bench, m *workbench.Module, file string, each time.Duration) (*benched, error) {
	calls, err := benchCalls(m, file)
	if err != nil {
		return nil, err
	}
	out := &benched{Module: m.Path, Name: m.Description.Name, Digest: m.Digest, Size: m.Size}
	if out.Start, err = b.Start(cmd.Context(), m, compiler()); err != nil {
		return nil, err
	}
	if out.Footprint, err = m.Footprint(cmd.Context()); err != nil {
		return nil, err
	}
	out.Verbs, err = m.Measure(cmd.Context(), calls, each)
	return out, err
}

// benchCalls are the cases' calls for the module, else those of the rule examples.
func benchCalls(m *workbench.Module, file string) ([]trial.Call, error) {
	all, err := authorCalls(m.Path, file)
	if err != nil {
		return nil, err
	}
	calls := slices.DeleteFunc(slices.Clone(all), func(c trial.Call) bool { return c.Raw != nil }) // it refuses most of those
	switch {
	case len(calls) > 0:
		return calls, nil
	case len(all) > 0 || file != "":
		return nil, errors.New("the file of cases has no case with an input: add one")
	}
	if calls = m.ExampleCalls(); len(calls) == 0 {
		return nil, errors.New("no calls to measure: the module has no rule examples and no cases. Name a file of cases with --cases")
	}
	return calls, nil
}

func (o *benched) write(w io.Writer) {
	cached := "not cached"
	if o.Cached > 0 {
		cached = fmt.Sprintf("%.1f ms", o.Cached)
	}
	fmt.Fprint(w, table([][]string{
		{"module", card.Line(o.Module)},
		{"size", fmt.Sprintf("%d bytes", o.Size)},
		{"compiled in", fmt.Sprintf("%.1f ms", o.Compile)},
		{"from the cache", cached},
		{"first call", fmt.Sprintf("%.1f ms", o.First)},
		{"memory when ready", fmt.Sprintf("%d KiB", o.Snapshot>>10)},
	}))
	rows := [][]string{{"export", "calls/s", "median", "99 of 100", "fuel", "most fuel", "inputs", "bytes"}}
	for _, s := range o.Verbs {
		rows = append(rows, []string{
			s.Verb, fmt.Sprintf("%.0f", s.PerSecond), fmt.Sprintf("%.1f us", s.Median), fmt.Sprintf("%.1f us", s.P99),
			fmt.Sprint(s.Fuel), fmt.Sprint(s.FuelMost), fmt.Sprint(s.Inputs), fmt.Sprint(s.InputBytes),
		})
	}
	fmt.Fprintln(w)
	fmt.Fprint(w, table(rows))
	for _, s := range o.Verbs {
		if s.Failed > 0 {
			fmt.Fprintf(w, "%s gave no answer to %d of its inputs\n", s.Verb, s.Failed)
		}
	}
}
