package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/callgate/callgate/host/internal/machine/checkup"
)

// configuration tries the configuration like serve, and reports settings not yet in force.
func (d *examination) configuration(ctx context.Context) {
	d.of(ctx, checkup.Pending)
	if d.CheckConfig == nil {
		d.skip("config.valid", "not checked", "")
		return
	}
	d.Progress("checking the configuration")
	warnings, err := d.CheckConfig(ctx)
	if err != nil {
		d.bad("config.valid", err.Error(), "fix the file, then check it: callgate config check")
		return
	}
	for _, w := range warnings {
		d.warn("config.valid", w, "callgate config check")
	}
	if len(warnings) > 0 {
		return
	}
	where := "No configuration file; using the built-in defaults."
	if d.Config != nil && d.Config.File != "" {
		where = d.Config.File
	}
	d.ok("config.valid", where)
}

// private checks the permissions of the daemon's files.
func (d *examination) private(context.Context) {
	before := len(d.findings)
	found := false
	for _, p := range d.secrets() {
		info, err := os.Lstat(p.path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			d.skip("files.private", err.Error(), "run it as the daemon's account or as root")
			continue
		}
		found = true
		d.guarded(p, info)
	}
	switch {
	case len(d.findings) > before:
	case !found:
		d.skip("files.private", d.Dirs.State+" does not exist yet", "callgate serve")
	default:
		d.ok("files.private", "State, tokens and configuration are private to this account.")
	}
}

// secret is a file or directory, and the permissions no other account may have.
type secret struct {
	path    string
	others  fs.FileMode
	because string
}

func (d *examination) secrets() []secret {
	const reads, writes = 0o077, 0o022
	list := []secret{
		{d.Dirs.State, reads, "it contains the tokens and the store"},
		{filepath.Join(d.Dirs.State, "agents"), reads, "it contains the agents' tokens"},
		{d.Dirs.Config, writes, "it decides what is allowed"},
		{d.Dirs.Modules(), writes, "modules decide what calls mean"},
		{d.Dirs.ConfigFile(), writes, "it decides what is allowed"},
		{d.Dirs.Cache, writes, "it contains compiled modules"},
	}
	if d.Config != nil {
		if file := d.Config.StoreFile(); file != "" {
			list = append(list, secret{file, reads, "it is the store"})
		}
		for _, path := range d.Config.SecretFiles() {
			list = append(list, secret{path, reads, "with its content one can answer asks or forge events"})
		}
	}
	for _, pattern := range []string{"*.token", "agents/*.token"} {
		tokens, err := filepath.Glob(filepath.Join(d.Dirs.State, filepath.FromSlash(pattern)))
		if err == nil { // it fails only for a bad pattern
			for _, path := range tokens {
				list = append(list, secret{path, reads, "with a token one can use the API"})
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
		d.bad("files.private", fmt.Sprintf("%s is a symbolic link: %s", s.path, s.because), "set the configuration to the target path and remove the link")
	case known && uid != 0 && uid != os.Geteuid():
		d.warn("files.private", fmt.Sprintf("%s belongs to account %d: %s", s.path, uid, s.because), "run callgate as the daemon's account")
	case checksModes && info.Mode().Perm()&s.others != 0:
		d.bad("files.private", fmt.Sprintf("%s has mode %04o, so other accounts have access; %s", s.path, info.Mode().Perm(), s.because), fmt.Sprintf("chmod %04o %s", info.Mode().Perm()&^s.others, s.path))
	}
}

// Necessary free space: below the first value writes may fail, below the second they soon will.
const (
	leastFree = 16 << 20
	fewFree   = 256 << 20
)

// disk checks the daemon's file systems. Without room for the audit every decision is a denial.
func (d *examination) disk(context.Context) {
	for _, place := range []struct{ name, dir string }{{"state", d.Dirs.State}, {"cache", d.Dirs.Cache}} {
		check := "disk." + place.name
		if _, err := os.Stat(place.dir); errors.Is(err, fs.ErrNotExist) {
			d.skip(check, place.dir+" does not exist yet", "callgate serve")
			continue
		}
		if err := writable(place.dir); err != nil {
			d.bad(check, fmt.Sprintf("Cannot write to %s: %v", place.dir, err), "free disk space, or give this account access")
			continue
		}
		left, err := free(place.dir)
		switch {
		case errors.Is(err, errors.ErrUnsupported):
			d.ok(check, place.dir+" is writable.")
		case err != nil:
			d.warn(check, fmt.Sprintf("%s: cannot read the free space: %v", place.dir, err), "")
		case left < leastFree:
			d.bad(check, fmt.Sprintf("%s: only %s free. Calls that cannot be audited are denied.", place.dir, size(left)), "free disk space")
		case left < fewFree:
			d.warn(check, fmt.Sprintf("%s: only %s free.", place.dir, size(left)), "free disk space")
		default:
			d.ok(check, fmt.Sprintf("%s: %s free.", place.dir, size(left)))
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
