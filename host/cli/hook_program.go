package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/hook/settings"
	"github.com/callgate/callgate/host/internal/machine/securedir"
)

// hookWarning tells why the hook is not the program for it alone, and what to do.
func hookWarning(err error, own string) string {
	return err.Error() + ": the hook is " + own + " itself, which takes longer to start. Install both programs from one release and run this again"
}

// hookProgram is the program to install as the hook of this one, own: the one for the hook alone
// beside it, if it has the same version, and else own. The error is the reason against a program
// that is there. RATIONALE.md, "Why is there a second program for the hook?".
func hookProgram(ctx context.Context, own string) (path string, err error) {
	beside := filepath.Join(filepath.Dir(own), settings.HookProgram+filepath.Ext(own))
	if err := trusted(beside, own); err != nil {
		return own, err
	}
	found, err := hookVersion(ctx, beside)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return own, nil
	case err != nil:
		return own, err
	case found != version:
		return own, fmt.Errorf("%s has the version %s and callgate %s", beside, found, version)
	}
	return beside, nil
}

// trusted refuses a program of an account that could not have changed this one, own: it is started
// here, by root too. An absent one is none.
func trusted(path, own string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil // hookVersion tells
	}
	if owner, err := os.Stat(own); securedir.Ours(info) || err == nil && securedir.SameOwner(info, owner) {
		return nil
	}
	return fmt.Errorf("%s belongs to another account than %s", path, own)
}

// versionPatience bounds asking a program for its version.
const versionPatience = 10 * time.Second

// hookVersion is the version of a program for the hook alone.
func hookVersion(ctx context.Context, path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is no file", path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0:
		return "", fmt.Errorf("other accounts can change %s (mode %04o)", path, info.Mode().Perm())
	}
	ctx, cancel := context.WithTimeout(ctx, versionPatience)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "version").Output()
	if err != nil {
		return "", fmt.Errorf("%s does not start: %w", path, err)
	}
	return strings.TrimSpace(string(out)), nil
}
