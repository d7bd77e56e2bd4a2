package bash

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// absolute returns p, as written on the line, as a cleaned absolute path where
// the setting allows it. It follows no links: that is the host's work.
func (s Setting) absolute(p string) string {
	switch {
	case p == "~" || strings.HasPrefix(p, "~/"):
		if s.Home == "" {
			return p
		}
		p = s.Home + p[1:]
	case !strings.HasPrefix(p, "/"):
		p = s.CWD + "/" + p
		if s.CWD == "" {
			return path.Clean(p[1:])
		}
	}
	return path.Clean(p)
}

// foldName brings a file name into the form in which protected names are
// compared: case folded, without the characters that some file systems ignore.
func foldName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII {
			return unicode.ToLower(r)
		}
		if unicode.In(r, unicode.Cf) {
			return -1
		}
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return unicode.ToLower(least)
	}, name)
}

// protectedNames are files whose change makes programs run or trust something
// else. First line: the AgentScope seed; then design section 11 and threat T19.
var protectedNames = []string{
	".bashrc", ".zshrc", ".bash_profile", ".profile", ".gitconfig", ".gitmodules", "id_rsa", "id_ed25519", ".env", ".env.local", ".npmrc", ".pypirc",
	".zprofile", ".zshenv", ".zlogin", ".zlogout", ".bash_login", ".bash_logout", ".bash_aliases", ".kshrc", ".cshrc", ".tcshrc", ".login", ".inputrc",
	".netrc", ".envrc", ".env.development", ".env.development.local", ".env.test", ".env.test.local", ".env.staging", ".env.production", ".env.production.local",
	"id_ecdsa", "id_dsa", "authorized_keys", ".git-credentials", ".pgpass", ".vimrc", ".gvimrc", ".exrc", ".emacs", ".tmux.conf", ".screenrc",
	".yarnrc", ".yarnrc.yml", ".pip.conf", ".condarc", ".gemrc", ".curlrc", ".wgetrc", ".xinitrc", ".xprofile", ".xsessionrc", ".pam_environment",
	".gitattributes", ".bash_history", ".zsh_history", ".callgate.yaml", ".mcp.json", ".pre-commit-config.yaml", ".gitlab-ci.yml", "rust-toolchain", "rust-toolchain.toml", "crontab",
}

// protectedDirs are directories in which every change is protected.
var protectedDirs = []string{
	".git", ".ssh", ".claude", ".vscode", ".aws", ".kube",
	".idea", ".gnupg", ".cargo", ".husky", ".docker", ".azure", ".circleci", ".devcontainer", ".codex", ".gemini", ".cursor", ".callgate", "callgate",
	".password-store", ".terraform.d", ".oh-my-zsh", ".zsh", ".emacs.d", ".vim", "launchagents", "launchdaemons",
}

// protectedPairs are paths of two or more segments, anywhere.
var protectedPairs = []string{
	".config/gcloud", ".config/gh", ".config/fish", ".config/nvim", ".config/systemd", ".config/autostart", ".config/git", ".config/environment.d",
	".config/pip", ".config/go", ".local/bin", ".local/share/keyrings", ".github/workflows", ".github/actions", ".git/hooks", ".local/share/applications",
}

// systemDirs hold what the whole machine trusts.
var systemDirs = []string{
	"/bin", "/sbin", "/lib", "/lib64", "/boot", "/dev", "/proc", "/sys", "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/local/bin", "/usr/local/sbin",
	"/etc/cron.d", "/etc/cron.daily", "/etc/cron.hourly", "/etc/sudoers", "/etc/sudoers.d", "/etc/passwd", "/etc/shadow", "/etc/group", "/etc/profile",
	"/etc/profile.d", "/etc/bash.bashrc", "/etc/zsh", "/etc/ssh", "/etc/ld.so.preload", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/systemd", "/etc/init.d", "/etc/pam.d",
	"/etc/hosts", "/etc/crontab", "/etc/environment", "/etc/gitconfig", "/var/spool/cron", "/library/launchagents", "/library/launchdaemons", "/system",
}

// harmlessDevices may be written.
var harmlessDevices = []string{"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/stdin", "/dev/fd/1", "/dev/fd/2", "/dev/zero", "/dev/full"}

// protected reports which protected file or directory p is or lies in; empty
// when none. p may hold glob characters, which count for what they can match.
func protected(p string) string {
	if slices.Contains(harmlessDevices, p) {
		return ""
	}
	segments := strings.Split(foldName(strings.ReplaceAll(path.Clean(p), `\`, "/")), "/")
	for i, seg := range segments {
		last := i == len(segments)-1
		for _, dir := range protectedDirs {
			if nameMatches(seg, dir) && (!last || strings.HasPrefix(dir, ".") || seg != dir) {
				return dir
			}
		}
		if last {
			for _, name := range protectedNames {
				if nameMatches(seg, name) {
					return name
				}
			}
			if strings.HasPrefix(seg, ".env.") && !isEnvExample(seg) {
				return seg
			}
		}
	}
	joined := "/" + strings.Trim(strings.Join(segments, "/"), "/") + "/"
	for _, pair := range protectedPairs {
		if strings.Contains(joined, "/"+pair+"/") {
			return pair
		}
	}
	if strings.HasPrefix(p, "/") {
		for _, dir := range systemDirs {
			if strings.HasPrefix(joined, dir+"/") {
				return dir
			}
		}
	}
	return ""
}

// nameMatches reports whether the file name or glob seg can mean name. A glob
// that begins with a star leaves out names with a leading dot, as shells do.
func nameMatches(seg, name string) bool {
	if seg == name {
		return true
	}
	if !strings.ContainsAny(seg, "*?[") {
		return false
	}
	if strings.HasPrefix(name, ".") != strings.HasPrefix(seg, ".") && strings.HasPrefix(name, ".") {
		return false
	}
	if strings.Trim(seg, "*") == "" {
		return false // every file: judged as the directory itself
	}
	ok, err := path.Match(seg, name)
	return ok || err != nil
}

func isEnvExample(name string) bool {
	for _, suffix := range []string{".example", ".sample", ".template", ".dist", ".defaults"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

// secretNames are globs over names of files whose content is a secret: design
// section 13, "reading secrets".
var secretNames = []string{
	".env", ".env.*", ".envrc", "id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", "*.pem", "*.key", "*.p12", "*.pfx", "*.keystore", "*.jks", "*.kdbx", "*.ppk",
	".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".git-credentials", "credentials", "credentials.json", "credentials.toml", ".htpasswd", "shadow", "gshadow",
	".vault-token", "kubeconfig", "service-account*.json", ".my.cnf", ".s3cfg", ".boto", "secring.gpg", "secrets.yml", "secrets.yaml", "secrets.json", ".dockercfg",
	"hosts.yml", "login.keychain*", "cookies.sqlite", "key4.db", "logins.json", "token", "tokens.json", "auth.json", "*_history",
}

var secretDirs = []string{".ssh", ".aws", ".gnupg", ".kube", ".azure", ".docker", ".password-store", "gcloud", "keyrings", "callgate", ".callgate"}

// secret reports whether the content of p is one: keys, credentials, tokens,
// environment files, raw devices and other processes' memory.
func secret(p string) bool {
	clean := foldName(path.Clean(p))
	if strings.HasPrefix(clean, "/dev/") {
		return !slices.Contains(harmlessDevices, clean) && clean != "/dev/urandom" && clean != "/dev/random"
	}
	if strings.HasPrefix(clean, "/proc/") {
		return strings.Count(clean, "/") > 2 || strings.ContainsAny(clean, "*?[")
	}
	segments := strings.Split(clean, "/")
	base := segments[len(segments)-1]
	if at := strings.LastIndexByte(base, ':'); at >= 0 {
		base = base[at+1:] // git's REVISION:path
	}
	for _, dir := range secretDirs {
		if slices.Contains(segments, dir) {
			return true
		}
	}
	if isEnvExample(base) {
		return false
	}
	for _, glob := range secretNames {
		if ok, _ := path.Match(glob, base); ok || nameMatches(base, glob) && !strings.ContainsAny(glob, "*") {
			return true
		}
	}
	return strings.HasPrefix(base, ".") && strings.ContainsAny(base, "*?[")
}

// expandBraces returns the alternatives of an unquoted brace word; nil when
// there are too many to name.
func expandBraces(s string) []string {
	if strings.Count(s, "{") > 6 || strings.Count(s, ",") > 64 || len(s) > 4096 {
		return nil
	}
	out := alternatives(s)
	if len(out) > 64 {
		return nil
	}
	return out
}

func alternatives(s string) []string {
	open := strings.IndexByte(s, '{')
	if open < 0 {
		return []string{s}
	}
	depth, start := 0, open+1
	var parts []string
	for i := open; i < len(s); i++ {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth > 0 {
				continue
			}
			parts = append(parts, s[start:i])
			var out []string
			for _, part := range parts {
				for _, alternative := range alternatives(part) {
					for _, rest := range alternatives(s[i+1:]) {
						if out = append(out, s[:open]+alternative+rest); len(out) > 64 {
							return out
						}
					}
				}
			}
			return out
		case ',':
			if depth == 1 {
				parts = append(parts, s[start:i])
				start = i + 1
			}
		}
	}
	return []string{s}
}
