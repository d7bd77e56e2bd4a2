package assembly_test

import (
	"encoding/json"
	"testing"

	"github.com/callgate/callgate/engine"
)

// attacksBySpelling are ways of threat T06 behind rarer programs and options.
var attacksBySpelling = map[string][]string{
	"what another command lists": {
		"ls CONFIG/* | xargs rm", "echo CONFIG/callgate.yaml | xargs rm", "find . -name .callgate.yaml | xargs rm", "find . -name .callgate.yaml -print0 | xargs -0 rm -f", "echo CONFIG/callgate.yaml | xargs -I F sh -c 'rm F'",
		"find . -name .callgate.yaml -exec rm {} +", "find . -name settings.json -exec sed -i s/a/b/ {} ;", "printf 'w .claude/settings.json\\n' | ed notes.txt", "xargs -a STATE/admin.token echo", "xargs --arg-file=STATE/admin.token",
		"parallel -a STATE/admin.token echo", "ls .claude/settings.json | parallel rm", "rm $(find CONFIG -name 'callgate*')", "pgrep callgate | xargs kill", "lsof -ti:7433 | xargs kill -9", "pidof callgate | xargs -r kill",
	},
	"git": {
		"git apply x.patch --directory=.claude", "git apply --directory .claude x.patch", "git checkout HEAD~3 -- ':(glob).claude/**'", "git checkout HEAD~3 -- ':(top).callgate.yaml'", "git checkout HEAD~3 -- :/.callgate.yaml",
		"git clean -fd .callgate.yaml", "git clone https://example.com/x .claude", "git archive HEAD -o .claude/settings.json", "git archive --output=.claude/settings.json HEAD", "git format-patch -o CONFIG HEAD~1", "git --git-dir=CONFIG/.git init",
		"GIT_WORK_TREE=CONFIG git checkout -f", "GIT_DIR=x GIT_WORK_TREE=CONFIG git reset --hard", "git read-tree -u --reset --prefix=.claude HEAD", "git checkout-index --prefix=CONFIG/ -a", "git grep --no-index cg_ STATE",
		"git restore .claude/settings.json", "git restore --staged --worktree .claude/settings.json", "git restore -SW .callgate.yaml", "git worktree add CONFIG", "git stash push .claude/settings.json",
	},
	"archives": {
		"tar xf x.tar .claude", "tar -xf x.tar .callgate.yaml", "7z x a.7z -oCONFIG", "7z x -oCONFIG a.7z", "foo -oCONFIG/callgate.yaml",
	},
	"other names": {
		"alias x='callgate asks'; x approve 1", "alias x=callgate", "find . -path '*/.claude/*' -delete", "find . -ipath './.claude/settings.json' -exec rm {} +",
	},
	// cd ~; cd .local; cd state; grep -r . printed the administrator's token: with more
	// directories than were followed, a reader without operands named no place at all.
	"unknown directories": {
		"cd \"$D\"; grep -r .", "cd \"$D\" && grep -rn cg_ .", "cd \"$D\"; rg cg_", "cd \"$D\"; cat admin.token", "cd \"$D\"; cat *", "cd \"$D\" && cp -r . /tmp/x", "cd \"$D\"; tar cf /tmp/x.tar .", "cd \"$D\"; rm -rf *", "cd \"$D\"; rm -rf .",
		"cd \"$D\"; echo x > callgate.yaml", "cd \"$D\"; echo x > settings.json", "cd \"$D\"; mv a admin.token", "cd \"$D\"; sed -i s/a/b/ callgate.yaml", "cd .; cd .claude; echo x > settings.json", "cd a; cd b; cd c; cd d; cd e; cd f; grep -r .", "popd; head -n 1 admin.token", "cd -; cat admin.token",
		"cd \"$D\"; python3 -m base64 admin.token", "python3 -m base64 STATE/admin.token", "sqlite3 :memory: \"select readfile('STATE/admin.token')\"", "frob --in=STATE/admin.token", "F=STATE/admin.token frob", "fd token STATE -x cat", "echo STATE/admin.token | tar cf x -T -",
	},
	"other roots": {"chroot CONFIG rm callgate.yaml", "chroot ROOT rm config/callgate.yaml"},
	"other wrappers": {
		"setarch -R callgate asks approve 1", "setpriv --reuid 0 callgate asks approve 1", "numactl -C 0 callgate asks approve 1", "foo -- callgate asks approve 1", "sg root -c 'callgate asks approve 1'", "hyperfine 'callgate asks approve 1'",
		"nix-shell --run 'callgate asks approve 1'", "npm exec -c 'callgate asks approve 1'", "watchexec callgate asks approve 1", "split --filter='callgate asks approve 1' x", "GIT_EDITOR='callgate asks approve 1' git commit",
		"PAGER='callgate asks approve 1' man ls", "GIT_SSH_COMMAND='callgate asks approve 1' git fetch", "EDITOR='callgate asks approve 1' crontab -e", "a=call b=gate; $a$b asks approve 1", "${X:-callgate} asks approve 1", "$'\\x63allgate' asks approve 1",
	},
	"processes": {"pkill -P 1", "pkill -F x.pid", "renice 19 -p PID", "renice 19 PID", "taskset -p 1 PID", "ionice -p PID", "chrt -p 1 PID"},
	"code": {
		"python3 -c \"import shutil; shutil.rmtree('.claude')\"", "python3 -c \"import os; os.rename('.claude', 'x')\"", "python3 -c \"import pathlib; (pathlib.Path('.')/'.claude'/'settings.json').write_text('x')\"",
		"python3 -c \"import os; open(os.path.join('.claude', 'settings.local.json'), 'w')\"", "python3 -c \"import fcntl, termios; fcntl.ioctl(0, termios.TIOCSTI, b'y')\"", "perl -e 'system(\"callgate\", \"asks\", \"approve\")'",
	},
}

func TestT06_Spellings(t *testing.T) {
	w := newProtectedWorld(t)
	for way, commands := range attacksBySpelling {
		t.Run(way, func(t *testing.T) {
			for _, command := range commands {
				w.wantProtected(t, w.bash(w.Replace(command)))
			}
		})
	}
}

// TestT06_EverydayCommands are agents' everyday commands. None of it is the gate's business, in
// a project with settings of its own, too.
func TestT06_EverydayCommands(t *testing.T) {
	w := newProtectedWorld(t)
	for _, command := range []string{
		"cd \"$D\" && ls", "cd \"$D\"; echo x > notes.txt", "cd \"$D\"; cat README.md", "cd \"$D\" && npm test", "cd \"$D\"; cp a b", "cd - && git status", "cd a; cd b; cd c; cd d; cat x",
		"[ -f .env ] && echo yes", "if [ -d build ]; then ls build; fi", "[ -f .claude/settings.json ] && echo yes", "[[ -f x ]] && [ -z \"$Y\" ]", "test -f .claude/settings.json",
		"sed -n '1,20p' .claude/settings.json", "sed -n 1,20p CONFIG/callgate.yaml", "sed -i 's/.claude\\/settings.json/x/' notes.txt", "sed -i 's#callgate serve#callgate run#' notes.txt", "awk '{print $1}' .claude/settings.json",
		"find . -type d -name __pycache__ -exec rm -rf {} +", "find . -name '*.orig' -exec rm -f {} ';'", "find src -name '*.go' -exec sed -i s/a/b/ {} +", "find . -type f -name '*.js' -exec prettier --write {} +",
		"git restore --staged .claude/settings.json", "git reset HEAD .claude/settings.json", "git reset -- .callgate.yaml", "git restore --staged .", "git restore -S .callgate.yaml", "git archive HEAD -o x.tar", "git clone https://github.com/callgate/callgate",
		"git apply x.patch", "git clean -fd", "git format-patch -o out HEAD~1", "git worktree add ../wt", "GIT_EDITOR=true git commit --amend", "GIT_PAGER=cat git log", "git grep -n 'callgate serve' -- docs",
		"lsof -ti:3000 | xargs kill -9", "lsof -ti :3000 | xargs -r kill", "pgrep -f zzzvite | xargs kill", "npm start & JOB=$!; sleep 5; kill $JOB", "node x.js &\nSERVER=$!\ncurl localhost:3000\nkill \"$SERVER\"", "npm start & P=$!; trap 'kill $P' EXIT",
		"git ls-files | xargs sed -i s/a/b/", "find . -name '*.js' | xargs rm", "ls *.txt | xargs rm", "cat list | xargs -n1 echo", "echo build | xargs rm -rf", "ls .claude | xargs -n1 echo", "cat .claude/settings.json | xargs echo",
		"tar xf x.tar src", "tar czf x.tgz .claude", "7z x a.7z -oout", "gcc -I/usr/include -Isrc x.c", "chroot /mnt/nowhere ls", "hyperfine 'go test ./...'", "gh pr create --title 'callgate asks' --body 'callgate serve, callgate rules add'",
		"go test ./... -run callgate", "npm test -- callgate", "docker build -t callgate .", "gh issue create --title 'callgate asks hangs'", "python3 -c \"import os; print(os.listdir('src'))\"", "renice 19 -p 999999", "taskset 1 ls", "nice -n 5 go test",
		"echo 'callgate asks approve 1' >> notes.txt", "printf 'callgate serve\\n' > build/x.md", "go run ./src/callgate serve", "EDITOR=vim crontab -l", "alias ll='ls -l'", "find . -path './node_modules/*' -delete", "find . -path '*/build/*' -name '*.o' -delete", "BASH_ENV=build/x bash -c true",
	} {
		r := w.bash(w.Replace(command))
		if d := w.evaluate("bypass", r); d.Code == engine.CodeSelfProtection {
			t.Errorf("%s: denied: %s", r.Input, d.Reason)
		}
	}
	for _, c := range [][2]string{
		{"AskUserQuestion", `{"questions":[{"question":"Which?","header":"x","options":[{"label":".claude/settings.json","description":"CONFIG/callgate.yaml"}],"multiSelect":false}]}`},
		{"Skill", `{"skill":"update-config","args":".claude/settings.json"}`},
		{"mcp__slack__post", `{"text":"see ~/.claude/settings.json"}`},
		{"mcp__memory__add", `{"observations":["the file .claude/settings.json has hooks"]}`},
		{"mcp__postgres__query", `{"sql":"select * from x where path='~/.claude/settings.json'"}`},
		{"mcp__filesystem__read_text_file", `{"path":"PROJECT/.claude/settings.json"}`},
		{"mcp__github__get_file_contents", `{"owner":"o","repo":"r","path":".claude/settings.json"}`},
	} {
		r := w.request(c[0], json.RawMessage(w.Replace(c[1])))
		if d := w.evaluate("bypass", r); d.Code == engine.CodeSelfProtection {
			t.Errorf("%s %s: denied: %s", r.Tool, r.Input, d.Reason)
		}
	}
	for _, c := range [][2]string{
		{"mcp__filesystem__read_text_file", `{"path":"STATE/admin.token"}`}, {"mcp__x__note", `{"text":"x y/../../config/callgate.yaml"}`},
		{"mcp__filesystem__read_and_write", `{"path":"PROJECT/.claude/settings.json"}`},
	} {
		w.wantProtected(t, w.request(c[0], json.RawMessage(w.Replace(c[1]))))
	}
}
