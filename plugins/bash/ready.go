package bash

import (
	"github.com/callgate/callgate/plugins/bash/internal/program"
	"github.com/callgate/callgate/sdk/go/tool"
)

// Ready prepares the needs of most lines: the rows of common programs, and the tables of the
// parser and the functions here, by a line touching most of them. Nothing in this package keeps
// anything of a call in a variable; TestKeepsNothing holds that. A row costs about 60 us
// natively, and a start has 150 ms.
func Ready() {
	program.Ready("cd", "ls", "cat", "head", "tail", "wc", "grep", "rg", "find", "sed", "awk", "sort", "uniq", "cut", "tr", "xargs", "jq", "diff", "echo", "printf", "pwd", "test", "[",
		"mkdir", "rm", "cp", "mv", "touch", "chmod", "tee", "sleep", "curl", "make", "tree", "du", "ps", "kill", "which", "env", "sudo", "timeout", "time", "bash", "sh", "node", "python3", "pytest",
		"git", "git status", "git diff", "git log", "git show", "git add", "git commit", "git push", "git pull", "git checkout", "git branch", "git stash", "git fetch", "git rebase",
		"npm", "npm run", "npm test", "npm install", "npm ci", "npx", "pnpm", "yarn", "go", "go test", "go build", "go vet", "cargo", "cargo test", "cargo build", "docker", "docker compose", "docker ps", "gh", "gh pr",
		"git merge", "git rev-parse", "git reset", "git restore", "git switch", "git remote", "git tag", "git ls-files", "git grep", "git blame", "git cherry-pick", "git describe", "git clean", "git stash pop",
		"git submodule", "git worktree", "git worktree add", "npm exec", "npm ls", "npm view", "npm audit", "pnpm install", "yarn add", "go run", "go list", "go mod", "go mod tidy", "go get", "go generate", "go env", "gofmt",
		"gh run", "gh run list", "gh run view", "gh pr view", "docker logs", "docker exec", "docker build", "docker run", "kubectl", "kubectl get", "kubectl logs", "kubectl describe", "kubectl apply", "helm", "terraform",
		"python", "pip", "pip install", "pip list", "pip show", "uv", "uv pip", "uv run", "poetry", "poetry run", "mypy", "ruff", "ruff check", "ruff format", "black", "eslint", "prettier", "tsc", "jest", "vitest", "playwright",
		"mvn", "gradle", "gradlew", "dotnet", "rails", "rspec", "tar", "unzip", "wget", "ssh", "rsync", "less", "ln", "lsof", "pkill", "nohup", "uname", "date", "df", "stat", "file", "yq", "psql", "sqlite3", "systemctl", "set", "export")
	c := &tool.Call[Input]{Tool: "Bash", Input: Input{Command: readyLine}, Context: tool.Context{CWD: "/project", Home: "/home/user", WorkingDirectories: []string{"/project"}}}
	rules := []tool.Rule{{Content: "npm run:*"}}
	Spec.Describe(c)
	Spec.ReadOnly(c)
	Spec.Suggest(c)
	for _, b := range []tool.Behavior{tool.Deny, tool.Allow} {
		Spec.Match(c, b, rules)
	}
}

// readyLine is the line analysed by Ready.
const readyLine = `cd web && npm run build -- --mode "$MODE" 2>&1 | tail -n 5 > out.log; git status && rm -rf dist/*.js || curl -s https://example.com/a`
