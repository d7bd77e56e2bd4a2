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
	return ""
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
