package recipe

import (
	"embed"
	"fmt"
	"path"
	"strings"
)

//go:embed recipes/*.yaml
var files embed.FS

// order is how recipes are listed: AgentScope's three, then by how often they fit.
var order = []string{
	"explore", "unattended", "bypass-guarded", "team-default", "developer", "node-project", "go-project", "python-project", "review",
}

// Recipe is one set of settings.
type Recipe struct {
	// Name is the recipe's name on the command line.
	Name string
	// Title is a few words, Description the sentences after it.
	Title       string
	Description string
	// body is an agent's block, without the description.
	body string
}

// All returns the recipes in the order of their listing.
func All() []Recipe {
	out := make([]Recipe, 0, len(order))
	for _, name := range order {
		out = append(out, read(name))
	}
	return out
}

// Find returns the named recipe; the error lists all names.
func Find(name string) (Recipe, error) {
	for _, known := range order {
		if name == known {
			return read(name), nil
		}
	}
	return Recipe{}, fmt.Errorf("unknown recipe %q: want one of %s", name, strings.Join(order, ", "))
}

func read(name string) Recipe {
	data, err := files.ReadFile(path.Join("recipes", name+".yaml"))
	if err != nil {
		panic(fmt.Sprintf("recipe: %v", err)) // order and the embedded files disagree
	}
	var words []string
	body := string(data)
	for strings.HasPrefix(body, "# ") {
		line, rest, _ := strings.Cut(body, "\n")
		words = append(words, line[2:])
		body = rest
	}
	title, description, _ := strings.Cut(strings.Join(words, " "), ": ")
	return Recipe{Name: name, Title: title, Description: description, body: body}
}
