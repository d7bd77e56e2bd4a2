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
		"npm", "npm run", "npm test", "npm install", "npm ci", "npx", "pnpm", "yarn", "go", "go test", "go build", "go vet", "cargo", "cargo test", "cargo build", "docker", "docker compose", "docker ps", "gh", "gh pr")
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
