package shelltest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// recorders is the name of the recorders' directory.
	recorders = "shelltest-recorders"
	logFile   = "log"
	shellFile = "shells"
)

// Names are invented programs. They end with 0 and print their arguments; Fail ends with 1.
var Names = []string{"alfa", "bravo", "cargle", "deltoid", "xx-run", "vim9x"}

// Fail is the program ending with 1.
const Fail = "nayx"

// Wrappers are real names: their recorders run the command in their arguments,
// unless an option comes first, as the shell's own PATH search would find it.
var Wrappers = []string{"env", "nohup", "sudo", "time"}

// ShellNames are recorders passing their arguments and input to the real shell of the same name; sh
// is dash.
var ShellNames = []string{"sh", "bash", "dash", "zsh"}

// Variables are the logged names of the environment.
var Variables = []string{"X", "Y", "FOO"}

// Programs are the names of a Lab's recorders.
func Programs() []string {
	return slices.Concat(Names, []string{Fail}, Wrappers, ShellNames)
}

// Run is one program run by a shell.
type Run struct {
	Program string
	// Args are the arguments after the program's name.
	Args []string
	// Dir is absolute.
	Dir string
	// Env are those of Variables in the environment.
	Env map[string]string
}

// Record logs the process's arguments, acts according to its name, and ends the process. It knows
// its name and place from its path: a line may change the environment.
func Record() {
	self, err := os.Executable()
	if err != nil {
		os.Exit(125)
	}
	os.Exit(record(filepath.Base(self), filepath.Dir(filepath.Dir(self))))
}

func record(name, lab string) int {
	run := Run{Program: name, Args: os.Args[1:], Env: map[string]string{}}
	run.Dir, _ = os.Getwd() // the empty string stands for none
	for _, v := range Variables {
		if value, ok := os.LookupEnv(v); ok {
			run.Env[v] = value
		}
	}
	text, err := json.Marshal(run)
	if err != nil {
		return 125
	}
	log, err := os.OpenFile(filepath.Join(lab, logFile), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		fmt.Fprintln(os.Stderr, "recorder:", err)
		return 125
	}
	if _, err := log.Write(append(text, '\n')); err != nil {
		return 125
	}
	_ = log.Close() // the line is written
	switch {
	case name == Fail:
		return 1
	case slices.Contains(Wrappers, name):
		return wrap(lab, run.Args, name == "env" || name == "sudo")
	case slices.Contains(ShellNames, name):
		return shell(lab, name, run.Args)
	}
	_, _ = fmt.Println(strings.Join(run.Args, " ")) // the reader may be gone
	return 0
}

// wrap runs the command in args, after the assignments before it if there may be
// some.
func wrap(lab string, args []string, assigns bool) int {
	for assigns && len(args) > 0 && strings.Contains(args[0], "=") {
		name, value, _ := strings.Cut(args[0], "=")
		_ = os.Setenv(name, value) // an invalid name is not in Variables
		args = args[1:]
	}
	if len(args) == 0 || !slices.Contains(Programs(), args[0]) {
		return 127
	}
	err := become(filepath.Join(lab, recorders, args[0]), args)
	fmt.Fprintln(os.Stderr, "recorder:", err)
	return 126
}

// shell gives args to the real shell called name.
func shell(lab, name string, args []string) int {
	text, err := os.ReadFile(filepath.Join(lab, shellFile))
	if err != nil {
		return 125
	}
	if name == "sh" {
		name = "dash"
	}
	for _, s := range strings.Fields(string(text)) {
		if filepath.Base(s) != name {
			continue
		}
		argv := []string{name}
		if name == "zsh" {
			argv = append(argv, "-f")
		}
		_ = become(s, append(argv, args...)) // the status reports its failure
	}
	return 127
}
