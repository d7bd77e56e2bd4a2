package scaffold

import (
	_ "embed" // the versions for the SDK for Go
	"io/fs"
	"path"
	"strings"
)

// The module of the SDK in a project; a test compares both with the go.mod and go.sum of
// Callgate.
var (
	//go:embed files/go.mod.txt
	sdkModule string
	//go:embed files/go.sum.txt
	sdkSums string
)

// goSDK puts the SDK for Go and the two go.mod of a project into files: the project finds the
// SDK in ./callgate, and so needs neither Callgate's repository nor, with the SDK's
// dependencies in Go's cache, a network.
func goSDK(sdk fs.FS, name string, files map[string][]byte) error {
	first, rest, _ := strings.Cut(sdkModule, "\n")
	module := strings.TrimPrefix(first, "module ")
	head, needs, _ := strings.Cut(rest, "require (\n")
	needs = strings.ReplaceAll(strings.TrimSuffix(needs, ")\n"), "\n", " // indirect\n")
	files["go.mod"] = []byte("module example.com/" + name + "\n" + head +
		"require " + module + " v0.0.0\n\nrequire (\n" + needs + ")\n\nreplace " + module + " => ./callgate\n")
	files["go.sum"] = []byte(sdkSums)
	files["callgate/go.mod"], files["callgate/go.sum"] = []byte(sdkModule), []byte(sdkSums)
	for _, dir := range []string{"go/tool", "go/tooltest"} {
		err := fs.WalkDir(sdk, dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || path.Ext(p) != ".go" || strings.HasSuffix(p, "_test.go") {
				return err
			}
			files["callgate/sdk/"+p], err = fs.ReadFile(sdk, p)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
