// Command mutations takes each promise's line of code away and expects the test that
// docs/seeds.md cites for it to fail. The tree is never touched: go test reads the
// changed file through an overlay. Run it from the root of the repository:
//
//	go run ./testdata/mutations [-run REGEXP] [-jobs N]
//
// It fails when a test passes without its line, when a line is not there any more, and
// when a change does not compile: then the table has to be corrected.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

// mutation is one line of a promise, and what becomes of it.
type mutation struct {
	// promise says what the line is for.
	promise string
	// file holds the text from exactly once; to stands there in the changed one.
	file, from, to string
	// pack and test are what fails without the line: a package and a test of it.
	pack, test string
}

// patience is for a test that hangs without its line: that is a failure of the test.
const patience = 5 * time.Minute

func main() {
	only := flag.String("run", "", "only mutations whose promise, file or test match")
	jobs := flag.Int("jobs", 2, "how many run at once")
	flag.Parse()
	if err := run(*only, *jobs); err != nil {
		fmt.Fprintln(os.Stderr, "mutations:", err)
		os.Exit(1)
	}
}

func run(only string, jobs int) error {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	var chosen []mutation
	for _, m := range table {
		if pattern.MatchString(m.promise + " " + m.file + " " + m.pack + " " + m.test) {
			chosen = append(chosen, m)
		}
	}
	dir, err := os.MkdirTemp("", "callgate-mutations")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	places := make(chan struct{}, max(1, jobs))
	var group sync.WaitGroup
	var mu sync.Mutex
	done := 0
	var wrong []string
	for i, m := range chosen {
		places <- struct{}{}
		group.Go(func() {
			defer func() { <-places }()
			began := time.Now()
			err := m.caught(filepath.Join(dir, fmt.Sprint(i)))
			mu.Lock()
			defer mu.Unlock()
			done++
			verdict := "caught"
			if err != nil {
				verdict = "WRONG: " + err.Error()
			}
			line := fmt.Sprintf("%s: %s %s: %s", m.promise, m.pack, m.test, verdict)
			fmt.Printf("%3d/%d %5.1fs %s\n", done, len(chosen), time.Since(began).Seconds(), line)
			if err != nil {
				wrong = append(wrong, line)
			}
		})
	}
	group.Wait()
	if len(wrong) > 0 {
		return fmt.Errorf("%d of %d promises are not held by their test:\n%s", len(wrong), len(chosen), strings.Join(wrong, "\n"))
	}
	return nil
}

// caught runs the test on the changed file; nil means that it failed, as it should.
func (m mutation) caught(dir string) error {
	overlay, err := m.overlay(dir)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	arguments := []string{"test", "-overlay", overlay, "-count=1", "-timeout", patience.String(), "-run", "^" + m.test + "$", m.pack}
	if drawn, err := m.draws(ctx); err != nil {
		return err
	} else if drawn {
		arguments = append(arguments, "-rapid.seed=1", "-rapid.nofailfile")
	}
	cmd := exec.CommandContext(ctx, "go", arguments...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case bytes.Contains(out, []byte("no tests to run")):
		return fmt.Errorf("there is no such test")
	case err == nil:
		return errors.New("the test passes without the line")
	case !errors.As(err, &exit):
		return err
	case bytes.Contains(out, []byte("panic: test timed out")):
		return errors.New("the test hangs without the line")
	case !bytes.Contains(out, []byte("--- FAIL")) && !bytes.Contains(out, []byte("\npanic: ")):
		return fmt.Errorf("it does not run: %s", firstLines(out))
	}
	return nil
}

// draws reports whether tests of the package are property tests. They draw the same
// inputs as those of make test.
func (m mutation) draws(ctx context.Context) (bool, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-f", "{{.TestImports}}{{.XTestImports}}", m.pack).Output()
	return bytes.Contains(out, []byte("pgregory.net/rapid")), err
}

// overlay writes the changed file and what go test needs to read it.
func (m mutation) overlay(dir string) (string, error) {
	text, err := os.ReadFile(m.file)
	if err != nil {
		return "", err
	}
	if n := bytes.Count(text, []byte(m.from)); n != 1 {
		return "", fmt.Errorf("%s holds the line %d times, want once: correct the table", m.file, n)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	changed := filepath.Join(dir, filepath.Base(m.file))
	if err := os.WriteFile(changed, bytes.Replace(text, []byte(m.from), []byte(m.to), 1), 0o600); err != nil {
		return "", err
	}
	original, err := filepath.Abs(m.file)
	if err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": {original: changed}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, list, 0o600)
}

func firstLines(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.Join(lines[:min(3, len(lines))], " / ")
}
