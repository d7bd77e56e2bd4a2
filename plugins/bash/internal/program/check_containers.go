package program

import (
	"path"
	"slices"
	"strings"
)

// dockerCopies is docker's cp; one end of it is on this machine.
func dockerCopies(name string) Row {
	r := acting(name, "t t", " -a|--archive -L|--follow-link -q|--quiet --overwrite")
	r.Touches = copiedOut
	return r
}

// kubeCopies is kubectl's cp.
func kubeCopies(name string) Row {
	r := acting(name, "t t", " -c|--container= --no-preserve=? --retries=")
	r.Touches = copiedOut
	return r
}

// copiedOut returns the end of a copy on this machine: the one without a colon, or a plain
// path.
func copiedOut(u *Use) []Touch {
	var out []Touch
	for i, word := range u.Operands {
		if name, _, remote := strings.Cut(word.Text, ":"); remote && !strings.Contains(name, "/") && !strings.HasPrefix(name, ".") || word.Text == "-" {
			continue
		}
		if i == 0 {
			out = append(out, Touch{Word: word, Access: ReadAccess})
		} else {
			out = append(out, Touch{Word: word, Access: WriteAccess, Spreads: true})
		}
	}
	return out
}

// kubeShows refuses secrets, and formats read from files.
func kubeShows(u *Use) string {
	for _, word := range u.Operands {
		for _, kind := range strings.FieldsFunc(strings.ToLower(word.Text), func(r rune) bool { return r == ',' || r == '/' || r == '.' }) {
			if strings.HasPrefix(kind, "secret") || strings.HasPrefix(kind, "sealedsecret") {
				return u.Command() + " of " + word.Text + " shows secrets"
			}
		}
	}
	for _, format := range u.Values("-o") {
		if strings.Contains(format.Text, "file") {
			return u.Command() + " with a format from a file"
		}
	}
	return ""
}

// composeLocal wants files of this machine: others are fetched.
func composeLocal(u *Use) string {
	for _, file := range u.Values("-f") {
		if strings.Contains(file.Text, ":") {
			return u.Command() + " fetches " + file.Text
		}
	}
	return ""
}

// mounting is a row of programs mounting directories of this machine in a container.
func mounting(r Row) Row {
	r.Touches = func(u *Use) []Touch {
		var out []Touch
		for _, w := range u.mounts() {
			if strings.HasPrefix(w.Text, ".") || strings.Contains(w.Text, "/") || w.Tilde {
				out = append(out, Touch{Word: w, Access: ReadAccess})
			}
		}
		return out
	}
	return r
}

// mounts are the sources of -v SOURCE:PLACE and --mount source=SOURCE: paths of
// this machine, and names of volumes.
func (u *Use) mounts() []Word {
	var out []Word
	for _, w := range u.Values("-v") {
		if source, _, ok := strings.Cut(w.Text, ":"); ok {
			out = append(out, w.from(source))
		}
	}
	for _, w := range u.Values("--mount") {
		for part := range strings.SplitSeq(w.Text, ",") {
			if name, source, _ := strings.Cut(part, "="); name == "source" || name == "src" {
				out = append(out, w.from(source))
			}
		}
	}
	return out
}

// machine are the directories whose writing from a container reaches the whole machine, and
// others' files.
var machine = []string{
	"/", "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib64", "/opt", "/private", "/proc", "/root", "/run", "/sbin", "/sys", "/usr", "/var", "/var/run", "/var/lib", "/var/lib/docker",
	"/Users", "/System", "/Library", "/Volumes", "~", "$HOME", "${HOME}",
}

// containerAsks asks about containers without a boundary: with every privilege, or with the
// machine's controls mounted.
func containerAsks(u *Use) string {
	for _, o := range u.Options {
		value := strings.ToUpper(o.Value.Text)
		switch o.Name {
		case "--privileged":
			if value != "FALSE" {
				return u.Command() + " --privileged gives the container the machine"
			}
		case "--cap-add":
			if slices.Contains([]string{"ALL", "SYS_ADMIN", "SYS_MODULE", "SYS_RAWIO"}, strings.TrimPrefix(value, "CAP_")) {
				return u.Command() + " --cap-add=" + o.Value.Text + " gives the container the machine"
			}
		case "--pid":
			if value == "HOST" {
				return u.Command() + " --pid=host gives the container the machine's processes"
			}
		case "--device":
			if rest, ok := strings.CutPrefix(value, "/DEV/"); ok && slices.ContainsFunc([]string{"SD", "NVME", "VD", "XVD", "MEM", "KMEM", "DISK", "MAPPER"}, func(d string) bool { return strings.HasPrefix(rest, d) }) {
				return u.Command() + " --device=" + o.Value.Text + " gives the container a disk"
			}
		}
	}
	for _, w := range u.mounts() {
		source := strings.TrimSuffix(w.Text, "/")
		if strings.HasPrefix(w.Text, "/") {
			source = path.Clean(w.Text)
		}
		base := path.Base(source)
		if parent := path.Dir(source); parent == "/home" || parent == "/Users" || base == ".ssh" || base == ".gnupg" {
			return u.Command() + " mounts " + w.Text + " in the container"
		}
		if slices.Contains(machine, source) || strings.HasSuffix(base, ".sock") && slices.ContainsFunc([]string{"docker", "podman", "containerd", "crio"}, func(d string) bool { return strings.HasPrefix(base, d) }) {
			return u.Command() + " mounts " + w.Text + " in the container"
		}
	}
	return ""
}

// noEnvironment refuses a format showing the environment of a container, because of its
// secrets.
func noEnvironment(u *Use) string {
	for _, format := range u.Values("-f") {
		if strings.Contains(strings.ToLower(format.Text), "env") {
			return u.Command() + " with the format " + format.Text + " shows the container's environment"
		}
	}
	return ""
}
