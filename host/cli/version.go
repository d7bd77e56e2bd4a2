package cli

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/plugins"
)

type versionInfo struct {
	Version string   `json:"version"`
	Go      string   `json:"go"`
	System  string   `json:"system"`
	Modules []string `json:"modules"`
}

func versionCommand(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		GroupID: "setup",
		Short:   "Show the version and the built-in tool modules",
		Example: "  callgate version --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v := versionInfo{Version: version, Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH, Modules: append([]string{}, plugins.Names()...)}
			return c.print(cmd.OutOrStdout(), v, func(w io.Writer) {
				fmt.Fprintf(w, "callgate %s (%s, %s)\n", v.Version, v.Go, v.System)
				if len(v.Modules) == 0 {
					fmt.Fprintln(w, "no tool modules in this build; build it with: make build")
				}
				for _, m := range v.Modules {
					fmt.Fprintln(w, "  module", m)
				}
			})
		},
	}
}
