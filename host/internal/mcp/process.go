package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// endPatience is how long a server may take to end after its input, and after a signal.
const endPatience = 2 * time.Second

// Command is how a server is started.
type Command struct {
	// Args are the program and its arguments.
	Args []string
	// Stderr takes the server's words for the person; nil drops them.
	Stderr io.Writer
}

// Definition is a digest of the program's place and its arguments, which are not logged: they may
// hold secrets.
func (c Command) Definition() (string, error) {
	if len(c.Args) == 0 || c.Args[0] == "" {
		return "", errors.New("no command: want callgate mcp --server NAME -- COMMAND")
	}
	path, err := exec.LookPath(c.Args[0])
	if err != nil {
		return "", fmt.Errorf("start the MCP server: %w", err)
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", err
	}
	return digestOf(append([]string{path}, c.Args[1:]...)...), nil
}

// digestOf is a digest of words.
func digestOf(words ...string) string {
	var text strings.Builder
	for _, w := range words {
		fmt.Fprintf(&text, "%d %s\n", len(w), w)
	}
	sum := sha256.Sum256([]byte(text.String()))
	return hex.EncodeToString(sum[:16])
}

// Run starts the server and passes messages between it and the client until one of them ends, or
// ctx does. The server ends with it: its input is closed, and after two seconds each it gets a
// signal to end and is killed. The error is nil when the client ended first.
func Run(ctx context.Context, c Config, client io.Reader, toClient io.Writer, server Command) error {
	if err := CheckName(c.Server); err != nil {
		return err
	}
	cmd := exec.Command(server.Args[0], server.Args[1:]...) //nolint:gosec // the person's own command
	cmd.Stderr, cmd.SysProcAttr = server.Stderr, attributes()
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the MCP server: %w", err)
	}
	ended := make(chan struct{})
	defer close(ended)
	hangUp := func() {
		_ = in.Close() // a server that has ended reads nothing
		go func() {
			for _, end := range []func(){func() { terminate(cmd.Process) }, func() { kill(cmd.Process) }, func() { _ = out.Close() }} {
				select {
				case <-ended:
					return
				case <-time.After(endPatience):
					end()
				}
			}
		}()
	}
	err = relay(ctx, c, client, toClient, out, in, hangUp)
	kill(cmd.Process) // what is left of its group
	if waited := cmd.Wait(); errors.Is(err, errServerEnded) && waited != nil {
		err = fmt.Errorf("%w: %w", err, waited)
	}
	return err
}
