package program

import "strings"

// tarActs says why a tar that lists or prints does more: it unpacks, or an archive on another
// machine is fetched by a program.
func tarActs(u *Use) string {
	switch {
	case u.Has("-x") && (!u.Has("-O") || u.Has("--one-top-level", "-P", "-t", "-d")):
		return "tar unpacks files"
	case !u.Has("-x", "-t", "-d", "--test-label"):
		return "tar without -t does more than list"
	}
	for _, f := range u.Values("-f") {
		if strings.Contains(f.Text, ":") && !u.Has("--force-local") {
			return "tar would fetch " + f.Text + " with another program"
		}
	}
	return ""
}

// tarAsks asks about programs run by tar while it packs and unpacks.
func tarAsks(u *Use) string {
	for _, action := range u.Values("--checkpoint-action") {
		if strings.HasPrefix(action.Text, "exec") || !action.Literal {
			return "tar runs a program at every checkpoint"
		}
	}
	return ""
}

func isStream(w Word) bool { return w.Text == "-" || w.Text == "" }

// unpacked are the destinations of unpacked files: the named directories, or the working
// directory.
func unpacked(dirs []Word) []Touch {
	if len(dirs) == 0 {
		dirs = []Word{here()}
	}
	var out []Touch
	for _, dir := range dirs {
		out = append(out, Touch{Word: dir, Access: WriteAccess, Spreads: true})
	}
	return out
}

// tarTouches are the archive, and the files packed into it or unpacked from it.
func tarTouches(u *Use) []Touch {
	var out []Touch
	changes := u.Has("-c", "-r", "-u", "-A", "--delete")
	for _, f := range u.Values("-f") {
		if !isStream(f) {
			access := ReadAccess
			if changes {
				access = WriteAccess
			}
			out = append(out, Touch{Word: f, Access: access})
		}
	}
	dirs := u.Values("-C", "--cd")
	switch {
	case u.Has("-x"):
		dirs = append(dirs, u.Values("--one-top-level")...)
		if u.Has("-O", "--to-command") {
			break
		}
		if u.Has("-P") {
			dirs = append(dirs, Word{Text: "/", Literal: true})
		}
		out = append(out, unpacked(dirs)...)
	case changes:
		for _, o := range u.Operands {
			access := ReadAccess
			if u.Has("--remove-files") {
				access = WriteAccess
			}
			out = append(out, Touch{Word: o, Access: access, Recursive: true, Removes: access == WriteAccess})
		}
		for _, dir := range append(dirs, u.Values("--add-file")...) {
			out = append(out, Touch{Word: dir, Access: ReadAccess})
		}
	default:
		for _, dir := range dirs {
			out = append(out, Touch{Word: dir, Access: ReadAccess})
		}
	}
	return out
}

func unzipPrints(u *Use) bool { return u.Has("-l", "-v", "-t", "-z", "-Z", "-p", "-c") }

func unzipActs(u *Use) string {
	if !unzipPrints(u) {
		return "unzip unpacks files"
	}
	return ""
}

func unzipTouches(u *Use) []Touch {
	out := []Touch{}
	for _, archive := range u.With(Reads) {
		out = append(out, Touch{Word: archive, Access: ReadAccess})
	}
	if !unzipPrints(u) && len(u.Operands) > 0 {
		out = append(out, unpacked(u.Values("-d"))...)
	}
	return out
}

func zipAsks(u *Use) string {
	if len(u.Scripts()) > 0 {
		return "zip -TT runs a command on the archive"
	}
	return ""
}

// zipTouches are the archive, and the files packed, or moved, into it.
func zipTouches(u *Use) []Touch {
	var out []Touch
	for i, o := range u.Operands {
		touch := Touch{Word: o, Access: ReadAccess, Recursive: u.Has("-r")}
		switch {
		case i == 0 && isStream(o):
			continue
		case i == 0 && !u.Has("-O", "-sf"):
			touch = Touch{Word: o, Access: WriteAccess}
		case i > 0 && u.Has("-m"):
			touch.Access, touch.Removes = WriteAccess, true
		}
		out = append(out, touch)
	}
	return out
}

// packPrints tells whether a packer leaves its files alone.
func packPrints(u *Use) bool {
	if u.Has("-c", "-t") || u.Has("-l") && !strings.Contains(u.Program, "bzip") { // a load average to pbzip2
		return true
	}
	for _, o := range u.Operands {
		if !isStream(o) {
			return false
		}
	}
	return !u.Has("-r")
}

func packActs(u *Use) string {
	if !packPrints(u) {
		return u.Program + " puts other files in the place of those it is given"
	}
	return ""
}

func packTouches(u *Use) []Touch {
	var out []Touch
	for _, o := range u.Operands {
		switch {
		case isStream(o):
		case packPrints(u):
			out = append(out, Touch{Word: o, Access: ReadAccess})
		default:
			out = append(out, Touch{Word: o, Access: WriteAccess, Recursive: u.Has("-r")})
		}
	}
	return out
}

func sevenTouches(u *Use) []Touch {
	var out []Touch
	for _, archive := range u.With(Reads) {
		out = append(out, Touch{Word: archive, Access: ReadAccess})
	}
	if u.Has("-so") || len(u.Values("-o")) > 0 {
		return out
	}
	return append(out, unpacked(nil)...)
}

// rarTouches are the archive and, behind it, the directory it is unpacked into.
func rarTouches(u *Use) []Touch {
	var out []Touch
	var dirs []Word
	for i, o := range u.Operands {
		if i == 0 {
			out = append(out, Touch{Word: o, Access: ReadAccess})
		} else if strings.HasSuffix(o.Text, "/") {
			dirs = append(dirs, o)
		}
	}
	return append(out, unpacked(dirs)...)
}

func arActs(u *Use) string {
	if !u.Has("-t", "-p") {
		return "ar without t or p changes files"
	}
	return optionFiles(u)
}

func arTouches(u *Use) []Touch {
	var out []Touch
	for i, o := range u.Operands {
		touch := Touch{Word: o, Access: ReadAccess}
		if i == 0 && u.Has("-d", "-m", "-q", "-r", "-s") {
			touch.Access = WriteAccess
		} else if i > 0 && !u.Has("-q", "-r") {
			continue // a member
		}
		out = append(out, touch)
	}
	if u.Has("-x") {
		out = append(out, unpacked(u.Values("--output"))...)
	}
	return out
}

func cpioActs(u *Use) string {
	if !u.Has("-t") {
		return "cpio without -t packs or unpacks files"
	}
	for _, f := range u.Values("-F", "-I") {
		if strings.Contains(f.Text, ":") && !u.Has("--force-local") {
			return "cpio would fetch " + f.Text + " with another program"
		}
	}
	return ""
}

func cpioTouches(u *Use) []Touch {
	var out []Touch
	for _, f := range u.Values("-F") {
		access := ReadAccess
		if u.Has("-o") {
			access = WriteAccess
		}
		out = append(out, Touch{Word: f, Access: access})
	}
	switch {
	case u.Has("-p"):
		for _, dir := range u.Operands {
			out = append(out, unpacked([]Word{dir})...)
		}
	case u.Has("-i") && !u.Has("-t", "--to-stdout"):
		out = append(out, unpacked(u.Values("-D"))...)
	}
	return out
}

func jarActs(u *Use) string {
	if !u.Has("-t", "-d") {
		return "jar without t packs or unpacks files"
	}
	return optionFiles(u)
}

func jarTouches(u *Use) []Touch {
	var out []Touch
	for _, f := range u.Values("-f") {
		access := ReadAccess
		if u.Has("-c", "-u", "-i") {
			access = WriteAccess
		}
		out = append(out, Touch{Word: f, Access: access})
	}
	if u.Has("-x") {
		return append(out, unpacked(u.Values("--dir"))...)
	}
	for _, o := range u.Operands {
		if u.Has("-c", "-u") {
			out = append(out, Touch{Word: o, Access: ReadAccess, Recursive: true})
		}
	}
	return out
}

// optionFiles refuses "@FILE": some programs read further options and operands from it, out of
// sight.
func optionFiles(u *Use) string {
	for _, word := range u.Args() {
		if strings.HasPrefix(word.Text, "@") || strings.HasPrefix(word.Text, "-") && strings.Contains(word.Text, "@") {
			return u.Command() + " may take options from the file " + word.Text
		}
	}
	return ""
}
