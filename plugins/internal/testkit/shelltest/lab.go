package shelltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

// Shell is a real shell.
type Shell struct {
	Name, Path string
	// Args come before -c.
	Args []string
}

// Find returns the shell called name, false when this machine has none.
func Find(name string) (Shell, bool) {
	program, args, _ := strings.Cut(name, " ")
	path, err := exec.LookPath(program)
	if err != nil {
		return Shell{}, false
	}
	s := Shell{Name: name, Path: path, Args: strings.Fields(args)}
	if program == "zsh" {
		s.Args = []string{"-f"} // none of the machine's start-up files
	}
	return s, true
}

// Outcome is the result of a line.
type Outcome struct {
	Runs []Run
	// Files are the new files, relative to the working directory.
	Files []string
	// Output is what was printed on either stream, cut at 4 KiB.
	Output string
	// Killed means the time was up.
	Killed bool
}

// Lab is where lines run. Not for use by two goroutines at once.
type Lab struct {
	// Work and Home are absolute.
	Work, Home string
	root       string
	// known are the paths before any line ran.
	known map[string]bool
}

// limit bounds the time of one line. It is a net: nearly all lines end by
// themselves, after some milliseconds.
const limit = 3 * time.Second

// NewLab makes a Lab under a fresh temporary directory. Close removes it.
func NewLab() (*Lab, error) {
	root, err := os.MkdirTemp("", "shelltest")
	if err != nil {
		return nil, err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	l := &Lab{root: root, Work: filepath.Join(root, "1/2/3/4/5/6/7/8/work"), Home: filepath.Join(root, "h/2/3/4/5/6/7/8/home")}
	if err := l.furnish(); err != nil {
		_ = l.Close() // the first error tells more
		return nil, fmt.Errorf("make a lab in %s: %w", root, err)
	}
	return l, nil
}

func (l *Lab) furnish() error {
	bin := filepath.Join(l.root, recorders)
	for _, dir := range []string{bin, filepath.Join(l.Work, "sub", "deep"), l.Home} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	if err := l.recorders(bin); err != nil {
		return err
	}
	var shells []string
	for _, name := range []string{"bash", "dash", "zsh"} {
		if s, ok := Find(name); ok {
			shells = append(shells, s.Path)
		}
	}
	if err := os.WriteFile(filepath.Join(l.root, shellFile), []byte(strings.Join(shells, "\n")), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(l.root, logFile), nil, 0o644); err != nil {
		return err
	}
	if err := l.give(); err != nil {
		return err
	}
	l.known = map[string]bool{}
	return l.walk(func(path string) error { l.known[path] = true; return nil })
}

// recorders builds the recorder into bin and links it under every name.
func (l *Lab) recorders(bin string) error {
	names := Programs()
	first := filepath.Join(bin, names[0])
	build := exec.Command("go", "build", "-o", first, "github.com/callgate/callgate/plugins/internal/testkit/shelltest/recorder")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the recorder: %w: %s", err, out)
	}
	for _, name := range names[1:] {
		if err := os.Link(first, filepath.Join(bin, name)); err != nil {
			return err
		}
	}
	// No line may write to them: zsh knows the way (> =alfa).
	if err := os.Chmod(first, 0o555); err != nil {
		return err
	}
	return os.Chmod(bin, 0o555)
}

// Close removes the lab.
func (l *Lab) Close() error {
	_ = os.Chmod(filepath.Join(l.root, recorders), 0o755) // removing reports the problem
	return os.RemoveAll(l.root)
}

// walk calls f with every path of the lab but the recorders.
func (l *Lab) walk(f func(path string) error) error {
	return filepath.WalkDir(l.root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == recorders:
			return filepath.SkipDir
		}
		return f(path)
	})
}

// Run runs line in s and waits until all its processes have ended. Its new files are gone
// afterwards.
func (l *Lab) Run(s Shell, line string) (Outcome, error) {
	if err := os.Truncate(filepath.Join(l.root, logFile), 0); err != nil {
		return Outcome{}, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return Outcome{}, err
	}
	defer func() { _ = r.Close() }() // read to its end
	cmd := exec.Command(s.Path, append(append([]string{}, s.Args...), "-c", line)...)
	// The third descriptor tells when all have ended, redirected or not.
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles, cmd.Dir = w, w, []*os.File{w}, l.Work
	cmd.Env = []string{"PATH=" + filepath.Join(l.root, recorders), "HOME=" + l.Home}
	l.confine(cmd)
	err = cmd.Start()
	_ = w.Close() // the shell has its own
	if err != nil {
		return Outcome{}, err
	}
	var out Outcome
	var killed atomic.Bool
	net := time.AfterFunc(limit, func() { killed.Store(true); kill(cmd) })
	head, _ := io.ReadAll(io.LimitReader(r, 4<<10)) // unreadable output was not printed
	_, _ = io.Copy(io.Discard, r)
	_ = cmd.Wait() // any status will do
	net.Stop()
	out.Output, out.Killed = string(head), killed.Load()
	return out, l.gather(&out)
}

// gather reads the log and removes the line's files.
func (l *Lab) gather(out *Outcome) error {
	text, err := os.ReadFile(filepath.Join(l.root, logFile))
	if err != nil {
		return err
	}
	for entry := range bytes.Lines(text) {
		var run Run
		if err := json.Unmarshal(entry, &run); err != nil {
			return fmt.Errorf("the log holds %q: %w", entry, err)
		}
		out.Runs = append(out.Runs, run)
	}
	return l.walk(func(path string) error {
		if l.known[path] {
			return nil
		}
		name, err := filepath.Rel(l.Work, path)
		if err != nil {
			return err
		}
		out.Files = append(out.Files, name)
		return os.Remove(path)
	})
}
