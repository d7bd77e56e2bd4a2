package bash

// moves reports whether the line may change the current directory or links:
// whatever is not known to only read may, and so does a cd. Source: threat T11.
func (c *call) moves() bool {
	if ok, _ := c.line.readsOnly(anywhere{}); !ok {
		return true
	}
	for _, cmd := range c.line.Commands {
		switch cmd.Name() {
		case "cd", "chdir", "pushd", "popd", "dirs":
			return true
		}
	}
	return false
}

// anywhere is surroundings in which nothing is special: which files a line reads
// does not tell whether it moves anything.
type anywhere struct{}

func (anywhere) repoRuns() bool        { return false }
func (anywhere) secret(touch) bool     { return false }
func (anywhere) unresolved(touch) bool { return false }
