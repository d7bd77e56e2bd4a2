package boundary

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// sudoers are the relevant lines of a sudoers file.
type sudoers struct {
	// aliases are the members of each User_Alias.
	aliases map[string][]string
	specs   []spec
	// includes are files and directories to read as well.
	includes []include
}

// spec is one line allowing users to run something.
type spec struct {
	users []string
	where string
	text  string
}

type include struct {
	path      string
	directory bool
}

// parse adds the lines of one file. It reads less than sudo does and errs
// towards finding a grant: hosts, target accounts and commands are not weighed.
// Source: sudoers(5).
func (s *sudoers) parse(file, text string) {
	if s.aliases == nil {
		s.aliases = map[string][]string{}
	}
	for number, line := range logicalLines(text) {
		s.line(fmt.Sprintf("%s:%d", file, number), line)
	}
}

func (s *sudoers) line(where, line string) {
	word, rest, _ := strings.Cut(line, " ")
	switch {
	case word == "@include" || word == "#include":
		s.includes = append(s.includes, include{strings.TrimSpace(rest), false})
	case word == "@includedir" || word == "#includedir":
		s.includes = append(s.includes, include{strings.TrimSpace(rest), true})
	case word == "User_Alias":
		for _, one := range strings.Split(rest, ":") {
			name, members, _ := strings.Cut(one, "=")
			name = strings.TrimSpace(name)
			s.aliases[name] = append(s.aliases[name], list(members)...)
		}
	case strings.HasPrefix(word, "Defaults"), word == "Host_Alias", word == "Runas_Alias", word == "Cmnd_Alias", word == "Cmd_Alias":
	default:
		users, _, found := strings.Cut(join(line), " ")
		if found {
			s.specs = append(s.specs, spec{list(users), where, line})
		}
	}
}

// grants returns the grants naming the account, one of its groups, everybody, or something unknown
// (netgroups, groups of other systems).
func (s *sudoers) grants(a Account) []Grant {
	var found []Grant
	for _, sp := range s.specs {
		for _, user := range sp.users {
			if s.names(user, a, map[string]bool{}) {
				found = append(found, Grant{"sudo", sp.where, sp.text})
				break
			}
		}
	}
	return found
}

func (s *sudoers) names(user string, a Account, seen map[string]bool) bool {
	if strings.HasPrefix(user, "!") {
		return strings.HasPrefix(user, "!!") // an exception only takes away
	}
	user = unquote(user)
	if named(user, a) {
		return true
	}
	if seen[user] {
		return false
	}
	seen[user] = true
	return slices.ContainsFunc(s.aliases[user], func(member string) bool { return s.names(member, a, seen) })
}

// named tells whether a word of sudoers or doas.conf names the account.
func named(user string, a Account) bool {
	switch {
	case user == "ALL", user == a.Name, user == "#"+strconv.Itoa(a.UID):
		return true
	case strings.HasPrefix(user, "+"), strings.HasPrefix(user, "%:"):
		return true // a netgroup or a foreign group: not to be told from here
	case strings.HasPrefix(user, "%"):
		group := unquote(user[1:])
		for _, g := range a.Groups {
			if group == g.Name || group == "#"+strconv.Itoa(g.GID) {
				return true
			}
		}
	case strings.ContainsAny(user, `\*?[`):
		return true // escapes and patterns are not read
	}
	return false
}

// doasGrants reads doas.conf(5): each permit line for the account.
func doasGrants(file, text string, a Account) []Grant {
	var found []Grant
	for number, line := range logicalLines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] != "permit" {
			continue
		}
		for _, w := range words[1:] {
			if group, isGroup := strings.CutPrefix(w, ":"); isGroup && named("%"+group, a) || named(unquote(w), a) {
				found = append(found, Grant{"doas", fmt.Sprintf("%s:%d", file, number), line})
				break
			}
		}
	}
	return found
}

// logicalLines yields the lines with continuations joined, blanks single and
// comments gone, by the number of their first line. "#" followed by a digit is a
// uid and #include no comment.
func logicalLines(text string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		whole, first := "", 0
		for i, line := range strings.Split(text, "\n") {
			if whole == "" {
				first = i + 1
			}
			// A comment goes on to the end of its line and never beyond.
			if part, more := strings.CutSuffix(uncomment(strings.TrimRight(line, "\r")), `\`); more {
				whole += part + " "
				continue
			}
			whole = strings.Join(strings.Fields(whole+uncomment(line)), " ")
			if whole != "" && !yield(first, whole) {
				return
			}
			whole = ""
		}
		if whole = strings.Join(strings.Fields(whole), " "); whole != "" {
			yield(first, whole) // the last line ended in a backslash
		}
	}
}

func uncomment(line string) string {
	for i := 0; i < len(line); i++ {
		if line[i] != '#' {
			continue
		}
		rest := line[i+1:]
		isUID := rest != "" && rest[0] >= '0' && rest[0] <= '9'
		isInclude := strings.TrimSpace(line[:i]) == "" && strings.HasPrefix(rest, "include")
		if !isUID && !isInclude {
			return line[:i]
		}
	}
	return line
}

// join removes the blanks around commas, so a list is one word.
func join(line string) string {
	parts := strings.Split(line, ",")
	for i, p := range parts {
		if i > 0 {
			p = strings.TrimLeft(p, " ")
		}
		if i < len(parts)-1 {
			p = strings.TrimRight(p, " ")
		}
		parts[i] = p
	}
	return strings.Join(parts, ",")
}

func list(text string) []string {
	var words []string
	for _, w := range strings.Split(text, ",") {
		if w = strings.TrimSpace(w); w != "" {
			words = append(words, w)
		}
	}
	return words
}

func unquote(word string) string { return strings.Trim(word, `"`) }
