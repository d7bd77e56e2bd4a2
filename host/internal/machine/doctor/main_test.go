package doctor_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestMain makes the test's own binary a hook under that name.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "callgate" {
		os.Exit(hook(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// character is the argument for the hook's kind.
const character = "--config"

// hook is a hook of the character named by its arguments:
//   - sound denies with code 2 on any failure;
//   - careless ends with code 1 then, as a program unaware of its
//     client;
//   - chatty writes its log to stdout and ends with code 0;
//   - deaf never answers its client when the daemon does not answer it.
func hook(args []string) int {
	kind := flagOf(args, character)
	if kind == "chatty" {
		fmt.Println("asking the daemon")
		return 0
	}
	err := judged(args, kind == "deaf")
	fmt.Fprintln(os.Stderr, "denied:", err)
	if kind == "careless" && err != errDenied {
		return 1
	}
	return 2
}

var errDenied = fmt.Errorf("self_protection")

// judged asks the daemon and returns why the call is denied.
func judged(args []string, deaf bool) error {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	if !json.Valid(text) {
		return fmt.Errorf("the payload is no JSON")
	}
	conn, err := net.Dial("unix", strings.TrimPrefix(flagOf(args, "--endpoint"), "unix:"))
	if err != nil {
		return err
	}
	if !deaf {
		limit, err := time.ParseDuration(flagOf(args, "--timeout"))
		if err != nil {
			return err
		}
		if err := conn.SetDeadline(time.Now().Add(limit / 10)); err != nil {
			return err
		}
	}
	answer, err := bufio.NewReader(conn).ReadString('\n')
	if err == nil && answer != "denied\n" {
		err = fmt.Errorf("the daemon said %q", answer)
	}
	if err == nil {
		err = errDenied
	}
	return err
}

func flagOf(args []string, name string) string {
	if i := slices.Index(args, name); i >= 0 && i+1 < len(args) {
		return args[i+1]
	}
	return ""
}
