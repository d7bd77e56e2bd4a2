// Package languages compares the SDKs of all languages: the same example, the same cases and
// the same broken modules in each, and the instructions of their documentation pages. It has
// tests alone; missing compilers are reported, and skipped.
package languages

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/callgate/callgate/host/cli"
	"github.com/callgate/callgate/host/internal/testkit/compiledtest"
	"github.com/callgate/callgate/plugins"
)

func TestMain(m *testing.M) {
	testscript.Main(compiledtest.Tests{M: m, Modules: plugins.Modules()}, map[string]func(){"callgate": func() { os.Exit(cli.Main("dev")) }})
}
