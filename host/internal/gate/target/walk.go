package target

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"
)

// walker follows paths for one Resolve. It remembers its findings, so all paths of a call are
// judged on one picture of the disk.
type walker struct {
	ctx    *clock
	fs     FS
	limits Limits
	mounts map[string]string
	// own are working directories: the operator chose to work on the mount points above them.
	own []string
	// seen has the answers to look; those of another turn are of an earlier look-up of the call.
	seen   map[string]node
	turn   uint32
	repos  map[string]*facts
	absent *absences
	now    time.Time
	// goEnv are the dirty settings for go commands in any directory.
	goEnv []string
}

// node is the file at one path without links among its parents.
type node struct {
	mode  fs.FileMode
	turn  uint32
	link  string
	stamp Stamp // of a directory
	err   error
}

// found is where a path leads.
type found struct {
	path   string
	exists bool
}

// follow resolves an absolute path as the kernel does: links in their place, ".." from the
// destination of the link before it. Missing components are kept, and ".." removes one again:
// the kernel would fail there, but a call may make the directory first, or clean the path; its
// destination then counts as missing. With last false, a link at the very end is not followed,
// as for rm or mv.
func (w *walker) follow(name string, last bool) (found, error) {
	if !path.IsAbs(name) {
		return found{}, fmt.Errorf("%q is not absolute", name)
	}
	at, broken := "/", false
	part, todo, more := "", name, true
	for links := 0; more; {
		part, todo, more = strings.Cut(todo, "/")
		switch part {
		case "", ".":
			continue
		case "..":
			broken = broken || !w.exists(at)
			at = path.Dir(at)
			continue
		}
		next := prefix(name, at, part)
		n := w.look(next)
		switch {
		case errors.Is(n.err, fs.ErrNotExist):
			at = next
		case n.err != nil:
			return found{}, n.err
		case n.mode&fs.ModeSymlink != 0 && (last || rest(todo)):
			if links++; links > w.limits.Links {
				return found{}, fmt.Errorf("more than %d links", w.limits.Links)
			}
			if n.link == "" || len(n.link) > w.limits.Length {
				return found{}, fmt.Errorf("%s is an empty or overlong link", next)
			}
			if path.IsAbs(n.link) {
				at = "/"
			}
			if todo = n.link + "/" + todo; !more {
				todo, more = n.link, true
			}
		case n.mode&fs.ModeDir == 0 && n.mode&fs.ModeSymlink == 0 && more:
			return found{}, fmt.Errorf("%s is %w", next, errNoDirectory)
		default:
			at = next
		}
	}
	return found{at, !broken && w.exists(at)}, nil
}

var errNoDirectory = errors.New("not a directory")

// below is a name, or a clean relative path, in a clean directory: path.Join would clean both again.
func below(dir, name string) string {
	if dir == "/" {
		return "/" + name
	}
	return dir + "/" + name
}

// prefix is below(dir, part) as a piece of name where name begins so, as it does until a link or
// a dot: a path costs no text for each of its directories.
func prefix(name, dir, part string) string {
	from := len(strings.TrimSuffix(dir, "/")) + 1
	if end := from + len(part); len(name) >= end && name[from-1] == '/' && name[:from-1] == dir[:from-1] && name[from:end] == part {
		return name[:end]
	}
	return below(dir, part)
}

func (w *walker) exists(p string) bool { return p == "/" || w.look(p).err == nil }

// rest reports whether names follow; a trailing slash or dot is none.
func rest(todo string) bool {
	for part := range strings.SplitSeq(todo, "/") {
		if part != "" && part != "." {
			return true
		}
	}
	return false
}

// look asks the file system once per path, and never beyond a border.
func (w *walker) look(p string) node {
	n, ok := w.seen[p]
	if ok && n.turn == w.turn {
		return n
	}
	if !ok || !w.holds(p, n) {
		n = w.ask(p)
	}
	n.turn = w.turn
	w.seen[p] = n
	return n
}

func (w *walker) ask(p string) node {
	if w.ctx.Err() != nil {
		return node{err: errTooSlow}
	}
	if err := w.border(p); err != nil {
		return node{err: err}
	}
	defer w.ctx.steps.Add(1)
	mode, stamp, err := w.lstat(p)
	if err != nil || mode&fs.ModeSymlink == 0 {
		return node{mode: mode, stamp: stamp, err: err}
	}
	link, err := w.fs.Readlink(p)
	return node{mode: mode, link: link, err: err}
}

func (w *walker) lstat(p string) (fs.FileMode, Stamp, error) {
	if stamper, ok := w.fs.(Stamper); ok {
		return stamper.Stamp(p)
	}
	mode, err := w.fs.Lstat(p)
	return mode, Stamp{}, err
}

// nullDevice is the one device that is looked at.
const nullDevice = "/dev/null"

// border refuses to step where looking could hang, mount something, or reach
// into other processes.
func (w *walker) border(p string) error {
	for _, tree := range [...]string{"/dev", "/proc", "/sys"} {
		if within(tree, p) && p != tree && p != nullDevice {
			return fmt.Errorf("%s is in %s: paths of devices and processes are not looked at", p, tree)
		}
	}
	if kind, ok := w.mounts[p]; ok && !w.owns(p) && p != "/dev" && remote(kind) {
		return fmt.Errorf("%s is a file system of type %s: network, automount, FUSE and device file systems are not looked at", p, kind)
	}
	return nil
}

// remoteKinds are types of file systems answered by other machines, perhaps never, or without
// real files.
var remoteKinds = map[string]bool{
	"9p": true, "acfs": true, "afpfs": true, "afs": true, "autofs": true, "beegfs": true, "ceph": true, "cifs": true,
	"coda": true, "ftp": true, "gfs2": true, "glusterfs": true, "gpfs": true, "lustre": true, "macfuse": true,
	"ncpfs": true, "nfs": true, "nfs4": true, "ocfs2": true, "orangefs": true, "osxfuse": true, "smb3": true,
	"smbfs": true, "webdav": true,
	"binfmt_misc": true, "bpf": true, "cgroup": true, "cgroup2": true, "configfs": true, "debugfs": true,
	"devfs": true, "devpts": true, "devtmpfs": true, "efivarfs": true, "mqueue": true, "proc": true, "procfs": true,
	"pstore": true, "rpc_pipefs": true, "securityfs": true, "selinuxfs": true, "sysfs": true, "tracefs": true,
}

func remote(kind string) bool { return remoteKinds[kind] || strings.HasPrefix(kind, "fuse") }

// within reports whether p is dir or below it; both are absolute and clean.
func within(dir, p string) bool {
	return p == dir || dir == "/" || strings.HasPrefix(p, dir) && p[len(dir)] == '/'
}
