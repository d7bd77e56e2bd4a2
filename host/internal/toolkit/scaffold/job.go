package scaffold

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/callgate/callgate/host/internal/text/shellword"
)

// job is one build or test of a project.
type job struct {
	ctx      context.Context
	dir      string // the project's, absolute
	project  Manifest
	language language
	sdk      fs.FS
	scratch  string // a directory of its own
	out      string // where the module goes, in scratch
	log      io.Writer
	told     io.Writer // gets the commands

	commands [][]string
	versions []string
}

func open(ctx context.Context, o BuildOptions) (*job, error) {
	project, l, err := readProject(o.Dir)
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, err
	}
	scratch, err := os.MkdirTemp("", "callgate-tool-")
	if err != nil {
		return nil, err
	}
	j := &job{ctx: ctx, dir: dir, project: project, language: l, sdk: o.SDK, scratch: scratch, out: filepath.Join(scratch, project.Name+".wasm"), log: o.Log, told: o.Commands}
	if j.log == nil {
		j.log = io.Discard
	}
	if j.told == nil {
		j.told = io.Discard
	}
	return j, nil
}

func (j *job) close() { _ = os.RemoveAll(j.scratch) } // the system empties its temporary directory

// failedError is a compiler's refusal, or a failed test; the log has why.
type failedError struct {
	what string
	test bool
}

// Error implements error.
func (e *failedError) Error() string { return e.what + "; what it said stands above" }

// run runs a command in the project's directory, with the environment's variables
// and env besides.
func (j *job) run(env []string, argv ...string) error {
	command := append(append([]string{}, env...), argv...)
	j.commands = append(j.commands, command)
	fmt.Fprintln(j.told, line(command))
	cmd := exec.CommandContext(j.ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = j.dir, append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = j.log, j.log
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && j.ctx.Err() == nil {
		return &failedError{what: fmt.Sprintf("%s ended with exit code %d", filepath.Base(argv[0]), exit.ExitCode())}
	}
	return err
}

// test runs a test program.
func (j *job) test(env []string, argv ...string) error {
	err := j.run(env, argv...)
	var failed *failedError
	if errors.As(err, &failed) {
		failed.test = true
	}
	return err
}

// line is a command as a shell reads it.
func line(command []string) string {
	words := make([]string, len(command))
	for i, w := range command {
		if w == "" || strings.ContainsAny(w, " \t\n'\"\\$`*?[]{}()<>|&;#~!") {
			w = shellword.Quote(w)
		}
		words[i] = w
	}
	return strings.Join(words, " ")
}
