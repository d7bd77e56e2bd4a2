package target_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/gate/target"
)

// disk is a file system for tests: links end in "@target", directories in "/".
type disk struct {
	target.FS
	mounts  map[string]string
	files   map[string]string
	hang    string
	release chan struct{}
	asked   func(string)
}

func (d disk) Lstat(p string) (fs.FileMode, error) {
	if d.asked != nil {
		d.asked(p)
	}
	if d.hang != "" && p == d.hang {
		<-d.release
	}
	if _, ok := d.files[p]; ok {
		return 0, nil
	}
	return d.FS.Lstat(p)
}

func (d disk) Mounts() (map[string]string, error) { return d.mounts, nil }

func TestT17_pathsThatAreNotLookedAt(t *testing.T) {
	t.Parallel()
	d := disk{
		FS: target.Links(map[string]string{
			"/my/project/proc": "/proc/self/root/etc", "/my/project/nfs": "/mnt/nfs/x", "/my/project/loop": "loop", "/my/project/a": "b", "/my/project/b": "a/c",
			"/my/project/unc": "//server/share", "/my/project/long": strings.Repeat("x", 5000), "/my/project/empty": "",
		}),
		mounts: map[string]string{"/mnt/nfs": "nfs4", "/mnt/auto": "autofs", "/mnt/fuse": "fuse.sshfs", "/mnt/disk": "ext4", "/dev": "devtmpfs", "/proc": "proc", "/": "nfs"},
		files:  map[string]string{"/my/project/file": ""},
		asked: func(p string) {
			for _, forbidden := range []string{"/proc", "/mnt/nfs", "/mnt/auto", "/mnt/fuse", "/dev/sda", "/sys/"} {
				if strings.HasPrefix(p, forbidden) {
					t.Errorf("%s was looked at", p)
				}
			}
		},
	}
	r := &target.Resolver{FS: d}
	tests := []struct{ name, value, want string }{
		{"device", "/dev/sda", "/dev/sda is in /dev"},
		{"process", "/proc/1/root/etc/passwd", "/proc is a file system of type proc"},
		{"kernel", "/sys/power/state", "/sys/power is in /sys"},
		{"link into a process", "proc/passwd", "/proc is a file system of type proc"},
		{"dots into a device", "../../dev/sda", "/dev/sda is in /dev"},
		{"network", "/mnt/nfs/a", "/mnt/nfs is a file system of type nfs4"},
		{"link to network", "nfs", "/mnt/nfs is a file system of type nfs4"},
		{"automount", "/mnt/auto", "/mnt/auto is a file system of type autofs"},
		{"fuse", "/mnt/fuse/a/../../disk/x", "/mnt/fuse is a file system of type fuse.sshfs"},
		{"another machine", "//server/share", `"//server/share" names another machine`},
		{"another machine, backslashes", `\\server\share`, "names another machine"},
		{"loop", "loop", "more than 40 links"},
		{"growing loop", "a", "more than 40 links"},
		{"overlong link", "long", "is an empty or overlong link"},
		{"empty link", "empty", "is an empty or overlong link"},
		{"below a file", "file/x", "/my/project/file is not a directory"},
		{"up from a file", "file/../x", "/my/project/file is not a directory"},
		{"empty", "", "an empty path"},
		{"somebody's home", "~root/x", `"~root/x": other people's home directories`},
		{"too long", strings.Repeat("x", 4097), "a target of 4097 bytes, at most 4096"},
		{"not text", "a\xff", "a target with invalid text"},
		{"NUL", "a\x00b", "a target with invalid text"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := resolveOne(t, r, place, tt.value)
			if !strings.Contains(got.Error, tt.want) || got.Inside != "" || got.Resolved != "" || got.Exists {
				t.Errorf("got %+v, want error %q and nothing else", got, tt.want)
			}
		})
	}
	for _, fine := range []string{"/mnt/disk/x", "/dev/null", "/etc/passwd"} {
		if got := resolveOne(t, r, place, fine); got.Error != "" {
			t.Errorf("%s: got error %s", fine, got.Error)
		}
	}
}

func TestResolve_theOperatorsOwnMountIsLookedAt(t *testing.T) {
	t.Parallel()
	r := &target.Resolver{FS: disk{FS: target.Links(nil), mounts: map[string]string{"/net": "autofs", "/net/home": "nfs4", "/net/home/p/sub": "fuse"}}}
	p := target.Place{CWD: "/net/home/p", WorkingDirectories: []string{"/net/home/p"}}
	if got := resolveOne(t, r, p, "x"); got.Inside != "/net/home/p" {
		t.Errorf("got %+v, want it inside", got)
	}
	if got := resolveOne(t, r, p, "sub/x"); !strings.Contains(got.Error, "fuse") {
		t.Errorf("a mount below: got %+v, want an error", got)
	}
}

func TestResolve_placesThatAreMissing(t *testing.T) {
	t.Parallel()
	r := &target.Resolver{FS: target.Links(nil)}
	if got := resolveOne(t, r, target.Place{}, "a"); !strings.Contains(got.Error, "the current directory is not known") {
		t.Errorf("no cwd: got %+v", got)
	}
	if got := resolveOne(t, r, target.Place{CWD: "relative"}, "a"); !strings.Contains(got.Error, "the current directory is not known") {
		t.Errorf("relative cwd: got %+v", got)
	}
	if got := resolveOne(t, r, target.Place{CWD: "/"}, "~/a"); !strings.Contains(got.Error, "the home directory is not known") {
		t.Errorf("no home: got %+v", got)
	}
	if got := resolveOne(t, r, target.Place{CWD: "/a", WorkingDirectories: []string{"a", ""}}, "a"); got.Inside != "" || got.Error != "" {
		t.Errorf("relative working directories hold nothing: got %+v", got)
	}
	if got := resolveOne(t, r, target.Place{CWD: "/a", WorkingDirectories: []string{"/"}}, "x"); got.Inside != "/" {
		t.Errorf("the root holds everything: got %+v", got)
	}
}

func TestT17_tooManyTargets(t *testing.T) {
	t.Parallel()
	r := &target.Resolver{FS: target.Links(nil)}
	got, err := r.Resolve(context.Background(), place, nil, make([]engine.Target, 257))
	if err == nil || got != nil || !strings.Contains(err.Error(), "257, at most 256") {
		t.Errorf("got %d targets and %v", len(got), err)
	}
}

func TestResolve_whatTheModuleFilledInIsDropped(t *testing.T) {
	t.Parallel()
	r := &target.Resolver{FS: target.Links(nil)}
	lie := engine.Target{Kind: "path", Value: "/etc/passwd", Access: "read", Resolved: "/my/project/x", Lexical: "/my/project/x", Inside: "/my/project", Exists: true}
	host := lie
	host.Kind, host.Value = "host", "example.com"
	got, err := r.Resolve(context.Background(), place, json.RawMessage(`["/etc/passwd"]`), []engine.Target{lie, host})
	if err != nil {
		t.Fatal(err)
	}
	want := []engine.Target{
		{Kind: "path", Value: "/etc/passwd", Access: "read", Resolved: "/etc/passwd", Lexical: "/etc/passwd"},
		{Kind: "host", Value: "example.com", Access: "read"},
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %+v, want %+v", got[i], want[i])
		}
	}
}

func TestT17_aFileSystemThatHangsCostsItsTimeOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		r := &target.Resolver{FS: disk{FS: target.Links(nil), hang: "/my/project/slow", release: release}}
		start := time.Now()
		got, err := r.Resolve(context.Background(), place, nil, []engine.Target{{Kind: "path", Value: "slow/a"}})
		if err == nil || got != nil || !strings.Contains(err.Error(), "took too long") {
			t.Errorf("got %v, %v, want an error and no targets", got, err)
		}
		if took := time.Since(start); took != 200*time.Millisecond {
			t.Errorf("it took %v, want 200ms", took)
		}
		// Of many at once, each has its own time: waiting for a turn is not late.
		hang := func(n int) (slow, busy int) {
			done := make(chan error, n)
			for range n {
				go func() {
					_, err := r.Resolve(context.Background(), place, nil, []engine.Target{{Kind: "path", Value: "slow/a"}})
					done <- err
				}()
			}
			for range n {
				if strings.Contains((<-done).Error(), "too many path look-ups") {
					busy++
				} else {
					slow++
				}
			}
			return slow, busy
		}
		start = time.Now()
		if slow, busy := hang(200); slow != 200 || busy != 0 {
			t.Errorf("got %d slow and %d busy, want 200 that each waited for a turn", slow, busy)
		}
		if took := time.Since(start); took < time.Second || took > 2*time.Second {
			t.Errorf("200 took %v", took)
		}
		// A turn is not waited for without end.
		if slow, busy := hang(400); slow+busy != 400 || busy < 40 || slow > 311 {
			t.Errorf("got %d slow and %d busy of 400", slow, busy)
		}
		// 512 in all may hang; then nothing is started any more.
		for range 10 {
			hang(100)
		}
		start = time.Now()
		if slow, busy := hang(10); slow != 0 || busy != 10 || time.Since(start) != 0 {
			t.Errorf("got %d slow and %d busy after %v, want 10 that are refused at once", slow, busy, time.Since(start))
		}
		close(release)
		synctest.Wait()
		if _, err := r.Resolve(context.Background(), place, nil, []engine.Target{{Kind: "path", Value: "slow/a"}}); err != nil {
			t.Errorf("after they ended: got %v", err)
		}
	})
}

func TestResolve_aCancelledCallIsAnError(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := &target.Resolver{FS: target.Links(nil)}
	if got, err := r.Resolve(ctx, place, nil, []engine.Target{{Kind: "path", Value: "a"}}); err == nil || got != nil {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := (&target.Resolver{}).Directories(context.Background(), []string{"/"}); err == nil {
		t.Error("without a file system: got no error")
	}
}

func TestDirectories(t *testing.T) {
	t.Parallel()
	r := &target.Resolver{FS: target.Links(map[string]string{"/tmp": "private/tmp", "/loop": "loop"})}
	got, err := r.Directories(context.Background(), []string{"/tmp/a", "/new/"})
	if want := "[/private/tmp/a /new]"; err != nil || fmt.Sprint(got) != want {
		t.Errorf("got %v, %v, want %s", got, err, want)
	}
	for _, bad := range []string{"relative", "", "/loop", "/proc/self/cwd", "/dev/shm"} {
		if got, err := r.Directories(context.Background(), []string{"/a", bad}); err == nil || !strings.Contains(err.Error(), "working directory "+bad) {
			t.Errorf("%q: got %v, %v, want an error that names it", bad, got, err)
		}
	}
}

func TestResolve_aWorkingDirectoryGivenThroughALink(t *testing.T) {
	t.Parallel()
	r := &target.Resolver{FS: target.Links(map[string]string{"/tmp": "/private/tmp", "/other": "/private/tmp/p"})}
	p := target.Place{CWD: "/tmp/p", WorkingDirectories: []string{"/tmp/p"}}
	for value, want := range map[string]string{
		"a": "/private/tmp/p", "/tmp/p/a": "/private/tmp/p", "/private/tmp/p/a": "/private/tmp/p", "/other/a": "", "/tmp/q": "",
	} {
		if got := resolveOne(t, r, p, value); got.Inside != want || got.Error != "" {
			t.Errorf("%s: got %+v, want inside %q", value, got, want)
		}
	}
}

func TestT17_claimed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, input, value string
		want               bool
	}{
		{"the input's own text", `{"file_path":"/a/b.txt"}`, "/a/b.txt", false},
		{"a word of a command", `{"command":"rm -rf build"}`, "build", false},
		{"quoted", `{"command":"rm \"a b\"/'c'"}`, "a b/c", false},
		{"escaped", `{"command":"rm a\\ b"}`, "a b", false},
		{"an option's value", `{"command":"x --out=dist/js"}`, "dist/js", false},
		{"after cd", `{"command":"cd sub && rm x"}`, "sub/x", false},
		{"a redirection without a blank", `{"command":"echo>out"}`, "out", false},
		{"below home", `{"command":"cat ~/notes"}`, "~/notes", false},
		{"home written out", `{"command":"cat $HOME/notes"}`, "/home/dev/notes", false},
		{"the directory itself", `{"command":"git status"}`, ".", false},
		{"nested in the input", `{"edits":[{"path":"deep/x"}]}`, "deep/x", false},
		{"behind a large content", `{"content":"` + strings.Repeat("a ", 150<<10) + `","file_path":"/a/b.txt"}`, "/a/b.txt", false},
		{"behind many edits", `{"edits":["` + strings.Repeat(strings.Repeat("a", 60<<10)+`","`, 9) + `"],"file_path":"/a/b.txt"}`, "/a/b.txt", false},
		{"in a large content only", `{"content":"` + strings.Repeat("a ", 150<<10) + `/etc/shadow","file_path":"/a/b.txt"}`, "/etc/shadow", true},
		{"not in the input", `{"command":"ls"}`, "/etc/shadow", true},
		{"part of a word only", `{"command":"ls build-old"}`, "build", true},
		{"one part is not", `{"command":"ls build"}`, "build/secret", true},
		{"no input", ``, "x", true},
		{"no JSON", `{"x`, "x", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := &target.Resolver{FS: target.Links(nil), Limits: target.Limits{Time: time.Minute}}
			got, err := r.Resolve(context.Background(), place, json.RawMessage(tt.input), []engine.Target{{Kind: "path", Value: tt.value}})
			if err != nil || got[0].Claimed != tt.want {
				t.Errorf("got %+v, %v, want claimed %v", got, err, tt.want)
			}
		})
	}
}
