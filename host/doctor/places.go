package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// configuration tries the configuration as serve would, and tells what of it does
// not hold yet.
func (d *examination) configuration(ctx context.Context) {
	d.pending(ctx)
	if d.CheckConfig == nil {
		d.skip("config.valid", "it was not asked for", "")
		return
	}
	d.Progress("checking the configuration")
	warnings, err := d.CheckConfig(ctx)
	if err != nil {
		d.bad("config.valid", err.Error(), "correct the file, and try: callgate config check")
		return
	}
	for _, w := range warnings {
		d.warn("config.valid", w, "callgate config check")
	}
	if len(warnings) > 0 {
		return
	}
	where := "there is none: the built-in defaults"
	if d.Config != nil && d.Config.File != "" {
		where = d.Config.File
	}
	d.ok("config.valid", where)
}

// pending tells what in the configuration waits for a person.
func (d *examination) pending(ctx context.Context) {
	if d.client == nil {
		d.skip("config.pending", d.untold, "")
		return
	}
	s, err := d.client.ConfigState(ctx)
	switch {
	case err != nil:
		d.skip("config.pending", "what waits to be accepted could not be told: "+err.Error(), "")
	case s.Problem != "":
		d.bad("config.pending", "the daemon goes on with an older configuration: "+s.Problem, "correct the file, and try: callgate config check")
	case s.Pending != "":
		d.warn("config.pending", fmt.Sprintf("%d changes of %s widen what agents may do and do not hold until a person accepts them", len(s.Widenings), s.File), "callgate config status, then callgate config accept")
	default:
		d.ok("config.pending", "nothing waits to be accepted")
	}
}

// private looks at who may read and write what the daemon relies on.
func (d *examination) private(context.Context) {
	before := len(d.findings)
	found := false
	for _, p := range d.secrets() {
		info, err := os.Lstat(p.path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			d.skip("files.private", err.Error(), "run it as the daemon's account, or as root")
			continue
		}
		found = true
		d.guarded(p, info)
	}
	switch {
	case len(d.findings) > before:
	case !found:
		d.skip("files.private", d.Dirs.State+" is not there yet", "callgate serve")
	default:
		d.ok("files.private", "state, tokens and configuration are this account's alone")
	}
}

// secret is a file or directory, and the permissions that nobody else may have.
type secret struct {
	path    string
	others  fs.FileMode
	because string
}

func (d *examination) secrets() []secret {
	const reads, writes = 0o077, 0o022
	list := []secret{
		{d.Dirs.State, reads, "tokens and the store are in it"},
		{filepath.Join(d.Dirs.State, "agents"), reads, "the agents' tokens are in it"},
		{d.Dirs.Config, writes, "it says what is allowed"},
		{d.Dirs.Modules(), writes, "modules judge calls"},
		{d.Dirs.ConfigFile(), writes, "it says what is allowed"},
		{d.Dirs.Cache, writes, "compiled modules are in it"},
	}
	if d.Config != nil {
		list = append(list, secret{d.Config.Store, reads, "it is the store"})
		for _, path := range d.Config.SecretFiles() {
			list = append(list, secret{path, reads, "whoever reads it may answer asks, or forge events"})
		}
	}
	for _, pattern := range []string{"*.token", "agents/*.token"} {
		tokens, err := filepath.Glob(filepath.Join(d.Dirs.State, filepath.FromSlash(pattern)))
		if err == nil { // it fails only for a bad pattern
			for _, path := range tokens {
				list = append(list, secret{path, reads, "whoever reads a token may use it"})
			}
		}
	}
	return list
}

// guarded looks at one file's owner and mode.
func (d *examination) guarded(s secret, info fs.FileInfo) {
	uid, known := owner(info)
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		d.bad("files.private", fmt.Sprintf("%s is a symbolic link: %s", s.path, s.because), "name the place it leads to in the configuration, and remove the link")
	case known && uid != 0 && uid != os.Geteuid():
		d.warn("files.private", fmt.Sprintf("%s belongs to account %d: %s", s.path, uid, s.because), "run callgate as the daemon's account")
	case checksModes && info.Mode().Perm()&s.others != 0:
		d.bad("files.private", fmt.Sprintf("%s has mode %04o: %s", s.path, info.Mode().Perm(), s.because), fmt.Sprintf("chmod %04o %s", info.Mode().Perm()&^s.others, s.path))
	}
}

// What must be free: below the first nothing is sure to be written, below the
// second it soon is not.
const (
	leastFree = 16 << 20
	fewFree   = 256 << 20
)

// disk looks at where the daemon writes. A decision that cannot be audited is a
// denial.
func (d *examination) disk(context.Context) {
	for _, place := range []struct{ name, dir string }{{"state", d.Dirs.State}, {"cache", d.Dirs.Cache}} {
		check := "disk." + place.name
		if _, err := os.Stat(place.dir); errors.Is(err, fs.ErrNotExist) {
			d.skip(check, place.dir+" is not there yet", "callgate serve")
			continue
		}
		if err := writable(place.dir); err != nil {
			d.bad(check, fmt.Sprintf("%s cannot be written: %v", place.dir, err), "free the disk, or give this account the directory")
			continue
		}
		left, err := free(place.dir)
		switch {
		case errors.Is(err, errors.ErrUnsupported):
			d.ok(check, place.dir+" can be written")
		case err != nil:
			d.warn(check, fmt.Sprintf("%s: free space is not known: %v", place.dir, err), "")
		case left < leastFree:
			d.bad(check, fmt.Sprintf("%s: only %s are free: what cannot be audited is denied", place.dir, size(left)), "free space there")
		case left < fewFree:
			d.warn(check, fmt.Sprintf("%s: only %s are free", place.dir, size(left)), "free space there")
		default:
			d.ok(check, fmt.Sprintf("%s: %s free", place.dir, size(left)))
		}
	}
}

// writable writes a file and takes it away.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString("callgate doctor\n")
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}
