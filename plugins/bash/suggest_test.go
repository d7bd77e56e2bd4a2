package bash_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/plugins/bash"
	"github.com/callgate/callgate/sdk/go/tool"
)

func suggested(command string) []string {
	var out []string
	for _, s := range bash.Spec.Suggest(callOf(command)) {
		out = append(out, *s.Content)
	}
	return out
}

const checks = "{build,bundle,check,dev,fmt,format,format:check,lint,lint:check,lint:fix,start,test,test:ci,test:e2e,test:integration,test:unit,test:watch,type-check,typecheck}"

func TestSuggestions(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, command string
		want          []string
	}{
		{"the script first, then exact", "npm run build", []string{"npm run " + checks + ":*", "npm run build:*", "npm run build"}},
		{"one rule per command", "git add . && git commit -m x", []string{"git add:*", "git commit:*", "git add . && git commit -m x"}},
		{"read-only parts need none", "cat a | grep b && npm test", []string{"npm test:*", "cat a | grep b && npm test"}},
		{"twice the same", "npm run a && npm run a", []string{"npm run a:*", "npm run a && npm run a"}},
		{"cd inside needs none", "cd web && npm ci", []string{"npm ci:-*", "cd web && npm ci"}},
		{"cd outside is a rule of its own", "cd /srv/x && npm ci", []string{"cd /srv/x", "npm ci:-*", "cd /srv/x && npm ci"}},
		{"cd to where the line computes: the line only", "cd $X && npm ci", []string{"cd $X && npm ci"}},
		{"one word", "make", []string{"make"}},
		{"a make target, and no further one", "make build", []string{"make " + checks + ":-*", "make build:-*", "make build"}},
		{"options before the target", "make -j8 build", []string{"make " + checks + ":-*", "make build:-*", "make -j8 build"}},
		{"an option that chooses stays", "make -f x build", []string{"make -f x " + checks + ":-*", "make -f x build:-*", "make -f x build"}},
		{"options before the sub-command", "pnpm --filter api test", []string{"pnpm test:*", "pnpm --filter api test"}},
		{"and before the script", "pnpm --filter api run lint --fix", []string{"pnpm run " + checks + ":*", "pnpm run lint:*", "pnpm --filter api run lint --fix"}},
		{"a tool that npx runs", "npx tsc --noEmit 2>&1 | head -30", []string{"npx tsc:*", "npx tsc --noEmit 2>&1 | head -30"}},
		{"a module of Python", "python -m pytest -q", []string{"python -m {basedpyright,black,flake8,isort,mypy,pylint,pyright,pytest}:*", "python -m pytest:*", "python -m pytest -q"}},
		{"what uv runs", "uv run pytest -q", []string{"uv run {basedpyright,black,flake8,isort,mypy,pylint,pyright,pytest}:*", "uv run pytest:*", "uv run pytest -q"}},
		{"a wrapper of the project", "./gradlew test --info", []string{"./gradlew " + checks + ":-*", "./gradlew test:-*", "./gradlew test --info"}},
		{"what timeout runs", "timeout 60 npm run test", []string{"npm run " + checks + ":*", "npm run test:*", "timeout 60 npm run test"}},
		{"what env runs", "env CI=1 nice -n 5 go test ./...", []string{"go {build,test,vet}:*", "go test:*", "env CI=1 nice -n 5 go test ./..."}},
		{"a program where the system keeps it", "/opt/homebrew/bin/gh pr checkout 4", []string{"gh pr checkout:* without --force -f", "/opt/homebrew/bin/gh pr checkout 4"}},
		{"another directory's program", "/tmp/gh pr checkout 4", []string{"/tmp/gh pr checkout 4"}},
		{"git in a directory of the project", "git -C web add a", []string{"git {add,commit}:*", "git add:*", "git -C web add a"}},
		{"git elsewhere", "git -C /srv/x add a", []string{"git -C /srv/x {add,commit}:*", "git -C /srv/x add:*", "git -C /srv/x add a"}},
		{"what others see comes as it stands first", "git push -u origin main 2>&1 | tail -3", []string{
			"git push -u origin main", "git push origin:* without --force --force-with-lease --delete --mirror --prune --all --tags --no-verify --repo", "git push -u origin main 2>&1 | tail -3",
		}},
		{"and as it stands among others", "git add a && git push", []string{"git add:*", "git push", "git add a && git push"}},
		{"what fetches code: as it stands", "pip install requests 2>&1 | tail -2", []string{"pip install requests", "pip install requests 2>&1 | tail -2"}},
		{"what only reads of a service", "gh run watch 5 && gh api x/y -q .a > f", []string{"gh run watch 5 && gh api x/y -q .a > f"}},
		{"xargs adds words: the line only", "ls | xargs rm", []string{"ls | xargs rm"}},
		{"xargs with a harmless program", "ls | xargs git add", []string{"xargs git {add,commit}:*", "xargs git add:*", "ls | xargs git add"}},
		{"xargs with options", "xargs -n1 rm", []string{"xargs -n1 rm"}},
		{"a harmless variable", "NODE_ENV=x npm test", []string{"npm test:*", "NODE_ENV=x npm test"}},
		{"an unknown variable: the line only", "SECRET=1 npm test", []string{"SECRET=1 npm test"}},
		{"stars are escaped", "rm *.log", []string{`rm \*.log`}},
		{"backslashes are escaped", `grep 'a\b' x > y`, []string{`grep 'a\\b' x > y`}},
		{"a redirection: the line only", "npm test > out.txt", []string{"npm test > out.txt"}},
		{"an option is no sub-command", "npm -g install x", []string{"npm -g install x"}},
		{"a script of the project", "./run.sh --fast", []string{"./run.sh:*", "./run.sh --fast"}},
		{"a script that node runs", "node scripts/x.js a", []string{"node scripts/x.js:*", "node scripts/x.js a"}},
		{"a script that uv runs", "uv run scripts/x.py --a", []string{"uv run scripts/x.py:*", "uv run scripts/x.py --a"}},
		{"a script that a program behind another runs", "npx tsx scripts/x.ts a", []string{"npx tsx scripts/x.ts:*", "npx tsx scripts/x.ts a"}},
		{"a script of the path", "x.sh a", []string{"x.sh a:*", "x.sh a"}},
		{"a script in passing", "node /tmp/x.js a", []string{"node /tmp/x.js a"}},
		{"a program of the project", "./bin/app status -v", []string{"./bin/app status:*", "./bin/app status -v"}},
		{"what runs the program it is given", "anyproxy git add a", []string{"anyproxy git {add,commit}:*", "anyproxy git add:*", "anyproxy git add a"}},
		{"and one that others see", "anyproxy git push", []string{"anyproxy git push"}},
		{"a script of another name", "npm run css", []string{"npm run css:*", "npm run css"}},
		{"one program behind another", "fnm exec --using=24 -- corepack pnpm exec vitest run a", []string{"pnpm exec {eslint,jest,mocha,oxfmt,oxlint,prettier,stylelint,svelte-check,tsc,vitest,vue-tsc}:*", "pnpm exec vitest:*", "fnm exec --using=24 -- corepack pnpm exec vitest run a"}},
		{"one's own branch", "git push -u origin feat/x", []string{
			"git push origin:* without --force --force-with-lease --delete --mirror --prune --all --tags --no-verify --repo --follow-tags main master release production", "git push -u origin feat/x",
		}},
		{"a version", "git push origin v1.2", []string{"git push origin v1.2", "git push origin:* without --force --force-with-lease --delete --mirror --prune --all --tags --no-verify --repo"}},
		{"what the remote has", "git pull --rebase origin feat/x", []string{"git pull origin:* without --force", "git pull --rebase origin feat/x"}},
		{"a new branch", "git checkout -b x origin/main", []string{"git checkout -b:* without --force -B --orphan", "git checkout -b x origin/main"}},
		{"out of the index", "git restore --staged a", []string{"git restore --staged:* without --worktree", "git restore --staged a"}},
		{"a script that node runs by its name", "node --run test", []string{"node --run " + checks + ":* without --run", "node --run test:* without --run", "node --run test"}},
		{"words for a pull request", "gh pr edit 6 --title 'feat: x'", []string{"gh pr {create,edit}:* without --repo --body-file --template --recover", "gh pr edit:* without --repo --body-file --template --recover", "gh pr edit 6 --title 'feat: x'"}},
		{"replies of a pull request", "gh api repos/o/r/pulls/201/comments/278/replies -f body='Fixed in 1.'", []string{"gh api POST repos/o/r/pulls/*/comments/*/replies", "gh api repos/o/r/pulls/201/comments/278/replies -f body='Fixed in 1.'"}},
		{"a field of another meaning", "gh api repos/o/r/issues/1/comments -f state=closed", []string{"gh api repos/o/r/issues/1/comments -f state=closed"}},
		{"a review", "gh api repos/o/r/pulls/1/reviews -f body=x", []string{"gh api repos/o/r/pulls/1/reviews -f body=x"}},
		{"what only shortens the output", "rtk git add a", []string{"git {add,commit}:*", "git add:*", "rtk git add a"}},
		{"what rtk changes", "rtk test npm test", []string{"rtk test npm test"}},
		{"what corepack chooses", "corepack pnpm install", []string{"pnpm install:-* without --global", "corepack pnpm install"}},
		{"a PATH of one command", "env PATH=/home/u/node/bin:/usr/bin node x.js", []string{"env PATH=/home/u/node/bin:/usr/bin node x.js:*", "env PATH=/home/u/node/bin:/usr/bin node x.js"}},
		{"a variable set by env", "env FOO=1 npm run gen", []string{"env FOO=1 npm run gen:*", "env FOO=1 npm run gen"}},
		{"a script behind a runner, its first argument no sub-command", "uv run --python 3.12 scripts/x.py make --all", []string{"uv run --python 3.12 scripts/x.py:*", "uv run --python 3.12 scripts/x.py make --all"}},
		{"all settings of git", "git config --global -l", []string{"git config: read", "git config --global -l"}},
		{"one setting of git", "git config --get http.extraheader", []string{"git config --get http.extraheader"}},
		{"a reset that keeps the files", "git reset HEAD~1", []string{"git reset:* without --hard --merge --keep", "git reset HEAD~1"}},
		{"a PATH of everybody's: none", "env PATH=/tmp/x:/usr/bin node x.js", nil},
		{"a PATH of the line: none", "export PATH=/home/u/bin; node x.js", nil},
		{"reading from a host", "curl -sL https://Docs.example.com/a?b=c | head", []string{"curl GET https://docs.example.com/*", "curl -sL https://Docs.example.com/a?b=c | head"}},
		{"reading from this machine", "curl -s -o /dev/null -w '%{http_code}' localhost:3000/a", []string{"curl GET http://localhost:3000/*", "curl -s -o /dev/null -w '%{http_code}' localhost:3000/a"}},
		{"sending to this machine", "curl -X POST -H 'A: b' -d '{}' http://127.0.0.1:8080/a", []string{"curl -X POST -H 'A: b' -d '{}' http://127.0.0.1:8080/a", "curl POST http://127.0.0.1:8080/*"}},
		{"sending elsewhere", "curl -d x https://example.com", []string{"curl -d x https://example.com"}},
		{"sending a file", "curl -d @x http://localhost/a", []string{"curl -d @x http://localhost/a"}},
		{"two hosts", "curl https://a.example https://b.example", []string{"curl https://a.example https://b.example"}},
		{"a name in the address", "curl https://a.example@b.example/", []string{"curl https://a.example@b.example/"}},
		{"several lines", "# first\nnpm test\ngit add a", []string{"npm test:*", "git add:*", "# first\nnpm test\ngit add a"}},
		{"code of several lines: as it stands", "python3 -c \"import x\nx.y()\" | head", []string{"python3 -c \"import x\nx.y()\"", "python3 -c \"import x\nx.y()\" | head"}},
		{"a virtual environment", "source .venv/bin/activate && pytest -q", []string{"source .venv/bin/activate", "pytest:*", "source .venv/bin/activate && pytest -q"}},
		{"one in a directory of the project", "cd web && . venv/bin/activate && make test", []string{". venv/bin/activate", "make " + checks + ":-*", "cd web && . venv/bin/activate && make test"}},
		{"one elsewhere: the line only", "source /srv/x/bin/activate && make test", []string{"source /srv/x/bin/activate && make test"}},
		{"a script that the shell reads: none", "source env.sh && make test", nil},
		{"one that the line writes: none", "echo x > venv/bin/activate; source venv/bin/activate", nil},
		{"one of several: none", "source venv/bin/activate x", nil},
		{"read-only: none", "git status", nil},
		{"substitution", "echo $(make all)", []string{"make all:-*", "echo $(make all)"}},
		{"opaque: none", "eval make", nil},
		{"immune: none", "rm -rf /", nil},
		{"nothing: none", "  ", nil},
		{"many commands", "a b; c d; e f; g h; i j", []string{"a b:*", "c d:*", "e f:*", "g h:*", "i j:*", "a b; c d; e f; g h; i j"}},
		{"too many commands: the line only", strings.Repeat("a; ", 13) + "a b; c d; e f; g h; i j; k l; m n; o p; q r; s t; u v; w x; y z", []string{strings.Repeat("a; ", 13) + "a b; c d; e f; g h; i j; k l; m n; o p; q r; s t; u v; w x; y z"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := suggested(c.command); !slices.Equal(got, c.want) {
				t.Errorf("%q: got %q, want %q", c.command, got, c.want)
			}
		})
	}
}

// TestNeverBroaderThanItLooks: these are only ever offered as their exact text.
func TestNeverBroaderThanItLooks(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"bash -c 'make test'", "sh deploy.sh", "python3 -c 'print(1)'", "node -e 1", "perl -e 1", "command make all", "xargs sh -c ls", "xargs env ls", "npx -y x", "npx --yes x", "uv run python x", "npm exec -- rm x", "docker --context x rm y",
		"rm -rf build", "rm -f a", "find . -delete", "flock l make", "watch make", "kill 5", "ssh host rm x", "ssh host", "tar xzf a.tgz", "heroku run bash", "npm install x", "git stash drop", "git reset --hard", "terraform apply", "kubectl delete pod x",
		"gh api -X DELETE x", "gh secret set A", "npm publish", "make deploy", "npm run deploy:prod", "aws s3 rm s3://a", "docker run x", "docker compose down", "python -m pip install x", "anyproxy run make", "systemctl restart x",
	} {
		for _, content := range suggested(command) {
			if content != command {
				t.Errorf("%q: suggests %q", command, content)
			}
		}
	}
}

func TestSuggestionsCoverTheCall(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"rules.txt", "safety.txt", "edits.txt", "readonly.txt"} {
		for _, c := range readCases(t, file) {
			contents := suggested(c.command)
			if len(contents) > 0 && !matches(c.command, tool.Allow, contents...) {
				t.Errorf("%s:%d: %q: suggestions %q do not cover it", file, c.line, c.command, contents)
			}
			if len(contents) > 0 && bash.Spec.Check(callOf(c.command)).BypassImmune {
				t.Errorf("%s:%d: %q: suggestions for an immune ask", file, c.line, c.command)
			}
		}
	}
}

// TestCovers: a suggestion names the part of the line it is for, as it stands there.
func TestCovers(t *testing.T) {
	t.Parallel()
	long := "npm run build " + strings.Repeat("a", 2000)
	for command, want := range map[string][]string{
		"npm run build":                      {"npm run build", "npm run build", "npm run build"},
		"npm run test && npm run build":      {"npm run test; npm run build", "npm run test && npm run build"},
		"npm run a && npm run a":             {"npm run a", "npm run a && npm run a"},
		"cat a | grep b && npm test -- -t x": {"npm test -- -t x", "cat a | grep b && npm test -- -t x"},
		"git add . && git push":              {"git add .", "git push", "git add . && git push"},
		"timeout 60 go test ./... > out":     {"timeout 60 go test ./... > out"},
		"rm *.log":                           {"rm *.log"},
		long:                                 {long[:1000] + "…", long[:1000] + "…"},
	} {
		var got []string
		for _, s := range bash.Spec.Suggest(callOf(command)) {
			got = append(got, s.Covers)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%.60q: got %.60q, want %.60q", command, got, want)
		}
	}
}
