package mask

import "strings"

// starters are words before a command.
var starters = map[string]bool{
	"!": true, "-c": true, "bash": true, "builtin": true, "command": true, "do": true, "elif": true, "else": true, "env": true, "eval": true,
	"exec": true, "if": true, "nohup": true, "sh": true, "source": true, ".": true, "sudo": true, "then": true, "time": true,
	"until": true, "while": true, "xargs": true, "zsh": true,
}

// isCommand reports whether the value given to a name is run as code by the
// same text: TOKEN=rm; $TOKEN -rf ~, or alias token=rm.
func (f *finder) isCommand(name string, start int) bool {
	near := f.s[max(0, start-maxNameLen):start]
	if before := strings.TrimRight(near, " \t"); len(before) < len(near) && lastWord(before) == "alias" {
		return true
	}
	if !f.looked {
		f.commands, f.looked = expandedCommands(f.s), true
	}
	return f.commands[name]
}

// expandedCommands returns the variables expanded by s at the place of a command's name.
func expandedCommands(s string) map[string]bool {
	var found map[string]bool
	for i := strings.IndexByte(s, '$'); i >= 0 && i < len(s); {
		name := parameter(s[i+1:])
		if name != "" && commandPlace(s[:i]) {
			if found == nil {
				found = map[string]bool{}
			}
			found[name] = true
		}
		next := strings.IndexByte(s[i+1:], '$')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return found
}

// parameter returns the name after a dollar sign.
func parameter(s string) string {
	s = strings.TrimLeft(s, "{!#")
	end := 0
	for end < len(s) && (alnum(s[end]) || s[end] == '_') {
		end++
	}
	return s[:end]
}

// commandPlace reports whether a command's name may stand after before.
func commandPlace(before string) bool {
	before = strings.TrimRight(before[max(0, len(before)-maxNameLen):], "\"'\\ \t")
	if before == "" || strings.IndexByte("\n\r;|&({`", before[len(before)-1]) >= 0 {
		return true
	}
	word := strings.Trim(lastWord(before), "\"'")
	return starters[word] || strings.Contains(word, "=")
}

// lastWord returns the text after the last blank or operator of s.
func lastWord(s string) string {
	return s[1+strings.LastIndexAny(s, " \t\n;|&({`"):]
}
