package cli

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/modules"
)

// verified is the result of `tool verify`.
type verified struct {
	OK       bool              `json:"ok"`
	Lock     string            `json:"lock"`
	Modules  []modules.Verdict `json:"modules"`
	Problems []string          `json:"problems,omitempty"`
}

func toolVerify(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "verify [FILE...]",
		Short: "Verify modules against the lock file",
		Long: `Compares every file in the modules directory with its pinned bytes, and verifies the seal
of every lock entry and every signature with modules.keys of the configuration. It needs
no daemon, but must run as the daemon's account. Exit code 1 when something does not
match.`,
		Example:           "  callgate tool verify\n  callgate tool verify deploy --json",
		ValidArgsFunction: c.completeInstalled(),
		RunE: func(cmd *cobra.Command, args []string) error {
			place, cfg, err := c.lockPlace()
			if err != nil {
				return err
			}
			out := verified{OK: true, Lock: place.Path(), Modules: []modules.Verdict{}}
			var all []modules.Verdict
			all, out.Problems = place.Verify(cfg.Modules.Signatures())
			for _, v := range all {
				if v.State == modules.Unpinned && cfg.Modules.Unpinned() {
					v.Problem = "" // modules.dev loads it
				}
				if len(args) == 0 || slices.ContainsFunc(args, func(a string) bool { return means(a, v.File) }) {
					out.Modules = append(out.Modules, v)
					out.OK = out.OK && v.Problem == ""
				}
			}
			for _, a := range args {
				if !slices.ContainsFunc(all, func(v modules.Verdict) bool { return means(a, v.File) }) {
					return fmt.Errorf("%s is neither in the modules directory nor in its lock; list the modules: callgate tool list", a)
				}
			}
			out.OK = out.OK && len(out.Problems) == 0
			if err := c.print(cmd.OutOrStdout(), out, out.write); err != nil {
				return err
			}
			if !out.OK {
				return exit(exitDeny)
			}
			return nil
		},
	}
}

// means reports whether an argument names a file of the directory of modules.
func means(arg, file string) bool { return arg == file || arg+".wasm" == file }

func (v verified) write(w io.Writer) {
	for _, p := range v.Problems {
		fmt.Fprintln(w, "problem:", card.Line(p))
	}
	if len(v.Modules) == 0 && len(v.Problems) == 0 {
		fmt.Fprintln(w, v.Lock+": no module, and nothing pinned")
		return
	}
	rows := [][]string{{"file", "state", "sha256", "signature"}}
	for _, m := range v.Modules {
		signature := m.Signature
		if m.Key != "" {
			signature += ", by " + m.Key
		}
		rows = append(rows, []string{card.Line(m.File), string(m.State), m.Digest, signature})
	}
	fmt.Fprint(w, table(rows))
	for _, m := range v.Modules {
		if m.Problem != "" {
			fmt.Fprintf(w, "%s: %s\n", card.Line(m.File), card.Line(m.Problem))
		}
	}
}
