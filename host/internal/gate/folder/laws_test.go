package folder_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/gate/folder"
	"github.com/callgate/callgate/host/internal/gate/target"
	"pgregory.net/rapid"
)

// laws are those of ann's machine with Callgate, and its state on a data disk.
func laws() folder.Laws {
	return folder.NewLaws([]string{"/home/ann", "/srv/accounts/bot"}, []string{"/home/ann/.config/callgate", "/srv/data/callgate/state", "/srv/tools/bin/callgate"})
}

// TestNeverOffered are folders no card ever offers to trust. Each was tried in an attack: a
// home, or a directory with many projects, looks like a project once it has a .git.
func TestNeverOffered(t *testing.T) {
	t.Parallel()
	l := laws()
	for _, p := range []string{
		"", ".", "site", "~/site", "/", "//", "/srv/x/../y", "/srv/x/",
		// A top directory, or a whole drive.
		"/srv", "/opt", "/data", "/work", "/mnt/c", "/media/ann/stick", "/Volumes/Work", "/mnt", "/media",
		// Homes, their parents, and the usual directories of a home.
		"/home", "/home/ann", "/home/bob", "/root", "/Users", "/Users/ann", "/export/home/ann", "/mnt/c/Users/ann", "/HOME/Ann",
		"/srv/accounts/bot", "/srv/accounts", "/home/ann/Documents", "/home/ann/desktop", "/Users/ann/Library", "/Users/ann/Library/Mobile Documents/x",
		"/mnt/c/Users/ann/AppData/Local/x", "/home/bob/Downloads", "/srv/accounts/bot/Documents",
		// Programs' own files: Callgate's, and those of its clients.
		"/home/ann/.config", "/home/ann/.config/callgate", "/home/ann/.claude", "/home/ann/.claude/plans", "/home/ann/.codex/x", "/home/ann/.ssh",
		"/home/ann/.dotfiles", "/home/ann/site/.git", "/home/ann/site/.claude/worktrees/x", "/srv/data/callgate", "/srv/data/callgate/state/x", "/srv/data",
		"/srv/tools", "/srv/tools/bin", "/SRV/Tools/BIN",
		// The system, and directories writable by all.
		"/etc", "/etc/nginx", "/usr/src/linux", "/usr/local/src/x", "/var/www/site", "/proc/1/cwd", "/sys/x/y", "/dev/shm/x", "/boot/x", "/nix/store/x",
		"/System/x", "/Library/x", "/private/etc/x", "/Applications/x.app", "/tmp", "/tmp/x", "/tmp/a/b/c", "/var/tmp/x/y", "/private/tmp/x", "/private/var/folders/a/b/c",
		"/run/user/1000/x",
		// Paths a card cannot show unchanged.
		"/home/ann/si\nte", "/home/ann/\u202etis", "/home/ann/si\x1b[31mte", "/home/ann/\xff", "/home/ann/si\u200bte", "/home/ann/" + strings.Repeat("x", 300),
	} {
		if why := l.RefusePath(p); why == "" {
			t.Errorf("%q is offered", p)
		}
	}
	if why := (folder.Laws{}).RefusePath("/home/ann/site"); why == "" {
		t.Error("the zero laws offer a folder")
	}
}

// TestOffered are acceptable folders.
func TestOffered(t *testing.T) {
	t.Parallel()
	for _, p := range []string{
		"/home/ann/site", "/home/ann/work/site", "/home/bob/site", "/root/site", "/Users/ann/site", "/srv/www/site", "/opt/site/app", "/work/main",
		"/mnt/c/Users/ann/site", "/mnt/data/site", "/media/ann/stick/site", "/Volumes/Work/site", "/home/ann/Documents/site", "/srv/accounts/bot/site",
		"/home/ann/tmp/site", "/home/ann/Grüße", "/srv/toolshed/bin", "/srv/data/other",
	} {
		if why := laws().Refuse(target.Folder{Path: p, File: "1:2:3"}); why != "" {
			t.Errorf("%q: it %s", p, why)
		}
	}
}

// TestLawsOfTheFolder: a folder without an identity, or with several projects, is not offered,
// at any path.
func TestLawsOfTheFolder(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]target.Folder{
		"no identity":      {Path: "/home/ann/site"},
		"several projects": {Path: "/home/ann/work", File: "1:2:3", Repositories: []string{"/home/ann/work/a", "/home/ann/work/b"}},
	} {
		if laws().Refuse(f) == "" {
			t.Errorf("%s: offered", name)
		}
	}
	if why := laws().Refuse(target.Folder{Path: "/home/ann/site", File: "1:2:3", Repositories: []string{"/home/ann/site/fixture"}}); why != "" {
		t.Errorf("one repository inside, as a fixture of tests: it %s", why)
	}
}

// TestLawsOnlyNarrow: above a folder refused for being a home, the system's or Callgate's,
// nothing is offered; another spelling of a refused path is refused as well; more homes and
// more files of our own never offer more.
func TestLawsOnlyNarrow(t *testing.T) {
	t.Parallel()
	part := rapid.SampledFrom([]string{"home", "Users", "root", "srv", "ann", "bob", "site", "work", "tmp", "var", "etc", "Documents", ".config", "callgate", "mnt", "c", "Library"})
	draw := func(t *rapid.T, label string) string {
		return "/" + strings.Join(rapid.SliceOfN(part, 0, 6).Draw(t, label), "/")
	}
	rapid.Check(t, func(t *rapid.T) {
		home, own, p := draw(t, "home"), draw(t, "own"), draw(t, "path")
		l := folder.NewLaws([]string{home}, []string{own})
		if l.RefusePath(p) != "" {
			for _, other := range []string{strings.ToUpper(p), strings.ToLower(p)} {
				if l.RefusePath(other) == "" {
					t.Errorf("%s is refused, %s is offered", p, other)
				}
			}
			return
		}
		for _, held := range []string{home, own} {
			if p == held || strings.HasPrefix(held, p+"/") {
				t.Errorf("%s is offered and holds %s", p, held)
			}
		}
		if p == own || strings.HasPrefix(p, own+"/") {
			t.Errorf("%s is offered in Callgate's own %s", p, own)
		}
		if folder.NewLaws(nil, nil).RefusePath(p) != "" {
			t.Errorf("%s is offered only because of the home %s or the files %s", p, home, own)
		}
	})
}
