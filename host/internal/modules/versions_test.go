package modules_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// TestVersions: the pinned version and the one to come answer side by side, in spite of what lies in
// the directory; neither does afterwards, and nothing was changed.
func TestVersions(t *testing.T) {
	p := newPinned(t)
	first, second := p.modules.Version(1), p.modules.Version(2)
	lie := func(wasm []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(p.dir, "deploy.wasm"), wasm, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	description := func(wasm []byte) string {
		t.Helper()
		tested, err := p.Test(t.Context(), "deploy.wasm", wasm, full())
		if err != nil {
			t.Fatal(err)
		}
		return tested.Declared
	}
	p.open()
	p.pin("deploy.wasm", first, description(first), fully(false))
	lie(second)
	r := modules.Request{File: "deploy.wasm"}
	compare := func(r modules.Request, back bool) (was, is modules.Version, err error) {
		err = p.Versions(t.Context(), r, back, func(a, b modules.Version) error {
			was, is = a, b
			for _, v := range []modules.Version{a, b} {
				if _, err := v.Loaded.Call(t.Context(), sandbox.Describe, nil); err != nil {
					t.Error(err)
				}
				if v.Description.Name != "deploy" {
					t.Errorf("it describes itself as %q", v.Description.Name)
				}
			}
			return nil
		})
		return was, is, err
	}
	was, is, err := compare(r, false)
	if err != nil || was.Digest != sandbox.Digest(first) || is.Digest != sandbox.Digest(second) {
		t.Fatalf("it compared %s with %s, %v", was.Digest, is.Digest, err)
	}
	for _, v := range []modules.Version{was, is} {
		if _, err := v.Loaded.Call(t.Context(), sandbox.Describe, nil); err == nil {
			t.Error("a version answers after its use")
		}
	}
	refused := func(what string, want error, r modules.Request, back bool) {
		t.Helper()
		if _, _, err := compare(r, back); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}
	refused("no version before", modules.ErrNoPrevious, r, true)
	refused("no such file", modules.ErrNotPinned, modules.Request{File: "other.wasm"}, false)
	refused("other bytes than shown", modules.ErrChangedSince, modules.Request{File: "deploy.wasm", Digest: was.Digest}, false)
	refused("another pin than shown", modules.ErrChangedSince, modules.Request{File: "deploy.wasm", Replaces: is.Digest}, false)
	if _, _, err := compare(modules.Request{File: "deploy.wasm", Digest: is.Digest, Replaces: was.Digest}, false); err != nil {
		t.Errorf("as shown: %v", err)
	}
	lie([]byte("\x00asm"))
	refused("no module", modules.ErrRefused, r, false)
	p.pin("deploy.wasm", second, description(second), fully(false))
	if was, is, err = compare(r, true); err != nil || was.Digest != sandbox.Digest(second) || is.Digest != sandbox.Digest(first) {
		t.Errorf("back: it compared %s with %s, %v", was.Digest, is.Digest, err)
	}
	stop := errors.New("stop")
	if err := p.Versions(t.Context(), r, true, func(_, _ modules.Version) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the error of use: %v", err)
	}
}
