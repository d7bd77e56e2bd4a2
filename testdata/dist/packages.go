package main

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // the two kinds of packages
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

// userUnit is the unit that the packages carry: level A, of each account that enables it.
// `callgate service install --level b` writes that of level B, for the accounts it is for.
const userUnit = "host/internal/machine/service/testdata/package-unit.golden"

// packages makes a deb and an rpm.
func (r *release) packages(t target) error {
	unit, err := os.ReadFile(filepath.Join(r.source, userUnit))
	if err != nil {
		return err
	}
	contents := files.Contents{content(t.binary, "/usr/bin/callgate", 0o755, r), content(t.hook, "/usr/bin/callgate-hook", 0o755, r)}
	dir, err := os.MkdirTemp("", "callgate-package")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, f := range append(r.extras, file{path: "usr/lib/systemd/user/callgate.service", data: unit, mode: 0o644}) {
		at := filepath.Join(dir, filepath.FromSlash(f.path))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(at, f.data, f.mode); err != nil {
			return err
		}
		contents = append(contents, content(at, "/"+f.path, f.mode, r))
	}
	for _, kind := range []string{"deb", "rpm"} {
		if err := r.package1(kind, t, contents); err != nil {
			return err
		}
	}
	return nil
}

func content(source, destination string, mode os.FileMode, r *release) *files.Content {
	return &files.Content{Source: source, Destination: destination, FileInfo: &files.ContentFileInfo{Mode: mode, MTime: r.made, Owner: "root", Group: "root"}}
}

func (r *release) package1(kind string, t target, contents files.Contents) error {
	packager, err := nfpm.Get(kind)
	if err != nil {
		return err
	}
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: "callgate", Arch: t.arch, Platform: "linux", Version: r.version, Section: "admin", Priority: "optional",
		Maintainer: "The Callgate authors", Homepage: "https://github.com/callgate/callgate", License: "Apache-2.0", MTime: r.made,
		Description:  "Permission gate for AI agents\nDecides, before it happens, whether an AI agent's tool call may run:\nallow, deny, or ask a person.",
		Overridables: nfpm.Overridables{Contents: contents, RPM: nfpm.RPM{BuildHost: "callgate"}},
	})
	if err := nfpm.PrepareForPackager(info, kind); err != nil {
		return err
	}
	out, err := os.Create(filepath.Join(r.out, packager.ConventionalFileName(info)))
	if err != nil {
		return err
	}
	return errors.Join(packager.Package(info, out), out.Close())
}
