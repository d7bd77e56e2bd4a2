package paths_test

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/plugins/internal/paths"
	"github.com/callgate/callgate/sdk/go/tool"
)

// guarded are paths in need of a person before a write. "x/" stands for any directory. Source:
// AgentScope's table, its code's additions, and the former separate lists of the shell and the
// file tools.
var guarded = []string{
	"x/.bashrc", "x/.zshrc", "x/.bash_profile", "x/.profile", "x/.gitconfig", "x/.gitmodules", "x/id_rsa", "x/id_ed25519", "x/.env", "x/.env.local", "x/.npmrc",
	"x/.pypirc", "x/.zprofile", "x/.zshenv", "x/.zlogin", "x/.zlogout", "x/.bash_login", "x/.bash_logout", "x/.bash_aliases", "x/.kshrc", "x/.cshrc", "x/.tcshrc",
	"x/.login", "x/.inputrc", "x/.netrc", "x/.envrc", "x/.env.development", "x/.env.development.local", "x/.env.test", "x/.env.test.local", "x/.env.staging",
	"x/.env.production", "x/.env.production.local", "x/id_ecdsa", "x/id_dsa", "x/authorized_keys", "x/.git-credentials", "x/.pgpass", "x/.vimrc", "x/.gvimrc", "x/.exrc",
	"x/.emacs", "x/.tmux.conf", "x/.screenrc", "x/.yarnrc", "x/.yarnrc.yml", "x/.pip.conf", "x/.condarc", "x/.gemrc", "x/.curlrc", "x/.wgetrc", "x/.xinitrc", "x/.xprofile",
	"x/.xsessionrc", "x/.pam_environment", "x/.gitattributes", "x/.bash_history", "x/.zsh_history", "x/.callgate.yaml", "x/.mcp.json", "x/.pre-commit-config.yaml",
	"x/.gitlab-ci.yml", "x/rust-toolchain", "x/rust-toolchain.toml", "x/crontab", "x/config.fish", "x/id_ecdsa_sk", "x/id_ed25519_sk", "x/_netrc", "x/.vault-token",
	"x/.callgate.yml", "x/.gdbinit", "x/.psqlrc", "x/.xsession", "x/.git/y", "x/.ssh/y", "x/.claude/y", "x/.vscode/y", "x/.aws/y", "x/.kube/y", "x/.idea/y", "x/.gnupg/y",
	"x/.cargo/y", "x/.husky/y", "x/.docker/y", "x/.azure/y", "x/.circleci/y", "x/.devcontainer/y", "x/.codex/y", "x/.gemini/y", "x/.cursor/y", "x/.callgate/y",
	"x/.password-store/y", "x/.terraform.d/y", "x/.oh-my-zsh/y", "x/.zsh/y", "x/.emacs.d/y", "x/.vim/y", "x/launchagents/y", "x/launchdaemons/y", "x/.githooks/y",
	"x/.config/gcloud/y", "x/.config/gh/y", "x/.config/fish/y", "x/.config/nvim/y", "x/.config/systemd/y", "x/.config/autostart/y", "x/.config/git/y",
	"x/.config/environment.d/y", "x/.config/pip/y", "x/.config/go/y", "x/.local/bin/y", "x/.local/share/keyrings/y", "x/.github/workflows/y", "x/.github/actions/y",
	"x/.git/hooks/y", "x/.local/share/applications/y", "/bin/y", "/sbin/y", "/lib/y", "/lib64/y", "/boot/y", "/dev/y", "/proc/y", "/sys/y", "/usr/bin/y", "/usr/sbin/y",
	"/usr/lib/y", "/usr/local/bin/y", "/usr/local/sbin/y", "/etc/cron.d/y", "/etc/cron.daily/y", "/etc/cron.hourly/y", "/etc/sudoers/y", "/etc/sudoers.d/y",
	"/etc/passwd/y", "/etc/shadow/y", "/etc/group/y", "/etc/profile/y", "/etc/profile.d/y", "/etc/bash.bashrc/y", "/etc/zsh/y", "/etc/ssh/y", "/etc/ld.so.preload/y",
	"/etc/ld.so.conf/y", "/etc/ld.so.conf.d/y", "/etc/systemd/y", "/etc/init.d/y", "/etc/pam.d/y", "/etc/hosts/y", "/etc/crontab/y", "/etc/environment/y",
	"/etc/gitconfig/y", "/var/spool/cron/y", "/library/launchagents/y", "/library/launchdaemons/y", "/system/y",
	"x/.m2/settings.xml/y", "x/.gradle/init.gradle/y", "x/.gradle/init.gradle.kts/y", "x/.gradle/init.d/y", "x/.gradle/gradle.properties/y", "x/.local/share/systemd/y",
	"x/library/launchagents/y", "x/library/launchdaemons/y", "/etc/cron.weekly/y", "/etc/cron.monthly/y", "/etc/anacrontab/y", "/usr/lib/systemd/y", "/lib/systemd/y",
	"/etc/rc.local/y", "/etc/zshrc/y", "/etc/gshadow/y", "/opt/homebrew/bin/y", "/home/dev/bin/y", "/users/dev/bin/y", "/root/bin/y", "/home/dev/go/bin/y",
	"/users/dev/go/bin/y", "/root/go/bin/y", "x/.config/emacs/y", "x/.config/callgate/y", "x/.local/state/callgate/y", "x/.amp/y", "x/.vs/y",
	"x/.nvim.lua", "x/.lvimrc", "x/.dir-locals.el", "x/bunfig.toml",
}

// kept are paths with a secret content. Source: as above.
var kept = []string{
	"x/.env", "x/.env.y", "x/.envrc", "x/id_rsa", "x/id_ed25519", "x/id_ecdsa", "x/id_dsa", "x/y.pem", "x/y.key", "x/y.p12", "x/y.pfx", "x/y.keystore", "x/y.jks",
	"x/y.kdbx", "x/y.ppk", "x/.netrc", "x/_netrc", "x/.npmrc", "x/.pypirc", "x/.pgpass", "x/.git-credentials", "x/credentials", "x/credentials.json", "x/credentials.toml",
	"x/.htpasswd", "x/shadow", "x/gshadow", "x/.vault-token", "x/kubeconfig", "x/service-accounty.json", "x/.my.cnf", "x/.s3cfg", "x/.boto", "x/secring.gpg",
	"x/secrets.yml", "x/secrets.yaml", "x/secrets.json", "x/.dockercfg", "x/login.keychainy", "x/cookies.sqlite", "x/key4.db", "x/logins.json", "x/token", "x/tokens.json",
	"x/auth.json", "x/y_history", "x/id_ecdsa_sk", "x/id_ed25519_sk", "x/.mylogin.cnf", "x/shadow-", "x/gshadow-", "x/master.passwd", "x/.credentials.json",
	"x/credentials.tfrc.json", "x/token.json", "x/login.keychain-db", "x/login data", "x/login data for account", "x/cookies", "x/web data", "x/y.gpg", "x/y.asc.key",
	"x/y.age", "x/.ssh/y", "x/.aws/y", "x/.gnupg/y", "x/.kube/y", "x/.azure/y", "x/.docker/y", "x/.password-store/y", "x/keyrings/y", "x/.callgate/y", "x/keychains/y",
	"x/.docker/config.json", "x/.config/gh/hosts.yml", "x/.config/glab-cli/config.yml", "x/.config/gcloud", "x/.config/rclone/rclone.conf", "x/.codex/auth.json",
	"x/.gemini/oauth_creds.json", "x/.local/share/opencode/auth.json", "x/.config/op", "x/.subversion/auth", "x/.m2/settings.xml", "x/.gradle/gradle.properties",
	"x/.config/hub", "x/.terraform.d/credentials.tfrc.json", "x/.bash_history", "x/.zsh_history", "x/.psql_history", "x/.mysql_history", "x/.python_history",
	"x/.node_repl_history", "x/.local/state/callgate", "/etc/sudoers", "/etc/sudoers.d", "/run/secrets", "/var/run/secrets", "/dev/sda", "/proc/1/environ",
	"/proc/self/mem", "x/ssh_host_rsa_key", "x/id_ed25519_work", "x/id_rsa.bak", "/proc/kcore",
}

// placed are the tried forms of a path of the tables: in a project, in the home directory, and
// elsewhere; a relative one, as of an unknown directory.
func placed(p string) []string {
	rest, relative := strings.CutPrefix(p, "x/")
	if !relative {
		return []string{p}
	}
	return []string{"/p/" + rest, "/p/deep/down/" + rest, "/home/u/" + rest, "/srv/" + rest, rest, "sub/" + rest}
}

func policy(config string, dirs ...string) *paths.Policy {
	c := here
	if dirs != nil {
		c.WorkingDirectories = dirs
	}
	return paths.NewPolicy([]byte(config), c)
}

func TestTables(t *testing.T) {
	t.Parallel()
	pol := policy("")
	for _, p := range guarded {
		for _, form := range placed(p) {
			if pol.ProtectedPath(form) == "" {
				t.Errorf("%s is not protected", form)
			}
			if upper := strings.ToUpper(form); pol.ProtectedPath(upper) == "" {
				t.Errorf("%s is not protected", upper)
			}
		}
	}
	for _, p := range kept {
		for _, form := range placed(p) {
			if !pol.SecretPath(form) {
				t.Errorf("%s is no secret", form)
			}
		}
	}
}

// words returns the paths of a list in testdata; a backslash keeps a blank in one.
func words(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for _, word := range strings.Fields(strings.ReplaceAll(line, `\ `, "\x00")) {
			list = append(list, strings.ReplaceAll(word, "\x00", " "))
		}
	}
	return list
}

// TestSecretPlaces: each known place of a secret is one, in any case, in a copy, and
// for everything below it.
func TestSecretPlaces(t *testing.T) {
	t.Parallel()
	pol := policy("")
	list := words(t, "secrets.txt")
	if len(list) < 300 {
		t.Errorf("only %d places: the list was cut", len(list))
	}
	for _, p := range list {
		forms := []string{p}
		switch {
		case strings.HasPrefix(p, "~/"):
			forms = []string{"/home/u" + p[1:]}
		case !strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "C:"):
			forms = placed("x/" + p)
		}
		for _, form := range forms {
			for _, spelled := range []string{form, strings.ToUpper(form)} {
				if !pol.SecretPath(spelled) {
					t.Errorf("%s is no secret", spelled)
				}
			}
		}
	}
}

// TestEverydayNames: no file of the list is a secret, so the table of secrets cannot grow into
// everyday files.
func TestEverydayNames(t *testing.T) {
	t.Parallel()
	pol := policy("")
	list := words(t, "everyday.txt")
	if len(list) < 600 {
		t.Errorf("only %d names: the list was cut", len(list))
	}
	for _, p := range list {
		for _, form := range []string{"/p/" + p, "/p/src/deep/" + p, "/home/u/work/app/" + p, "/srv/app/" + p, p, "HEAD:" + p} {
			if pol.SecretPath(form) {
				t.Errorf("%s is a secret", form)
			}
		}
	}
}

// TestEverydayGlobs: a glob is only a secret when the whole of a known place fits it.
func TestEverydayGlobs(t *testing.T) {
	t.Parallel()
	pol := policy("")
	for _, p := range []string{
		"src/*/main.go", "packages/*/package.json", "*/go.mod", "*/*/README.md", "apps/*/src/index.ts", ".github/*/ci.yml", "docs/**/*.md", "**/*.go", "/p/src/*", "/p/*", "/p/*/*", "/p/.github/*", "app/[id]/page.tsx",
		"/etc/*-release", "/usr/share/*/README", "/var/log/*.log", "/home/u/work/*/go.mod", "/home/u/.config/nvim/*.lua", "/home/u/.config/nv*/init.lua", "/home/u/.config/fish/*", "/home/u/.local/share/nvim/*/README", "/home/u/.cache/go-*/x",
		"/home/u/.cargo/registry/*/x.rs", "/p/.claude/*.md", "/p/.claude/commands/*", "/p/config/*/x.rb", "/p/.vscode/*", "/home/u/*.md", "/p/*/bin/tool", "/p/.git/H*",
	} {
		if pol.SecretPath(p) {
			t.Errorf("%s is a secret", p)
		}
	}
	for _, p := range []string{
		"/home/u/.config/*/hosts.yml", "/home/u/.config/g*/hosts.yml", "/home/u/.config/*", "/home/u/.[c]onfig/gh/hosts.yml", "/home/u/.c*/gh/h*", "/home/u/.c*/*/*", "/home/u/.ss[!x]/config", "/etc/*", "/etc/s*", "/e*/sudoers",
		"/home/u/.local/share/*/login", "/home/u/.local/*/keyrings/x", "/home/*/.config/gh/hosts.yml", "/*/*/.kaggle/x", "/home/u/Library/*/login", "/home/u/**/hosts.yml", "/home/u/.local/**/login", "/home/u/.config/**/hosts.yml", "/home/u/.config/*/Default/Local State",
		"/p/.git/c*", "/p/.git/*", "/p/.g*/config", "/run/s*/db", "/home/u/.claude*", "/home/u/.[!x]laude.json", "/home/u/.kagg[[:alpha:]]e/x", "/etc/[N]etworkManager/system-connections/x", "/et[c]/letsencrypt/*/a/x", "/home/?/.config/rcl*/x",
	} {
		if !pol.SecretPath(p) {
			t.Errorf("%s is no secret", p)
		}
	}
	for p, want := range map[string]bool{
		"/home/u": true, "/home": true, "/": true, "/etc": true, "/home/u/.config": true, "/home/u/.local": true, "/home/u/.local/share": true, "/home/u/.c*": true, "/home/u/.cache/huggingface": true, "/etc/letsencrypt": true,
		"/home/u/Library": true, "/home/u/Library/Application Support": true, "/home/*": true, "/etc/*": true, "/var": true, "/home/u/.config/helm": true,
		"/home/u/work": false, "/home/u/.config/nvim": false, "/p": false, "/srv": false, "/home/u/go": false, "/home/u/.local/bin": false, "/usr/share": false, "/home/u/.cargo/registry": false, "/var/log": false, "/tmp": false,
	} {
		if got := pol.SecretBelow(paths.Place{Lexical: p, Resolved: p}, true); got != want {
			t.Errorf("a search of %s reads secrets: got %v, want %v", p, got, want)
		}
	}
}

// TestSpellings: a name equal to a protected one on another file system is one.
func TestSpellings(t *testing.T) {
	t.Parallel()
	pol := policy("")
	for _, p := range []string{
		"/p/.GIT/config", "/p/.git./config", "/p/.git /config", "/p/.g\u200cit/config", "/p/.gi\u200dt/hooks/x", "/p/git~1/config", "/p/GIT~1/config", "/p/.git::$INDEX_ALLOCATION/config",
		"/p/.git::$DATA", "/p/.bashrc::$DATA", `/p/src\..\.git\config`, `C:\Users\dev\.ssh\config`, `C:.git\config`, `\\server\share\.git\config`, `D:\p\.GIT.\hooks\pre-commit`,
		"/p/gitcon~1", "/p/GITCON~2", "/p/BASHRC~1", "/p/ssh~1/config", "/p/envrc~1", "/p/.ba\u0073hrc", "/p/.\uFB01sh/../.config/fi\u200bsh/x", "/home/u/.CONFIG/Systemd/user/x", "/private/etc/sudoers",
		"/p/.env.production", "/p/.env-prod", "/p/.env_local", "/p/.ENV", "/p/repo.git/config", "/p/bare/HEAD", "/p/bare/head", "/p/bare/hooks/post-checkout", "/P/Bare/Hooks/Pre-Commit",
		`C:\Windows\System32\x`, "/p/lib/python3.12/site-packages/evil.pth", "/p/.git*/config", "/p/.b?shrc", "/p/.[g]it/x", "/p/.en[v]", "/p/.env.l*", "/home/u/bin/git", "/usr/local/bin/x", "/ETC/PASSWD", "/lib/x",
	} {
		if pol.ProtectedPath(p) == "" {
			t.Errorf("%s is not protected", p)
		}
	}
	for _, p := range []string{
		"/p/.ENV", "/p/.env~", "/p/server.PEM", "/p/.Ssh/x", "/p/.env*", "/p/.e*", "/p/id_rs?", "HEAD:.env", "/p/HEAD:config/.env", `C:\Users\dev\.aws\credentials`, "/p/.*",
	} {
		if !pol.SecretPath(p) {
			t.Errorf("%s is no secret", p)
		}
	}
}

// TestEverydayFiles: everyday files cause no ask.
func TestEverydayFiles(t *testing.T) {
	t.Parallel()
	pol := policy("")
	for _, p := range []string{
		"package.json", "package-lock.json", "Makefile", "Dockerfile", "docker-compose.yml", "tsconfig.json", "go.mod", "go.sum", "Cargo.toml", "Cargo.lock", "pyproject.toml", "setup.py", "requirements.txt",
		".gitignore", ".dockerignore", ".editorconfig", ".eslintrc.json", ".prettierrc", ".nvmrc", ".node-version", ".python-version", ".env.example", ".env.sample", ".env.local.example",
		".env.template", ".env.dist", "environment.ts", ".environment", "AGENTS.md", "CLAUDE.md", "README.md", "src/a.go", "src/git/config", "git/config", "src/hooks/useThing.ts", "hooks/index.ts", "config.json", "config",
		"profile", "bin/tool", "lib/util.js", "etc/passwd", "boot/x", "dev/setup.sh", "sys/x", "proc/x", ".github/CODEOWNERS", ".github/ISSUE_TEMPLATE/bug.md", ".github/dependabot.yml", ".github/bin/x", "src/callgate/main.go", "cmd/callgate/main.go",
		"model.pth", "app/[id]/page.tsx", "app/[...slug]/page.tsx", "weird*name.go", "a~1.txt", "backup~2", "keys.go", "token.go", "credentials_test.go", "secrets.go", "cookies.ts", "system/x", "Library/x.go", "windows/x", "headers/head.h",
		"a.github/workflows.md", "terraform/main.tf", "k8s/deployment.yaml", "vim/x", "ssh/client.go", "aws/client.go", "docs/.env.md.example", "public.key.md",
	} {
		for _, form := range []string{"/p/" + p, "/home/u/work/" + p, p} {
			if why := pol.ProtectedPath(form); why != "" {
				t.Errorf("%s is %s", form, why)
			}
			if pol.SecretPath(form) {
				t.Errorf("%s is a secret", form)
			}
		}
	}
	for _, p := range []string{"/home/u/.bashrc", "/p/.git/HEAD", "/p/.gitmodules", "/p/.vscode/settings.json", "/p/.github/workflows/ci.yml", "/etc/hosts", "/p/key.pub", "/home/u/keys/id_ed25519_work.pub", "/proc/cpuinfo", "/proc/net/dev", "/dev/null", "/usr/lib/os-release"} {
		if pol.SecretPath(p) {
			t.Errorf("%s is a secret", p)
		}
	}
	for _, p := range []string{"/dev/null", "/tmp/x", "/var/tmp/x", "/srv/app/x", "/opt/app/config"} {
		if why := pol.ProtectedPath(p); why != "" {
			t.Errorf("%s is %s", p, why)
		}
	}
}

// TestProjectInProtectedPlace: a working directory below a protected one is an ordinary one,
// except for permanent secrets.
func TestProjectInProtectedPlace(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		dir, file string
		want      bool
	}{
		{"/home/u/.config/nvim", "init.lua", false},
		{"/home/u/.config/nvim", "lua/plugins.lua", false},
		{"/home/u/.config/nvim", ".git/config", true},
		{"/home/u/.config/nvim", ".github/workflows/ci.yml", true},
		{"/home/u/.config", "nvim/init.lua", true},
		{"/home/u/.claude/skills/one", "SKILL.md", false},
		{"/home/u/.claude/worktrees/one", ".claude/settings.json", true},
		{"/srv/app.git", "src/main.go", false},
		{"/srv/app.git", "HEAD", true},
		{"/srv/app.git", "hooks/post-receive", true},
		{"/p/.git", "config", true},
		{"/p/.git/hooks", "pre-commit", true},
		{"/home/u/.ssh", "config", true},
		{"/home/u/.config/callgate", "callgate.yaml", true},
		{"/usr/lib/app", "main.py", false},
		{"/", "etc/passwd", true},
		{"/", ".git/config", true},
		{"/home/u", "bin/ls", true},
		{"/home/u", ".bashrc", true},
		{"/etc", "passwd", true},
	} {
		if got := policy("", tc.dir).ProtectedPath(path.Join(tc.dir, tc.file)) != ""; got != tc.want {
			t.Errorf("%s in %s: got %v, want %v", tc.file, tc.dir, got, tc.want)
		}
	}
}

func TestOperatorsPaths(t *testing.T) {
	t.Parallel()
	const config = `{"dialect":"bash","protected":["infra/**","*.lock","~/notes/**"],"unprotected":[".vscode/**","**/.envrc","infra/dev/**","**/.callgate.yaml","**/.config/callgate/**"],` +
		`"secret":["**/private/**"],"not_secret":["**/*.test.pem","testdata/**","**/.local/state/callgate/**"]}`
	pol := policy(config)
	for p, want := range map[string]bool{
		"/p/infra/a.tf": true, "/p/INFRA/a.tf": true, "/p/infra": true, "/p/infra/dev/a.tf": true, "/p/deep/go.lock": true, "/home/u/notes/x": true, "/p/src/a": false,
		"/p/.vscode/tasks.json": false, "/p/.VSCODE/tasks.json": true, "/q/.vscode/tasks.json": true, "/q/.envrc": false, "/p/.git/config": true, "/p/.callgate.yaml": true, "/home/u/.config/callgate/x": true,
	} {
		if got := pol.ProtectedPath(p) != ""; got != want {
			t.Errorf("%s: protected %v, want %v", p, got, want)
		}
	}
	for p, want := range map[string]bool{
		"/p/x/private/a": true, "/p/x/PRIVATE/a": true, "/p/a.test.pem": false, "/p/a.pem": true, "/p/testdata/id_rsa": false, "/p/testdata/.env": false, "/q/testdata/.env": true, "/home/u/.local/state/callgate/token": true,
	} {
		if got := pol.SecretPath(p); got != want {
			t.Errorf("%s: secret %v, want %v", p, got, want)
		}
	}
	for glob, want := range map[string]bool{
		"*.crt": true, "**/*.crt": true, "certs/*": true, "certs/**/*.go": true, "{a,*.crt}": true, "*.go": false, "src/**": false, "**": false, "*": false, "c*": false,
	} {
		if got := policy(`{"secret":["certs/**","**/*.crt"]}`, "/p").SeeksSecret(glob); got != want {
			t.Errorf("a search for %s seeks a secret: got %v, want %v", glob, got, want)
		}
	}
	operators := policy(`{"secret":["deploy/prod.yaml","**/*.crt"]}`, "/p")
	for p, want := range map[string]bool{
		"/p/deploy/prod.y*": true, "/p/dep*/prod.yaml": true, "/p/*/prod.yaml": true, "/p/a.c?t": true, "/p/*": false, "/p/*.go": false, "/p/src/main.*": true, "/p/src/main.go": false,
	} {
		if got := operators.SecretPath(p); got != want {
			t.Errorf("%s: secret %v, want %v", p, got, want)
		}
	}
	for _, broken := range []string{`{"protected":"x"}`, `{"protected":["a/../b"]}`, `{"unprotected":["["]}`, `{"secret":[7]}`, `[]`, `{"not_secret":[""]}`, `nonsense`} {
		if pol := policy(broken); pol.ProtectedPath("/p/a") == "" || !pol.SecretPath("/p/a") {
			t.Errorf("%s: something may be written or read", broken)
		}
	}
}

// TestMeets: the rules about the reach of a search or a glob on a command line.
func TestMeets(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		rule, at    string
		tree        bool
		deny, asked bool
	}{
		{"secrets/**", "/p", true, true, true},
		{"secrets/**", "/", true, true, true},
		{"secrets/**", "/p/src", true, false, false},
		{"secrets/**", "/p/secrets", true, true, true},
		{"secrets/**", "/p/secrets/deep", true, true, true},
		{"secrets/", "/p", true, true, true},
		{"SECRETS/*", "/p", true, true, true},
		{"secrets/**", "/p/**/*.go", true, true, true},
		{"~/.ssh/**", "/home", true, true, true},
		{"**/.env", "/p", true, false, true},
		{"*.pem", "/p", true, false, true},
		{"*.pem", "/p/**/*.go", true, false, false},
		{"*.pem", "/p/**/server*", true, false, true},
		{".env", "/p", true, false, true},
		{".env", "/p/**/*.go", true, false, false},
		{".env", "/p/**/[!.]*", true, false, false},
		{"*.pem", "/p/**/[!.]*", true, false, true},
		{".env", "/p/**/.env", true, true, true},
		{"config/prod.yaml", "/p", true, false, true},
		{"config/prod.yaml", "/p/src", true, false, false},
		{"src/**/*.key", "/p/src", true, false, true},
		{"secrets/**", "/p/sec*/key", false, true, true},
		{"secrets/**", "/p/s?crets/key", false, true, true},
		{"secrets/**", "/p/[rst]ecrets/key", false, true, true},
		{"secrets/**", "/p/[abc]ecrets/key", false, false, false},
		{"secrets/**", "/p/[a-z]ecrets/key", false, true, true},
		{"secrets/**", "/p/src/*", false, false, false},
		{"secrets/**", "/p/*/key", false, true, true},
		{"*.pem", "/p/*", false, false, true},
		{"*.pem", "/p/*.go", false, false, false},
		{".env", "/p/*", false, false, false},
		{".env", "/p/.e*", false, false, true},
		{"/p/secrets", "/p/sec*/key", false, false, true}, // the directory of this name as well
		{"/p/secrets", "/p/src*/key", false, false, false},
	} {
		at := paths.Place{Lexical: tc.at, Resolved: tc.at, Tree: tc.tree}
		for behavior, want := range map[tool.Behavior]bool{tool.Deny: tc.deny, tool.Ask: tc.asked} {
			if got := matches(behavior, tc.rule, at); got != want {
				t.Errorf("%s rule %s, %s (tree %v): got %v, want %v", behavior, tc.rule, tc.at, tc.tree, got, want)
			}
		}
	}
}

// TestWhatIsReachedIsAsked: a deny rule for a file matches, as an ask rule, every tree around
// the file and every glob a shell replaces by it.
func TestWhatIsReachedIsAsked(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		plain := rapid.StringMatching(`[.]?[a-cA-C-]{1,4}`)
		names := rapid.SliceOfN(plain, 2, 5).Draw(t, "names")
		file := "/" + strings.Join(names, "/")
		rule := strings.TrimPrefix(drawPath(t, "rule"), rapid.SampledFrom([]string{"", "/"}).Draw(t, "cut"))
		if rapid.Bool().Draw(t, "likely") { // a rule for the very file or its directory
			rule = file
			if i := rapid.IntRange(0, len(names)-1).Draw(t, "wild"); rapid.Bool().Draw(t, "below") {
				rule = "/" + strings.Join(names[:i], "/") + "/**"
			} else {
				wild := append([]string(nil), names...)
				wild[i] = names[i][:1] + "*"
				rule = "/" + strings.Join(wild, "/")
			}
		}
		if !matches(tool.Deny, rule, place(file)) {
			return
		}
		depth := rapid.IntRange(0, len(names)-1).Draw(t, "depth")
		dir := "/" + strings.Join(names[:depth], "/")
		if !matches(tool.Ask, rule, paths.Place{Lexical: dir, Resolved: dir, Tree: true}) {
			t.Fatalf("rule %q names %q, but not the tree %q", rule, file, dir)
		}
		// A plain name may be a directory's, too; a search of certain files from above it does
		// not ask for it.
		last := rule[strings.LastIndexByte(rule, '/')+1:]
		inside := last != "" && !strings.ContainsAny(last, `*?[]{}\`) && !strings.EqualFold(last, names[len(names)-1])
		filtered := path.Join(dir, "**", "*"+names[len(names)-1][1:])
		if !inside && !matches(tool.Ask, rule, paths.Place{Lexical: filtered, Resolved: filtered, Tree: true}) {
			t.Fatalf("rule %q names %q, but not the tree %q", rule, file, filtered)
		}
		shell := append([]string(nil), names...)
		shell[depth] = names[depth][:1] + rapid.SampledFrom([]string{"*", strings.Repeat("?", len(names[depth])-1), "[a-z]*"}).Draw(t, "glob")
		glob := "/" + strings.Join(shell, "/")
		if ok, err := path.Match(glob, file); err == nil && ok && strings.ContainsAny(glob, "*?[") && !matches(tool.Ask, rule, place(glob)) {
			t.Fatalf("rule %q names %q, but not the glob %q", rule, file, glob)
		}
	})
}

// FuzzPolicy: for any path, a policy answers, one of the same path in capitals is not looser,
// and nothing lifted is Callgate's own.
func FuzzPolicy(f *testing.F) {
	for _, p := range append(append([]string(nil), guarded...), kept...) {
		f.Add(p, "x/**")
	}
	f.Fuzz(func(t *testing.T, p, glob string) {
		pol := policy("")
		if pol.ProtectedPath(p) != "" && pol.ProtectedPath(strings.ToUpper(p)) == "" && !strings.Contains(p, "*") && strings.ToLower(strings.ToUpper(p)) == p {
			t.Errorf("%q is protected, in capitals it is not", p)
		}
		_ = pol.SecretPath(p)
		config, err := json.Marshal(map[string][]string{"unprotected": {glob}})
		if err != nil {
			t.Skip()
		}
		if policy(string(config)).ProtectedPath("/p/.callgate.yaml") == "" {
			t.Errorf("%q lifts Callgate's own", glob)
		}
	})
}

func BenchmarkPolicy(b *testing.B) {
	pol := policy("")
	for b.Loop() {
		pol.ProtectedPath("/p/src/deep/down/in/a/project/file.go")
		pol.SecretPath("/p/src/deep/down/in/a/project/file.go")
	}
}
