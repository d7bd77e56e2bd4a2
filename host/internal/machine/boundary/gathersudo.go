package boundary

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// sudo reads sudo's configuration and, as root on a running system, asks sudo itself about the
// account: this includes directories (LDAP, SSSD).
func (g gatherer) sudo(ctx context.Context) {
	var s sudoers
	for _, file := range []string{"/etc/sudoers", "/usr/local/etc/sudoers", "/private/etc/sudoers"} {
		g.readSudoers(&s, file, map[string]bool{})
	}
	g.f.Grants = append(g.f.Grants, s.grants(g.f.Agent)...)
	if !g.sys.Live() {
		return
	}
	for _, program := range []string{"/usr/bin/sudo", "/usr/local/bin/sudo"} {
		if there, err := g.sys.Lstat(program); err != nil || there.Missing {
			continue
		}
		if !g.sys.Privileged() {
			g.unknown("what sudo allows "+g.f.Agent.Name, "run the command as root")
			return
		}
		// -n never asks for a password, and -l runs nothing.
		out, err := g.sys.Run(ctx, program, "-n", "-l", "-U", g.f.Agent.Name)
		switch {
		case strings.Contains(out, "is not allowed to run sudo"):
		case err != nil || !strings.Contains(out, "may run the following"):
			g.unknown(fmt.Sprintf("what sudo allows %s (%s)", g.f.Agent.Name, firstLine(out, err)), fmt.Sprintf("see: %s -l -U %s", program, g.f.Agent.Name))
		default:
			_, rights, _ := strings.Cut(out, "may run the following")
			_, rights, _ = strings.Cut(rights, "\n")
			g.f.Grants = append(g.f.Grants, Grant{"sudo", program + " -l -U " + g.f.Agent.Name, strings.Join(strings.Fields(rights), " ")})
		}
		return
	}
}

func firstLine(out string, err error) string {
	if err != nil {
		return err.Error()
	}
	line, _, _ := strings.Cut(strings.TrimSpace(out), "\n")
	return line
}

// readSudoers reads a file and those it includes, each once.
func (g gatherer) readSudoers(s *sudoers, file string, seen map[string]bool) {
	if seen[file] {
		return
	}
	seen[file] = true
	text, ok := g.read(file)
	if !ok {
		return
	}
	before := len(s.includes)
	s.parse(file, text)
	for _, inc := range slices.Clone(s.includes[before:]) {
		name := unquote(inc.path)
		if !path.IsAbs(name) {
			name = path.Join(path.Dir(file), name)
		}
		// %h in a name is the host's; such a file cannot be found from here.
		if strings.Contains(name, "%") {
			g.unknown("what "+name+" of sudo contains", "name the file without %")
			continue
		}
		files := []string{name}
		if inc.directory {
			files = g.directory(name)
		}
		for _, f := range files {
			g.readSudoers(s, f, seen)
		}
	}
}

// directory lists the files of an includedir. sudo leaves out names with a dot or a tilde; reading
// them all the same finds more.
func (g gatherer) directory(dir string) []string {
	names, err := g.sys.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		g.unknown("what "+dir+" holds: "+err.Error(), "run the command as root")
	}
	var files []string
	for _, name := range names {
		files = append(files, path.Join(dir, name))
	}
	return files
}

// read returns a file's text; an unreadable one is unknown.
func (g gatherer) read(file string) (string, bool) {
	text, err := g.sys.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		g.unknown("what "+file+" says: "+err.Error(), "run the command as root")
	}
	return string(text), err == nil
}

func (g gatherer) doas() {
	files := []string{"/etc/doas.conf", "/usr/local/etc/doas.conf"}
	for _, file := range append(files, g.directory("/etc/doas.d")...) {
		if text, ok := g.read(file); ok {
			g.f.Grants = append(g.f.Grants, doasGrants(file, text, g.f.Agent)...)
		}
	}
}
