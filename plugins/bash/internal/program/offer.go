package program

import (
	"slices"
	"strings"
)

// Offer is how others of a command's kind may be allowed by one rule.
type Offer struct {
	// Named is how many of the words from Plainly the rule names, 0 for the whole command or
	// nothing.
	Named int
	// Lasting puts the exact call first: the kind cannot be undone, or reaches others.
	Lasting bool
	// Family are words as harmless as the last named one, itself included, for one rule to
	// allow together; none where there are no such.
	Family []string
	// Kin means: Family are sub-commands or tools, not the project's own scripts.
	Kin bool
	// Bare permits only options behind, Without forbids words there.
	Bare    bool
	Without []string
}

// offers describe sub-commands and programs; names have alternatives, as in rows. A name
// without entry is judged by its words. RATIONALE.md, "How wide is a suggested rule?".
//
//	only      as it stands only: it destroys, publishes, takes code from elsewhere,
//	          or runs its operands
//	kind      with any arguments
//	options   with any options, and no operand
//	reads     the kind where its name says so, else as it stands only
//	tool      the program itself, with any arguments
//	remote    with the name of the remote, without one with options; as it stands first
//	          unless it names a branch that nothing is built from
//	source    likewise, but the kind first
//	script    with the name of the script or target, and any arguments
//	target    with the name of the target, and any options
//
// The words behind are left out: options in any spelling, or other words.
var offers = offered([]string{
	// git: a reversible command is a kind, without its irreversible options.
	"git add|commit|fetch|cherry-pick|revert|merge|rebase|am|mv|ls-remote|log|show|diff|blame|shortlog|describe|rev-parse|status|merge-base|rev-list|ls-files|ls-tree|show-ref|for-each-ref|name-rev|grep|cat-file|diff-tree|reflog = kind",
	"git push = remote --force --force-with-lease --delete --mirror --prune --all --tags --no-verify --repo",
	"git pull = source --force",
	"git branch = kind --delete -D --force --move -M --copy -C",
	"git tag = kind --delete --force",
	"git switch = kind --force --discard-changes -C",
	"git stash = only",
	"git stash push|save|list|show|pop|apply = kind",
	"git worktree list = kind",
	"git worktree add = kind --force -B",
	"git reset = kind --hard --merge --keep",
	"git checkout|restore|clean|rm|config|clone|init|remote|submodule|worktree|notes|bisect|replace|update-ref|update-index|filter-branch|filter-repo|gc|prune|repack|reflog|symbolic-ref|apply|archive|bundle|daemon|send-email|request-pull|svn|lfs|maintenance|credential|checkout-index|read-tree|fast-import|hash-object|mktag|mktree|pack-refs|hook|difftool|mergetool|gui|instaweb = only",

	// Programs running the scripts and the targets of a project.
	"npm|pnpm|yarn|bun run|run-script = script",
	"npm test|t|tst|start = kind",
	"pnpm|yarn|bun test|t|start = kind",
	"npm ci = options",
	"npm|pnpm|yarn|bun install|i = options --global",
	"npm view|v|info|show|search|ls|list|outdated|why = kind",
	"npm|pnpm|yarn|bun add|a|remove|rm|r|uninstall|un|update|up|upgrade|link|ln|unlink|publish|unpublish|version|deprecate|dist-tag|dist-tags|owner|access|token|login|logout|adduser|config|c|set|exec|x|dlx|create|init|audit|pack|import|patch|global|plugin|deploy|store|env|pkg|cache|team|org|profile|hook|star|rebuild|rb|prune|dedupe|explore|edit|node|npm|workspace|workspaces = only",
	"deno task = script", "deno test|check|lint|fmt|bench|info|doc = kind --allow-all --allow-run --allow-ffi --allow-read --allow-write --allow-net --allow-env --allow-sys --allow-import -R -W -N -E -S -I", "deno = only",
	"mise|asdf run|r = script :::",
	"task|just|make|gmake|bmake|remake|ninja|samu|gradle|gradlew|mvn|mvnw|rake|ant|sbt|lein|scons|waf|invoke|inv|doit|nox|bazel|turbo|jake|grunt|gulp|cake|earthly|pants|buck|buck2|please|plz|msbuild|nant = target",
	"turbo run = target", "nx = only",
	"cargo build|b|check|c|test|t|clippy|fmt|doc|d|bench|run|r|nextest|tree|metadata|audit|llvm-cov|expand|udeps|machete|deny|hack = kind",
	"cargo = only",
	"go build|test|vet|doc|list|generate|fmt|version|tool = kind",
	"go mod = only", "go mod tidy|download|verify|graph|why = kind", "go work = only", "go run|get|install|env|clean|telemetry = only",
	"dotnet build|test|format|restore|run|list = kind", "dotnet = only",
	"swift build|test = kind", "swift = only",
	"flutter|dart analyze|test|format|doctor|devices = kind", "flutter|dart = only",
	"mix test|compile|format|credo|dialyzer = kind", "mix = only",
	"stack|cabal build|test|check = kind", "stack|cabal = only",
	"zig build|test|fmt = kind", "zig = only",
	"bundle|bundler install|i|check|list|show|info|outdated = options", "bundle|bundler = only",
	"uv sync|lock|tree|version|venv = options", "uv = only", "uv pip list|show|freeze|tree|check = kind", "uv pip = only",
	"poetry install|lock|check|show|sync = options", "poetry = only", "pipenv|pdm|rye|hatch install|sync|lock|check|graph|list|show = options", "pipenv|pdm|rye|hatch = only", "hatch|pdm run = script",
	"pip|pip3 list|show|freeze|check|inspect = kind", "pip|pip3 = only", "pipx|gem|composer|conda|mamba|micromamba|easy_install|uvx = only", "composer validate|show|outdated|dump-autoload = options",

	// Checkers, test runners and formatters of the project, by name.
	"ctest = tool -T -M -D -S -SP -A --test-action --test-model --dashboard --script --submit-index",
	"sqlfluff lint|parse|dialects|rules = kind", "sqlfluff = only",
	"pytest|py.test|unittest|jest|vitest|mocha|ava|rspec|phpunit|pest|nose2|nosetests|behave|cucumber|gotestsum|bats|tsc|vue-tsc|svelte-check|eslint|prettier|biome|oxlint|stylelint|standard|xo|mypy|pyright|basedpyright|pylint|flake8|pyflakes|pycodestyle|pydocstyle|bandit|vulture|black|isort|ruff|autoflake|rubocop|standardrb|golangci-lint|staticcheck|govulncheck|gofmt|gofumpt|goimports|shellcheck|shfmt|hadolint|yamllint|markdownlint|markdownlint-cli2|actionlint|knip|depcheck|madge|ktlint|detekt|swiftlint|swiftformat|clang-format|clang-tidy|cppcheck|phpstan|psalm|tflint|commitlint|taplo|typos|codespell|oxfmt|ty|pyre|tach|deptry|publint|attw|nilaway|revive|errcheck|gocyclo|gosec|zizmor|mdformat|dprint|treefmt|alejandra|nixfmt|stylua|selene|luacheck|cmake-format|gersemi|buildifier|swift-format|scalafmt|google-java-format|checkstyle|pmd|spotbugs|phpcs|php-cs-fixer|rector|rspec|minitest|credo|dialyxir|hlint|ormolu|fourmolu|stylish-haskell|elm-test|elm-review|busted|nextest|insta|vale|lychee|cspell|secretlint|licensee|syncpack|sherif|manypkg|size-limit|bundlesize|lighthouse|pa11y = tool",
	"playwright|cypress test|run|show-report|verify = kind", "playwright|cypress = only",
	"coverage report|html|xml|combine|erase|json|lcov = kind", "coverage = only",
	"next|vite|astro|nuxt|nuxi|remix|gatsby|svelte-kit|webpack|rollup|esbuild|parcel|tsup|turbopack build|dev|lint|check|preview|sync = kind",
	"prisma|drizzle-kit generate|validate|format|check = kind", "prisma|drizzle-kit = only", "prisma migrate|db|studio = only",
	"golangci-lint run = kind", "ruff check|format = kind", "biome check|lint|format|ci = kind", "goreleaser|ko = only", "goreleaser check|build = kind", "buf lint|format|build|breaking = kind", "buf = only",

	// Containers, machines, clouds, databases: only a reading command is a kind.
	"docker|podman|nerdctl build = kind --push -o --output --secret --ssh --allow",
	"docker|podman|nerdctl compose = only",
	"docker|podman compose build = kind --push --secret --ssh",
	"docker|podman compose up = kind -V --renew-anon-volumes --pull",
	"docker-compose|podman-compose up = kind -V --renew-anon-volumes --pull", "docker-compose|podman-compose build = kind --push",
	"docker|podman|nerdctl|docker-compose|podman-compose|buildah|skopeo|kubectl|oc|k3s|kubectx|kubens|helm|helmfile|kustomize|minikube|kind|k3d|colima|lima|limactl|vagrant|multipass|terraform|tofu|terragrunt|pulumi|cdk|sam|serverless|sls|ansible|ansible-playbook|packer|nomad|consul|vault|argocd|flux|istioctl|eksctl|kops|aws|gcloud|gsutil|bq|az|azd|doctl|linode-cli|hcloud|ibmcloud|oci|heroku|fly|flyctl|vercel|netlify|wrangler|firebase|supabase|railway|render|cf|eb|amplify|stripe|twilio|shopify|neonctl|planetscale|pscale|turso|mongosh|atlas|databricks|snowsql|dbt|airflow|glab|gh|hub|tea|jira|linear|sentry-cli|datadog-ci|circleci|op|aws-vault|sops|doppler|infisical|systemctl|launchctl|service|loginctl|machinectl|journalctl|networksetup|nmcli|ip|ufw|iptables|brew|apt|apt-get|apt-cache|apk|dnf|yum|snap|flatpak|nix|port|choco|winget|scoop|rustup|nvm|volta|pyenv|rbenv|tmux|screen|zellij|security|keychain|gpg|pass|rails|rake|artisan|django-admin|alembic|flyway|liquibase|sequelize|knex|redis-cli|crontab|at|rclone|restic|borg|mc|s3cmd|twine|cargo-release|lerna|changeset|changesets|semantic-release|np|release-it|xcrun|adb|fastlane = reads",
	"terraform|tofu|terragrunt plan = kind -out --out -destroy", "terraform|tofu|terragrunt validate|fmt|graph|version|providers = kind", "terraform|tofu|terragrunt output|show|state|console|workspace = only",
	"gh pr|issue|run|release|repo|workflow|cache|label|gist|project|ruleset|codespace|search list|view|status|diff|checks|watch|download|repos|issues|prs|code|commits = kind",
	"gh pr checkout = kind --force -f",
	"gh pr create|comment|edit = kind --repo --body-file --template --recover", "gh issue create|comment|edit = kind --repo --body-file --template --recover",
	"gh api = kind --method --field --raw-field --input graphql",
	"kubectl|oc get|describe = only",
	"helm template|lint|list|status|history|get|show|search|version|env = kind --post-renderer", "kubectl diff|logs|explain|top|version|api-resources = kind",
})

// offered multiplies the names out; the first entry of a name counts.
func offered(list []string) map[string]string {
	out := map[string]string{}
	for _, entry := range list {
		names, how, _ := strings.Cut(entry, " = ")
		for _, key := range keys(names) {
			if _, had := out[key]; !had {
				out[key] = how
			}
		}
	}
	return out
}

// readingVerbs are first words in names of sub-commands for reading alone.
var readingVerbs = []string{"list", "ls", "get", "describe", "show", "status", "info", "view", "diff", "plan", "validate", "version", "whoami", "search", "history", "top", "help", "explain", "outdated", "tree", "check", "logs", "log", "inspect", "ps", "images", "events", "head", "count", "lint", "doctor", "which", "why", "deps", "leaves", "display", "capture"}

// secretNames are words in names of sub-commands that print secrets.
var secretNames = []string{"secret", "secrets", "password", "passwords", "token", "tokens", "credential", "credentials", "key", "keys", "parameter", "parameters", "auth", "login", "session", "ssh", "pass", "env", "config", "configuration", "variable", "variables", "vars"}

// lastingVerbs are words in names of sub-commands, scripts and targets with an irreversible
// effect, or one on other machines and people.
var lastingVerbs = []string{
	"delete", "del", "rm", "rmi", "remove", "destroy", "drop", "purge", "wipe", "erase", "clear", "prune", "reset", "truncate", "kill", "terminate", "stop", "shutdown", "reboot", "down", "teardown", "nuke", "unlink", "uninstall", "overwrite", "discard", "force", "abort", "cancel", "close", "revoke", "rotate", "disable", "mask", "detach", "evict", "drain", "cordon", "taint",
	"deploy", "deployment", "publish", "unpublish", "release", "push", "promote", "ship", "upload", "send", "post", "submit", "merge", "rollback", "yank", "deprecate", "transfer", "share", "invite", "notify", "mail", "email", "pay", "prod", "production", "live", "staging", "sync", "import", "restore", "migrate", "migration", "migrations", "seed", "apply", "replace", "provision", "approve", "sign", "login", "logout", "auth", "grant", "token", "secret", "secrets", "password", "credentials", "owner", "admin", "root", "sudo", "install", "upgrade", "bump", "tag",
}

// runningVerbs are those of sub-commands that run their operands.
var runningVerbs = []string{"run", "exec", "execute", "eval", "shell", "sh", "bash", "zsh", "ssh", "x", "dlx", "proxy", "call", "invoke", "do", "with", "command", "cmd", "script", "env", "console", "repl", "rpc", "query", "sql", "psql", "wrap", "watch", "foreach", "each", "parallel", "attach", "debug", "enter", "spawn", "start-process"}

// Offers tells how commands of the use's kind may be offered as a rule.
func (u *Use) Offers() Offer {
	if len(u.Words) == 0 || !u.Words[0].Literal || u.Words[0].Glob || u.Words[0].Quoted {
		return Offer{}
	}
	// The action is named by the sub-command, or by the word behind it if that is a script or a
	// target, or the program is unknown.
	names := slices.Clone(u.Sub)
	switch {
	case (u.grammar.Verb || len(names) == 0) && len(u.Operands) > 0 && verb(u.Operands[0]) && (u.Known || u.ats[0] == 1):
		names = append(names, u.Operands[0].Text)
	case u.Inner > 0 && len(names) == 0 && u.Inner == 1 && verb(u.Words[1]):
		return Offer{}
	}
	if word := u.Implied(); word != "" {
		o := u.offer(offers[u.Command()+" "+word], len(names)+1, append(names, word))
		o.Family, o.Kin = families[u.Command()+" "+word], true
		return o
	}
	for n := len(names); n >= 0; n-- {
		if how, ok := offers[strings.Join(append([]string{u.Program}, names[:n]...), " ")]; ok {
			return u.offer(how, n, names)
		}
	}
	switch {
	case u.Runs() || u.Commanded() || u.Inner > 0 || len(u.Spans) > 0:
		return Offer{}
	case len(u.Sub) > 0:
		return judged(Offer{Named: 1 + len(u.Sub)}, u.Sub)
	case !u.Known && len(names) == 1 && find(names[0]) == nil && (len(u.Operands) < 2 || find(Name(u.Operands[1].Text)) == nil), u.Known && u.grammar.Verb && u.grammar.Project && len(names) == 1:
		return judged(Offer{Named: 2}, names) // a program running its operands is none of these
	}
	return Offer{}
}

// offer reads an entry for the program and the first n of the names.
func (u *Use) offer(how string, n int, names []string) Offer {
	kind, rest, _ := strings.Cut(how, " ")
	o := Offer{Named: 1 + max(n, len(u.Sub)), Without: strings.Fields(rest)}
	switch kind {
	case "kind":
		if n < len(u.Sub) {
			return judged(o, u.Sub[n:])
		}
		if n > 0 && n == len(u.Sub) {
			o.Family, o.Kin = families[u.Command()], true
		}
		return o
	case "options":
		o.Bare = true
		if n < len(u.Sub) || len(u.Operands) > 0 {
			return Offer{}
		}
		return o
	case "tool":
		o.Named, o.Family, o.Kin = 1, families[u.Program], true
		return o
	case "remote", "source":
		o.Lasting, o.Bare = kind == "remote", len(u.Operands) == 0
		if says := u.grammar.Says; says != nil && len(u.Operands) > 1 && !slices.ContainsFunc(says(u), func(part string) bool { return slices.Contains(sharedRefs, part) }) {
			// One's own branch can be pushed again; what others build from is left out.
			o.Lasting, o.Without = false, append(o.Without, append([]string{"--follow-tags"}, sharedRefs...)...)
		}
		if !o.Bare {
			o.Named++
			if word := u.Operands[0]; !word.Literal || word.Glob || strings.Trim(word.Text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") != "" || strings.Trim(word.Text, ".") == "" {
				return Offer{}
			}
		}
		return o
	case "reads":
		if len(names) > 0 && tells(names) {
			o.Named = 1 + len(names)
			return o
		}
	case "script", "target":
		o.Bare = kind == "target"
		at := n - len(u.Sub) // the operand with the name
		if o.Named = n + 2; len(names) <= n+1 && at >= 0 && at < len(u.Operands) && (at == 0 || u.ats[at] == u.ats[0]+1) && verb(u.Operands[at]) && !Lasting(u.Operands[at].Text) && !(o.Bare && len(u.Operands) > at+1) {
			if slices.Contains(checkingScripts, u.Operands[at].Text) {
				o.Family = checkingScripts
			}
			return o
		}
	}
	return Offer{}
}

// led are commands by program, sub-command and first option, with the words left out
// of a rule for their kind.
var led = map[string][]string{
	"git checkout -b":      {"--force", "-B", "--orphan"},
	"git restore --staged": {"--worktree"},
	"node --run":           {"--run"},
}

// Led is the offer for a command of led; none for another.
func (u *Use) Led() Offer {
	at := 1 + len(u.Sub)
	if len(u.Words) <= at+1 || u.At != at || !u.Words[at].Literal {
		return Offer{}
	}
	if u.Command() == "yarn workspace" {
		return u.ledToScript(at)
	}
	without, known := led[u.Command()+" "+u.Words[at].Text]
	switch name := u.Words[at+1]; {
	case !known:
		return Offer{}
	case u.Program != "node":
		return Offer{Named: at + 1, Without: without}
	case !verb(name) || Lasting(name.Text):
		return Offer{}
	case slices.Contains(checkingScripts, name.Text):
		return Offer{Named: at + 2, Without: without, Family: checkingScripts}
	}
	return Offer{Named: at + 2, Without: without}
}

// ledToScript is the offer for a script of one package of a workspace, the package at Words[at].
func (u *Use) ledToScript(at int) Offer {
	name := strings.TrimPrefix(strings.ReplaceAll(u.Words[at].Text, "/", "-"), "@")
	script := at + 1
	if u.Words[script].Text == "run" {
		script++
	}
	if script >= len(u.Words) || u.Words[at].Glob || !verb(Word{Text: name, Literal: true}) || !verb(u.Words[script]) || Lasting(u.Words[script].Text) {
		return Offer{}
	}
	checks := slices.Contains(checkingScripts, u.Words[script].Text)
	if script == at+1 && !checks {
		return Offer{} // it may be a command of yarn's own
	}
	o := Offer{Named: script + 1}
	if checks {
		o.Family = checkingScripts
	}
	return o
}

// families are sub-commands and tools used one after the other, each as harmless as the others: one rule
// allows them together. They share their entry in offers, and so what is left out. Before an equals
// sign stand those that a family is offered for, where others of it do less: a build does not run
// the project's tests.
var families = together([]string{
	"git add|commit", "git cherry-pick|merge|rebase|revert=add|cherry-pick|commit|merge|rebase|revert", "git fetch=fetch|ls-remote",
	"git stash apply|list|pop|push|show",
	"gh pr create|edit", "gh issue create|edit",
	"go build|vet", "go test=build|test|vet", "cargo build|check|clippy|doc|test=build|check|clippy|doc|fmt|test",
	"dotnet build|test=build|format|test", "swift test=build|test", "zig build|test=build|fmt|test",
	"flutter|dart analyze|format", "flutter|dart test=analyze|format|test", "mix compile|test=compile|format|test",
	"deno check|fmt|lint", "deno test=check|fmt|lint|test",
	"ruff check|format", "biome check|format|lint", "buf build|format|lint", "terraform|tofu validate=fmt|validate",
	"pip|pip3 check|freeze|list|show", "uv pip check|freeze|list|show|tree",
	// Tools behind a runner. A type checker runs nothing of the project, a linter or formatter
	// its configuration and may change its files, a test runner its code.
	"vue-tsc=tsc|vue-tsc", "eslint|oxfmt|oxlint|prettier|stylelint=eslint|oxfmt|oxlint|prettier|stylelint|svelte-check|tsc|vue-tsc",
	"jest|mocha|vitest=eslint|jest|mocha|oxfmt|oxlint|prettier|stylelint|svelte-check|tsc|vitest|vue-tsc",
	"basedpyright|pyright", "black|isort=basedpyright|black|isort|pyright", "flake8|mypy|pylint=basedpyright|flake8|mypy|pylint|pyright",
	"pytest=basedpyright|black|flake8|isort|mypy|pylint|pyright|pytest",
})

// together indexes families by the command of each member.
func together(list []string) map[string][]string {
	out := map[string][]string{}
	for _, names := range list {
		from, all, differ := strings.Cut(names, "=")
		if !differ {
			all = from[strings.LastIndex(from, " ")+1:]
		}
		for _, key := range keys(from) {
			out[key] = strings.Split(all, "|")
		}
	}
	return out
}

// checkingScripts are the usual names of scripts and targets for building, checking or trying a
// project locally.
var checkingScripts = []string{"build", "bundle", "check", "dev", "fmt", "format", "format:check", "lint", "lint:check", "lint:fix", "start", "test", "test:ci", "test:e2e", "test:integration", "test:unit", "test:watch", "type-check", "typecheck"}

// judged puts the exact call first where a word makes the kind lasting, and refuses the kind
// where a word means running its operands.
func judged(o Offer, words []string) Offer {
	for _, word := range words {
		if parts := nameParts(word); slices.ContainsFunc(parts, func(p string) bool { return slices.Contains(runningVerbs, p) }) {
			return Offer{}
		}
		if Lasting(word) {
			o.Lasting = true
		}
	}
	return o
}

// Lasting reports whether the action of that name cannot be undone, or reaches others.
func Lasting(name string) bool {
	return slices.ContainsFunc(nameParts(name), func(p string) bool { return slices.Contains(lastingVerbs, p) })
}

func tells(sub []string) bool {
	parts := nameParts(sub[len(sub)-1])
	if len(parts) == 0 || !slices.Contains(readingVerbs, parts[0]) {
		return false
	}
	return !slices.ContainsFunc(sub, func(word string) bool {
		return slices.ContainsFunc(nameParts(word), func(p string) bool { return slices.Contains(secretNames, p) || slices.Contains(lastingVerbs, p) })
	})
}

// verb tells whether a word looks like the name of a sub-command or a target: not
// an option, not a path, not an address.
func verb(word Word) bool {
	s := word.Text
	if s == "" || !word.Literal || word.Glob || word.Quoted || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	return s[0] != '-' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_:") == ""
}
