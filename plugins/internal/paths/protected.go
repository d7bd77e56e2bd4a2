package paths

import (
	"path"
	"strings"
)

// Protected says why a place must not be written without a person's word, or
// "". Both forms count, folded. Source: the AgentScope seed's table of dangerous
// paths, with what its code adds to it, and Callgate's own project file.
func Protected(p Place) string {
	if reason := protected(p.Lexical); reason != "" {
		return reason
	}
	return protected(p.Resolved)
}

// protectedNames are files by their own name, wherever they lie.
var protectedNames = reasons{
	"a shell configuration file": {
		".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".zshrc", ".zprofile", ".zshenv", ".zlogin", ".zlogout",
		".profile", ".kshrc", ".cshrc", ".tcshrc", ".login", ".inputrc", ".envrc", "config.fish",
	},
	"a git configuration file":  {".gitconfig", ".gitmodules", ".gitattributes"},
	"an SSH key":                {"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "authorized_keys"},
	"a file of credentials":     {".npmrc", ".pypirc", ".netrc", "_netrc", ".git-credentials", ".pgpass", ".vault-token"},
	"Callgate's project file":   {".callgate.yaml", ".callgate.yml"},
	"a file that clients obey":  {".mcp.json"},
	"a toolchain configuration": {"rust-toolchain", "rust-toolchain.toml"},
	"a file that a program runs when it starts": {
		".vimrc", ".gvimrc", ".exrc", ".emacs", ".tmux.conf", ".screenrc", ".gdbinit", ".psqlrc", ".xprofile", ".xinitrc", ".xsession", ".xsessionrc", ".pam_environment",
		".yarnrc", ".yarnrc.yml", ".condarc", ".gemrc", ".curlrc", ".wgetrc",
	},
}.byName()

// protectedDirectories are directories that protect everything in them, and
// themselves.
var protectedDirectories = reasons{
	"a git directory":              {".git"},
	"a directory of keys":          {".ssh", ".gnupg"},
	"a directory of credentials":   {".aws", ".kube", ".azure", ".docker"},
	"an agent's configuration":     {".claude", ".codex", ".gemini", ".cursor"},
	"an editor's configuration":    {".vscode", ".idea"},
	"a build tool's configuration": {".cargo"},
	"a directory of git hooks":     {".husky", ".githooks"},
}.byName()

func protected(p string) string {
	names := strings.Split(strings.TrimPrefix(p, "/"), "/")
	for i, name := range names {
		names[i] = foldName(name)
		if reason, ok := protectedDirectories[names[i]]; ok {
			return reason
		}
	}
	base := names[len(names)-1]
	if reason, ok := protectedNames[base]; ok {
		return reason
	}
	if environmentFile(base) {
		return "a file of credentials"
	}
	if gitDirectory(names, path.Base(p)) {
		return "a git directory"
	}
	return protectedPlace("/" + strings.Join(names, "/") + "/")
}

// protectedPlaces are parts of folded paths that protect what they name and
// everything in it: what the system, a login or git runs without being told,
// and the directories that programs are looked up in (threat T19). The first
// list is looked for anywhere, the second at the root.
var protectedPlaces = []struct {
	reason   string
	anywhere []string
	atRoot   []string
}{
	{"a git configuration file", []string{".config/git"}, []string{"etc/gitconfig"}},
	{"a directory of credentials", []string{".password-store", ".local/share/keyrings", ".config/gh", ".config/gcloud", ".m2/settings.xml"}, nil},
	{"what a build tool runs", []string{".gradle/init.gradle", ".gradle/init.gradle.kts", ".gradle/init.d", ".gradle/gradle.properties"}, nil},
	{
		"what is started without being told",
		[]string{".config/systemd", ".config/autostart", ".config/environment.d", ".local/share/systemd", "library/launchagents", "library/launchdaemons"},
		[]string{
			"etc/cron.d", "etc/cron.hourly", "etc/cron.daily", "etc/cron.weekly", "etc/cron.monthly", "etc/crontab", "etc/anacrontab", "var/spool/cron",
			"etc/systemd", "usr/lib/systemd", "lib/systemd", "etc/init.d", "etc/rc.local", "etc/profile", "etc/profile.d", "etc/bash.bashrc", "etc/zsh", "etc/zshrc", "etc/environment",
		},
	},
	{
		"a configuration of the system",
		nil,
		[]string{
			"etc/passwd", "etc/group", "etc/shadow", "etc/gshadow", "etc/sudoers", "etc/sudoers.d", "etc/pam.d", "etc/ssh", "etc/hosts", "etc/ld.so.preload", "etc/ld.so.conf", "etc/ld.so.conf.d", "boot",
		},
	},
	{
		"a directory of programs or libraries",
		[]string{".local/bin"},
		[]string{"bin", "sbin", "lib", "lib64", "usr/lib", "usr/bin", "usr/sbin", "usr/local/bin", "usr/local/sbin", "opt/homebrew/bin", "home/*/bin", "users/*/bin", "root/bin", "home/*/go/bin", "users/*/go/bin", "root/go/bin"},
	},
	{"an editor's configuration", []string{".config/nvim", ".vim", ".emacs.d", ".config/emacs"}, nil},
	{"a shell configuration file", []string{".zsh", ".oh-my-zsh", ".config/fish"}, nil},
	{"a package manager's configuration", []string{".config/pip", ".config/go", ".terraform.d"}, nil},
	{"Callgate's own", []string{".config/callgate", ".local/state/callgate"}, nil},
}

// protectedPlace says why a folded path, with a slash at either end, is one of
// protectedPlaces.
func protectedPlace(folded string) string {
	for _, p := range protectedPlaces {
		for _, place := range p.anywhere {
			if strings.Contains(folded, "/"+place+"/") {
				return p.reason
			}
		}
		for _, place := range p.atRoot {
			if startsWith(folded, "/"+place+"/") {
				return p.reason
			}
		}
	}
	return ""
}

// startsWith is strings.HasPrefix, with at most one "*" in prefix for any one
// name.
func startsWith(p, prefix string) bool {
	before, after, wild := strings.Cut(prefix, "*")
	rest, ok := strings.CutPrefix(p, before)
	if !ok || !wild {
		return ok
	}
	i := strings.IndexByte(rest, '/')
	return i > 0 && strings.HasPrefix(rest[i:], after)
}

// environmentFile reports whether a folded name is an environment file with
// real values in it, as opposed to an example of one.
func environmentFile(name string) bool {
	suffix, ok := strings.CutPrefix(name, ".env")
	if !ok || suffix != "" && !strings.ContainsRune("._-", rune(suffix[0])) {
		return false
	}
	switch suffix {
	case ".example", ".sample", ".template", ".dist", ".defaults":
		return false
	}
	return true
}

// gitDirectory reports whether a path is what makes a directory of plain files a
// git repository, or makes git run code in one, without any ".git" in its name
// (threat T19). names are folded, base is as written.
func gitDirectory(names []string, base string) bool {
	for _, name := range names[:len(names)-1] {
		if strings.HasSuffix(name, ".git") {
			return true
		}
	}
	inHooks := len(names) > 1 && names[len(names)-2] == "hooks"
	return base == "HEAD" || inHooks && gitHooks[names[len(names)-1]]
}

// gitHooks are the programs git runs from a directory of hooks.
var gitHooks = names(
	"applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg", "commit-msg",
	"post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive", "update", "proc-receive", "post-receive",
	"post-update", "reference-transaction", "push-to-checkout", "pre-auto-gc", "post-rewrite", "sendemail-validate", "fsmonitor-watchman",
	"post-index-change",
)

// reasons lists names under the reason they are listed for.
type reasons map[string][]string

func (r reasons) byName() map[string]string {
	names := map[string]string{}
	for reason, list := range r {
		for _, name := range list {
			names[name] = reason
		}
	}
	return names
}
