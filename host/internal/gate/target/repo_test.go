//go:build unix

package target_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/gate/target"
)

// unpack makes files: the key is the path, a trailing slash a directory.
func unpack(t *testing.T, files map[string]string) string {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		at := filepath.Join(top, name)
		dir := filepath.Dir(at)
		if strings.HasSuffix(name, "/") {
			dir = at
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			continue
		}
		if err := os.WriteFile(at, []byte(strings.ReplaceAll(content, "TOP", top)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return top
}

// gitDir adds the files of a git directory to dir, with this configuration.
func gitDir(files map[string]string, dir, config string) map[string]string {
	files[dir+"/HEAD"] = "ref: refs/heads/main\n"
	files[dir+"/objects/"], files[dir+"/refs/"] = "", ""
	files[dir+"/config"] = config
	return files
}

const ordinary = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n[remote \"origin\"]\n\turl = git@example.com:a/b\n[branch \"main\"]\n\tremote = origin\n"

func TestT19_repositoryFacts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		files map[string]string
		at    string
		want  string // root, then the dirty settings
	}{
		{"no repository", map[string]string{"p/": ""}, "p/x", ""},
		{"an ordinary one", gitDir(map[string]string{}, "p/.git", ordinary), "p/sub/deep/x", "p"},
		{"fsmonitor", gitDir(map[string]string{}, "p/.git", ordinary+"[core]\n\tfsmonitor = ./evil\n"), "p", "p core.fsmonitor"},
		{"git's own fsmonitor", gitDir(map[string]string{}, "p/.git", "[core]\n\tfsmonitor = true\n"), "p", "p"},
		{"external diff and filters", gitDir(map[string]string{}, "p/.git", "[diff] external = x\n[filter \"a\"]\nclean = b\n"), "p", "p diff.external filter.clean"},
		{"bare, of plain files", gitDir(map[string]string{}, "p", "[core]\n\tbare = true\n\tfsmonitor = x\n"), "p/x", "p bare git directory core.fsmonitor"},
		{"bare, deeper than a real one", gitDir(gitDir(map[string]string{}, "p/.git", ordinary), "p/vendor/lib", ""), "p/vendor/lib/x", "p/vendor/lib bare git directory"},
		{"an empty .git is none", gitDir(map[string]string{"p/sub/.git/": ""}, "p/.git", ordinary), "p/sub/x", "p"},
		{"an empty .git hides no bare one", gitDir(map[string]string{"p/.git/": ""}, "p", ""), "p", "p bare git directory"},
		{"hook that git status runs", gitDir(map[string]string{"p/.git/hooks/post-index-change": "#!/bin/sh\n"}, "p/.git", ""), "p", "p hooks/post-index-change"},
		{"a file that names the directory", gitDir(map[string]string{"p/.git": "gitdir: ../real\n"}, "real", "[core]\npager = x\n"), "p", "p core.pager"},
		{
			"a work tree",
			gitDir(map[string]string{"w/.git": "gitdir: TOP/p/.git/worktrees/w\n", "p/.git/worktrees/w/HEAD": "x", "p/.git/worktrees/w/commondir": "../..\n", "p/.git/worktrees/w/config.worktree": "[core]\nhookspath = x\n"}, "p/.git", "[alias]\nst = !evil\n"),
			"w", "w alias.* core.hookspath",
		},
		{"a .git that is rubbish", map[string]string{"p/.git": "hello"}, "p", "p unreadable .git"},
		{"configuration too large", gitDir(map[string]string{}, "p/.git", strings.Repeat("#\n", 200_000)), "p", "p unreadable git config"},
		{"configuration that is a directory", func() map[string]string {
			files := gitDir(map[string]string{"p/.git/config/": ""}, "p/.git", "")
			delete(files, "p/.git/config")
			return files
		}(), "p", "p unreadable git config"},
		{"cargo", map[string]string{"p/.cargo/config.toml": "[build]\nrustc-wrapper = 'x'\n"}, "p/a/b", " .cargo/config.toml"},
		{"harmless cargo", map[string]string{"p/.cargo/config.toml": "[net]\noffline = true\n"}, "p", ""},
		{"toolchain", map[string]string{"rust-toolchain.toml": ""}, "p", " rust-toolchain.toml"},
		{"dotnet", map[string]string{"p/global.json": `{"sdk": {"version": "10.0.100", "paths": [".dotnet"]}}`}, "p/a", " global.json"},
		{"harmless dotnet", map[string]string{"p/global.json": `{"sdk": {"version": "8.0.100", "rollForward": "latestMinor"}}`}, "p", ""},
		{"npm", map[string]string{"p/.npmrc": "node-options=--require ./x.js\n"}, "p", " .npmrc"},
		{"harmless npm", map[string]string{"p/.npmrc": "registry=https://example.com\n"}, "p", ""},
		{"yarn", map[string]string{"p/.yarnrc.yml": "yarnPath: ./evil.cjs\n"}, "p", " .yarnrc.yml"},
		{"go settings", map[string]string{"home/.config/go/env": "GOFLAGS=-toolexec=/tmp/x\n"}, "p", " go/env"},
	}
	r := &target.Resolver{FS: target.OS()}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			top := unpack(t, tt.files)
			got := resolveOne(t, r, target.Place{CWD: top, Home: top + "/home"}, filepath.Join(top, tt.at))
			if got.Error != "" {
				t.Fatal(got.Error)
			}
			if said := say(top, got.Repo); said != tt.want {
				t.Errorf("got %q, want %q", said, tt.want)
			}
		})
	}
}

func say(top string, repo *engine.Repo) string {
	if repo == nil {
		return ""
	}
	return strings.Join(append([]string{strings.TrimPrefix(repo.Root, top+"/")}, repo.Dirty...), " ")
}

// TestT19_gitAgrees puts settings past comments, quotes and continued lines and compares with
// git's own view.
func TestT19_gitAgrees(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	r := &target.Resolver{FS: target.OS()}
	for name, config := range map[string]string{
		"plain":                        "[core]\nfsmonitor=x",
		"upper case":                   "[CoRe]\nFSMonitor = x\n",
		"on the section's line":        "[core] fsmonitor = x",
		"after a comment that ends \\": "[core]\nbare = false # \\\nfsmonitor = x\n",
		"in a continued value":         "[user]\nname = a \\\nfsmonitor = x\n[core]\n",
		"section in a value":           "[core]\nx = a \\\n[user]\nfsmonitor = y\n",
		"in quotes":                    "[core]\nx = \"a # b\" ; fsmonitor = x\n",
		"quote then comment":           "[core]\nx = \"a\\\"\" # \"\nfsmonitor = y\n",
		"sub-section":                  "[core \"fsmonitor\"]\nx = y\n",
		"sub-section with brackets":    "[a \"]\\n[core]\"]\nfsmonitor = x\n",
		"dotted":                       "[core.fsmonitor]\nx = y\n",
		"carriage returns":             "[core]\r\nfsmonitor = x\r\n",
		"carriage return in a value":   "[core]\nx = a\rfsmonitor = b\n",
		"byte order mark":              "\ufeff[core]\nfsmonitor = x\n",
		"blank before":                 "  [core]  \n\t fsmonitor\t=\tx",
		"key alone":                    "[core]\nfsmonitor\n",
		"semicolon":                    ";[core]\n[user]\nfsmonitor = x\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := unpack(t, gitDir(map[string]string{}, "p/.git", config))
			cmd := exec.Command(git, "config", "--file", top+"/p/.git/config", "--get", "core.fsmonitor")
			out, err := cmd.Output()
			value := strings.TrimSpace(string(out))
			sees := err == nil && value != "" && value != "true"
			got := resolveOne(t, r, target.Place{CWD: top}, top+"/p")
			dirty := slices.ContainsFunc(got.Repo.Dirty, func(s string) bool { return s == "core.fsmonitor" || s == "unreadable git config" })
			if sees && !dirty {
				t.Errorf("git sees fsmonitor = %q, we see %v", value, got.Repo.Dirty)
			}
			if err == nil && !sees && dirty {
				t.Logf("stricter than git: %v", got.Repo.Dirty)
			}
		})
	}
}

func TestT17_whatIsNoRegularFileIsNotReadAsConfiguration(t *testing.T) {
	t.Parallel()
	top := unpack(t, map[string]string{"a/": "", "b/": "", "c/": ""})
	if err := errors.Join(
		os.Symlink("/dev/zero", top+"/a/.npmrc"), syscall.Mkfifo(top+"/b/.npmrc", 0o600), os.Mkdir(top+"/c/.npmrc", 0o700),
	); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"a", "b", "c"} {
		got := resolveOne(t, &target.Resolver{FS: target.OS()}, target.Place{CWD: top}, top+"/"+dir)
		if got.Repo == nil || !slices.Equal(got.Repo.Dirty, []string{".npmrc"}) {
			t.Errorf("%s: got %+v, want it taken for the worst", dir, got.Repo)
		}
	}
}

// TestNullDevice: the output of a command put away there says nothing of repositories; a real
// device beside it stays unknown.
func TestNullDevice(t *testing.T) {
	t.Parallel()
	r := &target.Resolver{FS: target.OS()}
	if got := resolveOne(t, r, target.Place{CWD: t.TempDir()}, "/dev/null"); got.Repo != nil || got.Error != "" {
		t.Errorf("/dev/null: %+v with repository %+v", got, got.Repo)
	}
	if got := resolveOne(t, r, target.Place{CWD: t.TempDir()}, "/dev/zero"); got.Error == "" {
		t.Errorf("/dev/zero is looked at: %+v", got)
	}
}

func TestProjectRoot(t *testing.T) {
	t.Parallel()
	top := unpack(t, map[string]string{
		"git/.git/HEAD": "x", "git/sub/deep/": "", "git/fake/.git/": "", "git/inner/.git/HEAD": "x", "tree/.git": "gitdir: x\n", "tree/a/": "",
		"odd/.git": "no", "plain/a/": "", "link/": "",
	})
	if err := os.Symlink(top+"/git/sub", top+"/link/sub"); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, cwd string
		dirs      []string
		want      string
	}{
		{"in a repository", "git/sub/deep", nil, "git"},
		{"its root", "git", nil, "git"},
		{"through a link", "link/sub/deep", nil, "git"},
		{"a nested repository, and what is around it", "git/inner", nil, "git/inner git"},
		{"an empty .git is none", "git/fake", nil, "git"},
		{"a work tree", "tree/a", nil, "tree"},
		{"a .git that is rubbish", "odd", nil, ""},
		{"no repository, no directories", "plain/a", nil, ""},
		{"no repository, a directory", "plain/a", []string{"plain"}, "plain"},
		{"a directory inside a repository", "git/sub/deep", []string{"git/sub"}, "git git/sub"},
		{"a directory around a repository", "git/sub", []string{"."}, "git ."},
		{"the current directory is outside", "git/sub", []string{"tree", "plain"}, "tree"},
		{"the current directory is unknown", "", []string{"plain/a"}, "plain/a"},
		{"nothing is known", "", nil, ""},
	}
	r := &target.Resolver{FS: target.OS()}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cwd := ""
			if tt.cwd != "" {
				cwd = filepath.Join(top, tt.cwd)
			}
			var dirs []string
			for _, d := range tt.dirs {
				dirs = append(dirs, filepath.Join(top, d))
			}
			at, err := r.Project(t.Context(), cwd, dirs)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, root := range at.Roots {
				rel, err := filepath.Rel(top, root)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, rel)
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestPythonModules: a file shadowing a module of Python is reported for its directory, and for
// no other.
func TestPythonModules(t *testing.T) {
	t.Parallel()
	top := unpack(t, map[string]string{
		"a/json.py": "", "b/_json.abi3.so": "", "c/re/__init__.py": "", "d/types/x.go": "", "d/main.py": "", "d/json.md": "", "d/__init__.py": "", "e/keyword.pyc": "", "a/sub/x.py": "", "f/json": "",
	})
	r := &target.Resolver{FS: target.OS()}
	for dir, want := range map[string][]string{
		"a": {"python module json.py"}, "b": {"python module _json.abi3.so"}, "c": {"python module re"}, "d": nil, "e": {"python module keyword.pyc"}, "a/sub": nil, "a/json.py": nil, "f": nil, "missing": nil,
	} {
		got, err := r.Resolve(t.Context(), target.Place{CWD: top, WorkingDirectories: []string{top}}, []byte(`{"command":"`+dir+`"}`), []engine.Target{{Kind: "path", Value: dir, Access: "read"}})
		if err != nil {
			t.Fatal(err)
		}
		var dirty []string
		if got[0].Repo != nil {
			dirty = got[0].Repo.Dirty
		}
		if !slices.Equal(dirty, want) {
			t.Errorf("%s: got %q, want %q", dir, dirty, want)
		}
	}
}
