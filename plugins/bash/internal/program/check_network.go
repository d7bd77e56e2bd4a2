package program

import (
	"slices"
	"strings"
)

// curlTouches returns the files sent, and those made without being named: "@" stands before a
// file in a value of --data, "=@" in one of --form.
func curlTouches(u *Use) []Touch {
	var out []Touch
	send := func(word Word, file string) {
		if file != "" && file != "-" {
			out = append(out, Touch{Word: word.from(file), Access: ReadAccess})
		}
	}
	for _, value := range u.Values("-d", "--data-ascii", "--data-binary", "--data-urlencode", "--url-query", "--json", "-H", "--proxy-header", "-w", "--variable") {
		if _, file, ok := strings.Cut(value.Text, "@"); ok {
			send(value, file)
		}
	}
	for _, value := range u.Values("-F") {
		if _, file, ok := strings.Cut(value.Text, "="); ok && file != "" && (file[0] == '@' || file[0] == '<') {
			file, _, _ = strings.Cut(file[1:], ";")
			for _, one := range strings.Split(file, ",") {
				send(value, one)
			}
		}
	}
	for _, value := range u.Values("-b") {
		if u.Program == "curl" && !strings.Contains(value.Text, "=") {
			send(value, value.Text)
		}
	}
	if u.Program != "curl" {
		for _, word := range u.Operands {
			if _, file, ok := strings.Cut(word.Text, "@"); ok && !strings.Contains(word.Text, "://") {
				send(word, file)
			}
		}
	}
	if u.Has("-O", "--remote-name-all", "-J") || u.Program != "curl" && u.Has("-d") && !u.Has("-o") {
		out = append(out, fetched(u)...)
	}
	return out
}

// wgetTouches returns the files made for want of a name.
func wgetTouches(u *Use) []Touch {
	if u.Has("-O", "-o", "--out") && (u.Program == "aria2c" || u.Has("-O")) || u.Has("--spider") {
		return nil
	}
	return fetched(u)
}

// fetched are the files downloaded from addresses to a directory: the current one unless an
// option names another.
func fetched(u *Use) []Touch {
	dir := Word{Text: ".", Literal: true}
	if dirs := u.Values("--output-dir", "-P", "-d"); len(dirs) > 0 && u.Program != "http" && u.Program != "xh" {
		dir = dirs[len(dirs)-1]
	}
	out := []Touch{{Word: dir, Access: WriteAccess}}
	for _, word := range u.Operands {
		address, _, _ := strings.Cut(word.Text, "?")
		address, _, _ = strings.Cut(address, "#")
		if _, rest, ok := strings.Cut(address, "://"); ok {
			address = rest
		}
		if _, file, ok := strings.Cut(address, "/"); !ok || file == "" || !word.Literal || strings.HasSuffix(file, "/") {
			continue
		}
		made := dir
		made.Text = strings.TrimSuffix(dir.Text, "/") + "/" + LastName(address)
		out = append(out, Touch{Word: made, Access: WriteAccess, Derived: true})
	}
	return out
}

// remote tells whether a copy's operand is on another machine: HOST:PATH, or an
// address.
func remote(text string) bool {
	host, _, ok := strings.Cut(text, ":")
	return ok && host != "" && !strings.Contains(host, "/")
}

// remoteCopies returns the local ends of a copy between machines.
func remoteCopies(u *Use) []Touch {
	var out []Touch
	for i, r := range u.Roles {
		word := u.Operands[i]
		switch {
		case remote(word.Text):
		case r == Writes && len(u.Operands) > 1:
			out = append(out, Touch{Word: word, Access: WriteAccess, Spreads: true})
		default:
			out = append(out, Touch{Word: word, Access: ReadAccess, Recursive: u.Has("-r", "-a")})
			if u.Has("--remove-source-files") {
				out = append(out, Touch{Word: word, Access: WriteAccess})
			}
		}
	}
	return out
}

// sshAsks asks about options behind the host: ssh takes them for its own.
func sshAsks(u *Use) string {
	if len(u.Operands) > 1 && strings.HasPrefix(u.Operands[1].Text, "-") && u.Operands[1].Text != "--" {
		return u.Program + " takes " + u.Operands[1].Text + " behind the host for an option of its own"
	}
	return ""
}

// sshKeys returns the key files: made, unless they are only shown.
func sshKeys(u *Use) []Touch {
	access := WriteAccess
	if u.Has("-l", "-y", "-F", "-B", "-e", "-L") {
		access = ReadAccess
	}
	var out []Touch
	for _, file := range u.Values("-f") {
		out = append(out, Touch{Word: file, Access: access})
		if access == WriteAccess && file.Literal {
			file.Text += ".pub"
			out = append(out, Touch{Word: file, Access: access, Derived: true})
		}
	}
	for _, word := range u.Operands {
		out = append(out, Touch{Word: word, Access: ReadAccess})
	}
	return out
}

// keysAsk asks about commands that admit keys, here or on another machine.
func keysAsk(u *Use) string {
	switch {
	case u.Program == "ssh-keyscan", u.asksVersion(), u.Program == "ssh-add" && u.Has("-l", "-L", "-d", "-D", "-T"):
		return ""
	case u.Program == "ssh-add":
		return "ssh-add makes a key usable for every program"
	}
	return u.Program + " lets a key log in"
}

// keysUnless requires a list of public keys or of fingerprints, and options for its form alone:
// -D loads a library. Sources: ssh-keygen(1), ssh-add(1).
func keysUnless(u *Use) string {
	lists := map[string][]string{"ssh-keygen": {"-l", "-f", "-E", "-v", "-q"}, "ssh-add": {"-l", "-L", "-v", "-q"}}[u.Program]
	other := slices.ContainsFunc(u.Options, func(o Option) bool { return !slices.Contains(lists, o.Name) })
	if other || len(u.Operands) > 0 || !u.Has("-l") && !(u.Program == "ssh-add" && u.Has("-L")) || u.Program == "ssh-keygen" && len(u.Values("-f")) != 1 {
		return u.Program + " does more than list keys"
	}
	return ""
}

// gpgAsks asks about showing or deleting secret keys.
func gpgAsks(u *Use) string {
	for _, name := range []string{"--export-secret-keys", "--export-secret-subkeys", "--delete-secret-keys", "--delete-secret-and-public-key"} {
		if u.Has(name) {
			return u.Program + " " + name + " is about secret keys"
		}
	}
	return ""
}

// socatAsks asks about addresses of socat that are programs.
func socatAsks(u *Use) string {
	for _, o := range u.Operands {
		for part := range strings.SplitSeq(o.Text, "!!") {
			kind, _, _ := strings.Cut(part, ":")
			if slices.Contains([]string{"EXEC", "SYSTEM", "SHELL"}, strings.ToUpper(strings.TrimSpace(kind))) {
				return "socat runs a program with the input of another end"
			}
		}
	}
	return ""
}

// curlChooses finds formats that write files or may (%output{FILE}).
func curlChooses(u *Use) []int {
	var out []int
	for _, o := range u.Options {
		if o.Name == "-w" && o.Has && (!o.Value.Literal || strings.Contains(o.Value.Text, "%output") || strings.HasPrefix(o.Value.Text, "@")) {
			out = append(out, o.At)
		}
	}
	return out
}
