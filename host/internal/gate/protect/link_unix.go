//go:build unix

package protect

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/machine/stat"
)

// maxWalked bounds our own files compared with a file of several names.
const maxWalked = 4096

// isFile reports whether a path leads to a known file. A check looks for each of its programs in
// each directory of the search path: RATIONALE.md, "What did not make a check faster?".
func isFile(p string, known os.FileInfo) bool {
	ours, ok := known.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	var st syscall.Stat_t
	return stat.Stat(p, &st) == nil && st.Dev == ours.Dev && st.Ino == ours.Ino
}

// exists reports whether there is anything at a path; a link is not followed.
func exists(p string) bool {
	var st syscall.Stat_t
	return stat.Lstat(p, &st) == nil
}

// linked judges a file with more than one name: it may be one of our own.
func (j *judge) linked(t engine.Target) string {
	if t.Error != "" || !t.Exists {
		return ""
	}
	info, err := os.Stat(t.Resolved)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || st.Nlink < 2 || !j.isFileOfOurs(info, t.Access == "read") {
		return ""
	}
	return "it opens " + t.Resolved + ", another name of one of Callgate's own files"
}

// isFileOfOurs looks for a file among our own; secrets alone when it is only
// read, or run.
func (j *judge) isFileOfOurs(info os.FileInfo, secrets bool) bool {
	f := j.facts
	roots := append([]string{f.State, f.Store, f.Store + "-wal", f.Store + "-shm"}, f.Secrets...)
	if !secrets {
		roots = append(roots, f.Config, f.ConfigFile, f.Modules, f.Cache, f.Binary)
		if f.Binary != "" {
			roots = append(roots, filepath.Join(filepath.Dir(f.Binary), hookProgram))
		}
	}
	left, same := maxWalked, false
	for _, root := range roots {
		if root == "" {
			continue
		}
		_ = filepath.WalkDir(root, func(p string, _ fs.DirEntry, err error) error { // an unreadable directory is judged by its name
			if err != nil {
				return nil
			}
			if left--; left < 0 {
				same = true // too many to tell
				return filepath.SkipAll
			}
			if own, err := os.Stat(p); err == nil && os.SameFile(own, info) {
				same = true
				return filepath.SkipAll
			}
			return nil
		})
	}
	return same
}
