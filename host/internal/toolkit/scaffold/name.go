package scaffold

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// maxName is the length of a project's name, in bytes: that of a module's name in the ABI.
const maxName = 64

var projectName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// checkName says why a project cannot have the name. taken are the names of tools reserved from
// modules of third parties, in any case of letters.
func checkName(name string, taken []string) error {
	const want = "want lower-case letters, digits and single dashes between them, beginning with a letter, such as deploy or cloud-deploy"
	switch {
	case name == "":
		return errors.New("no name: " + want)
	case len(name) > maxName:
		return fmt.Errorf("name %q is longer than %d characters", name[:20]+"...", maxName)
	case !projectName.MatchString(name):
		return fmt.Errorf("name %q: %s", name, want)
	}
	if name == "callgate" {
		return fmt.Errorf("name %q: the SDK's own files have that name; choose another", name)
	}
	tool := ToolName(name)
	if i := slices.IndexFunc(taken, func(n string) bool { return strings.EqualFold(n, tool) || strings.EqualFold(n, name) }); i >= 0 {
		return fmt.Errorf("name %q: the tool %s is Callgate's own, and no other module may answer for it; choose another name", name, taken[i])
	}
	return nil
}

// ToolName is the name of a new project's tool: the project's name in CamelCase, such as
// CloudDeploy for cloud-deploy.
func ToolName(name string) string {
	var out strings.Builder
	for word := range strings.SplitSeq(name, "-") {
		if word != "" {
			out.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return out.String()
}
