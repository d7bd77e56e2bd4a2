package program_test

import (
	"testing"

	"github.com/callgate/callgate/plugins/bash/internal/program"
)

func TestPrints(t *testing.T) {
	t.Parallel()
	for command, want := range map[string][2]bool{
		"git merge-base HEAD main": {true, false}, "git merge-base a b": {true, false}, "git merge-base --is-ancestor a b": {}, "git rev-parse HEAD": {true, false}, "git rev-parse --short HEAD~2": {true, false},
		"git rev-parse HEAD:.env": {}, "git rev-parse .env": {}, "git rev-parse --foo": {}, "git rev-parse -- --output=x": {}, "git rev-parse --show-toplevel": {}, "git rev-parse secrets/key": {}, "git rev-parse": {},
		"git describe --tags --abbrev=0": {true, false}, "git branch --show-current": {true, false}, "git branch": {}, "git branch x": {}, "git symbolic-ref --short HEAD": {true, false}, "git symbolic-ref HEAD refs/heads/x": {},
		"git log -1 --format=%H": {true, false}, "git log -1 --format=%s": {}, "git log": {}, "git log -1 --format=%H --output=x": {}, "date +%s": {true, false}, "date '+%Y-%m-%d'": {true, false}, "date +-R": {}, "date '+%F -x'": {}, "date -s x": {},
		"wc -l": {true, false}, "wc -l f": {}, "grep -c x": {true, false}, "grep -c x f": {true, false}, "grep -rc x f": {}, "grep x f": {}, "nproc": {true, false}, "curl x": {}, "cat f": {}, "echo x": {},
		"git ls-files": {false, true}, "git ls-files -s": {}, "find . -name x": {false, true}, "find . -delete": {}, "find . -printf %p": {}, "ls": {false, true}, "ls -l": {}, "rg --files": {false, true}, "rg x": {}, "grep -l x a b": {false, true},
	} {
		u := program.Read(quotedWords(command))
		if got := [2]bool{u.PrintsPlain(), u.PrintsNames()}; got != want {
			t.Errorf("%s: prints plain words, names: got %v, want %v", command, got, want)
		}
	}
}
