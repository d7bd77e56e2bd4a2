package cli

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/testkit/compiledtest"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
)

// heard is a program's output, complete and so far.
type heard struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.Write(p)
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.String()
}

// TestT14_DiscordToken: from its set-up to a reset token, nothing printed, logged, answered,
// stored or put on a command line by Callgate holds the bot's token, or its last part, the
// secret.
func TestT14_DiscordToken(t *testing.T) {
	t.Parallel()
	compiledtest.Modules(t)
	s := discordtest.Start(t, discordtest.Options{})
	ann := s.Person("ann")
	root, err := os.MkdirTemp("", "cg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) }) // the temporary directory is swept anyhow
	places := []string{"HOME=" + filepath.Join(root, "home"), "XDG_CONFIG_HOME=" + filepath.Join(root, "config"), "XDG_STATE_HOME=" + filepath.Join(root, "state"), "XDG_CACHE_HOME=" + sharedCache()}
	if err := os.MkdirAll(filepath.Join(root, "home"), 0o700); err != nil {
		t.Fatal(err)
	}
	told := map[string]string{}
	run := func(args ...string) {
		cmd := exec.Command("callgate", args...)
		cmd.Env = append(os.Environ(), append(places, link.TokenVariable+"="+s.Token)...)
		out, _ := cmd.CombinedOutput() // its exit code is irrelevant
		told[strings.Join(args[:min(3, len(args))], " ")] = string(out)
	}
	run("discord", "setup", "--api-url", s.URL(), "--server", s.Guild, "--channel", s.Channel, "--person", "ann="+ann.ID, "--write")
	run("discord", "setup", "--post", "--json")
	serving := exec.Command("callgate", "serve", "--quiet")
	serving.Env = append(os.Environ(), append(places, link.TokenVariable+"="+s.Token)...)
	var log heard
	serving.Stdout, serving.Stderr = &log, &log
	if err := serving.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := s.WaitCommands(ctx); err != nil {
		_ = serving.Process.Kill()
		t.Fatalf("the bot did not come: %v\n%s", err, log.String())
	}
	if runtime.GOOS == "linux" {
		line, err := os.ReadFile("/proc/" + strconv.Itoa(serving.Process.Pid) + "/cmdline")
		if err != nil {
			t.Error(err)
		}
		told["the command line"] = string(line)
	}
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		m, err := s.WaitMessage(ctx, func(m discordtest.Message) bool { return len(m.Components) > 0 && !m.Deleted })
		if err == nil {
			_, err = ann.Click(ctx, m.ID, "Deny")
		}
		if err != nil {
			t.Errorf("the card: %v", err)
		}
	}()
	run("check", "Bash", `{"command": "npm install"}`, "--session", "s1", "--call-id", "c1")
	<-answered
	run("discord", "status")
	run("discord", "test")
	run("doctor")
	run("audit", "list", "--json")
	// A token unknown to Discord is an error of every call; so is none at all.
	s.ResetToken()
	run("discord", "status", "--json")
	_ = serving.Process.Signal(syscall.SIGTERM)
	if err := serving.Wait(); err != nil {
		t.Errorf("serve ended with %v", err)
	}
	told["the log"] = log.String()
	if !strings.Contains(told["the log"], "showing asks in Discord") || !strings.Contains(told["audit list --json"], "ask_answered") && !strings.Contains(told["audit list --json"], ann.ID) {
		t.Errorf("the flow did not run: %s", told["the log"])
	}
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		told["the file "+path], told["the name "+path] = string(text), path
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	secret := s.Token[strings.LastIndexByte(s.Token, '.')+1:]
	for where, text := range told {
		if strings.Contains(text, secret) {
			t.Errorf("%s holds the bot's token", where)
		}
	}
}

// TestTakeVariable: a taken variable is no longer inherited.
func TestTakeVariable(t *testing.T) {
	t.Setenv("CALLGATE_TRY_VARIABLE", "x")
	if got := takeVariable("CALLGATE_TRY_VARIABLE"); got != "x" {
		t.Errorf("got %q, want x", got)
	}
	if _, there := os.LookupEnv("CALLGATE_TRY_VARIABLE"); there {
		t.Error("the variable is still there")
	}
}
