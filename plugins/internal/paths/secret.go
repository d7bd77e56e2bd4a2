package paths

import (
	"path"
	"strings"
)

// Secret reports whether the place is, or lies in, what holds keys, credentials
// or tokens. Reading one is not read-only. Both forms count, folded.
// Source: design section 13, "reading secrets".
func Secret(p Place) bool { return secret(p.Lexical) || secret(p.Resolved) }

// SeeksSecret reports whether a glob of a search, stripped of its wildcards,
// names secrets, as "**/.env*" and "**/.ssh/*" do.
func SeeksSecret(pattern string) bool {
	texts, err := expandBraces(pattern)
	if err != nil {
		return true
	}
	plain := strings.NewReplacer("*", "", "?", "", "[", "", "]", "", `\`, "")
	for _, text := range texts {
		for _, segment := range strings.Split(plain.Replace(text), "/") {
			if segment != "" && (secret("/"+segment) || secret("/"+segment+"/x")) {
				return true
			}
		}
	}
	return false
}

var secretNames = names(
	"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk",
	".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials", ".pgpass", ".my.cnf", ".mylogin.cnf", ".envrc", ".vault-token", ".htpasswd",
	"shadow", "shadow-", "gshadow", "gshadow-", "master.passwd", "credentials", "credentials.json", ".credentials.json", "credentials.toml",
	"credentials.tfrc.json", "secrets.yaml", "secrets.yml", "secrets.json", "token.json", "login.keychain-db", "cookies.sqlite", "key4.db", "logins.json",
	"login data", "login data for account", "cookies", "web data", ".boto", ".s3cfg",
)

var secretEndings = []string{".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk", ".gpg", ".asc.key", ".age"}

// secretDirectories hold nothing but secrets, or hardly anything else.
var secretDirectories = names(".ssh", ".gnupg", ".aws", ".kube", ".azure", ".password-store", "keyrings", "keychains")

// secretPaths are token stores inside directories that hold other things too.
var secretPaths = []string{
	".docker/config.json", ".config/gh/hosts.yml", ".config/glab-cli/config.yml", ".config/gcloud", ".config/rclone/rclone.conf",
	".codex/auth.json", ".gemini/oauth_creds.json", ".local/share/opencode/auth.json", ".config/op", ".subversion/auth", ".m2/settings.xml",
	".gradle/gradle.properties", ".config/hub", ".terraform.d/credentials.tfrc.json", ".bash_history", ".zsh_history", ".psql_history",
	".mysql_history", ".python_history", ".node_repl_history", ".local/state/callgate",
	"etc/sudoers", "etc/sudoers.d", "run/secrets", "var/run/secrets",
}

func secret(p string) bool {
	segments := strings.Split(strings.TrimPrefix(p, "/"), "/")
	for i, name := range segments {
		segments[i] = foldName(name)
		if secretDirectories[segments[i]] {
			return true
		}
	}
	if secretName(segments[len(segments)-1]) || processSecret(segments) {
		return true
	}
	folded := "/" + path.Join(segments...) + "/"
	for _, known := range secretPaths {
		if strings.Contains(folded, "/"+known+"/") {
			return true
		}
	}
	return false
}

func secretName(name string) bool {
	for _, copied := range []string{".bak", ".old", ".orig", ".save", ".backup", "~"} {
		name = strings.TrimSuffix(name, copied)
	}
	if secretNames[name] || environmentFile(name) || privateKey(name) {
		return true
	}
	for _, ending := range secretEndings {
		if strings.HasSuffix(name, ending) {
			return true
		}
	}
	return false
}

// privateKey reports whether a name is one that SSH gives a key, or a person by
// adding to it: id_ed25519_work, ssh_host_rsa_key.
func privateKey(name string) bool {
	if strings.HasSuffix(name, ".pub") {
		return false
	}
	if strings.HasPrefix(name, "ssh_host_") && strings.HasSuffix(name, "_key") {
		return true
	}
	rest, ok := strings.CutPrefix(name, "id_")
	kind, more, named := strings.Cut(rest, "_")
	if !named {
		kind, more, named = strings.Cut(rest, "-")
	}
	return ok && named && more != "" && secretNames["id_"+kind]
}

// processSecret reports whether the path shows another process's environment or
// memory.
func processSecret(segments []string) bool {
	if segments[0] != "proc" {
		return false
	}
	switch segments[len(segments)-1] {
	case "environ", "mem", "kcore", "maps", "auxv":
		return true
	}
	return false
}

func names(list ...string) map[string]bool {
	set := map[string]bool{}
	for _, name := range list {
		set[name] = true
	}
	return set
}
