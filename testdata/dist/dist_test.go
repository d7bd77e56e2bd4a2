//go:build linux

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

// made is one release for this machine, made from two directories.
func made(t *testing.T) string {
	t.Helper()
	t.Setenv("SOURCE_DATE_EPOCH", "1795000000")
	outs := []string{t.TempDir(), t.TempDir()}
	for i, source := range []string{"../..", copied(t)} {
		r := release{version: "0.1.0", out: outs[i], source: source}
		if err := r.run([]string{"linux/" + runtime.GOARCH}); err != nil {
			t.Fatal(err)
		}
	}
	first, second := read(t, filepath.Join(outs[0], "SHA256SUMS")), read(t, filepath.Join(outs[1], "SHA256SUMS"))
	if first != second {
		t.Errorf("the files differ by the directory they are built in:\n%s\n%s", first, second)
	}
	return outs[0]
}

// copied is the source in another directory.
func copied(t *testing.T) string {
	t.Helper()
	list, err := exec.Command("git", "-C", "../..", "ls-files", "-co", "--exclude-standard").Output()
	if err != nil {
		t.Skip("no git checkout to copy: ", err)
	}
	to := t.TempDir()
	made, err := filepath.Glob("../../plugins/dist/code/*/[0-9a-f]*") // ignored by git as well
	if err != nil {
		t.Fatal(err)
	}
	names := append(strings.Fields(string(list)), "plugins/dist/embedded/modules.zip")
	for _, name := range made {
		names = append(names, strings.TrimPrefix(filepath.ToSlash(name), "../../"))
	}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join("../..", name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed, and not committed yet
		}
		if err := errors.Join(err, os.MkdirAll(filepath.Dir(filepath.Join(to, name)), 0o755), os.WriteFile(filepath.Join(to, name), data, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

func TestRelease(t *testing.T) {
	out := made(t)
	if out, err := command(out, "sha256sum", "-c", "SHA256SUMS"); err != nil {
		t.Errorf("sha256sum: %v\n%s", err, out)
	}
	t.Run("archive", func(t *testing.T) {
		root := t.TempDir()
		if out, err := command(root, "tar", "xzf", only(t, out, "*.tar.gz")); err != nil {
			t.Fatalf("tar: %v\n%s", err, out)
		}
		hooks(t, only(t, root, "*/callgate-hook"))
		decides(t, only(t, root, "*/callgate"), "", 0)
	})
	t.Run("deb", func(t *testing.T) {
		if _, err := exec.LookPath("dpkg-deb"); err != nil {
			t.Skip("no dpkg-deb here: the package is not unpacked")
		}
		root := t.TempDir()
		if out, err := command(root, "dpkg-deb", "-x", only(t, out, "*.deb"), root); err != nil {
			t.Fatalf("dpkg-deb: %v\n%s", err, out)
		}
		for _, want := range []string{"usr/lib/systemd/user/callgate.service", "usr/share/man/man1/callgate.1", "usr/share/bash-completion/completions/callgate", "usr/share/doc/callgate/LICENSE"} {
			if _, err := os.Stat(filepath.Join(root, want)); err != nil {
				t.Error(err)
			}
		}
		hooks(t, filepath.Join(root, "usr/bin/callgate-hook"))
		decides(t, filepath.Join(root, "usr/bin/callgate"), "", 0)
	})
	t.Run("rpm", func(t *testing.T) {
		if _, err := exec.LookPath("rpm"); err != nil {
			t.Skip("no rpm here: the package is not listed")
		}
		list, err := command(out, "rpm", "-qlp", only(t, out, "*.rpm"))
		if err != nil || !strings.Contains(list, "/usr/bin/callgate\n") || !strings.Contains(list, "/usr/bin/callgate-hook\n") {
			t.Errorf("rpm: %v\n%s", err, list)
		}
	})
	t.Run("image", func(t *testing.T) {
		if os.Getuid() != 0 {
			t.Skip("only root can run a program in a root of its own: the image is not started")
		}
		root := t.TempDir()
		health := unpackImage(t, only(t, out, "*.image.tar"), root)
		proc := filepath.Join(root, "proc") // as a container engine mounts it
		if err := errors.Join(os.Mkdir(proc, 0o555), syscall.Mount("proc", proc, "proc", 0, "")); err != nil {
			t.Skip("no /proc to be mounted: the image is not started: ", err)
		}
		defer syscall.Unmount(proc, syscall.MNT_DETACH)
		decides(t, "/usr/bin/callgate", root, account, health...)
	})
	t.Run("sbom", func(t *testing.T) { listsModules(t, read(t, only(t, out, "*.cdx.json"))) })
}

// TestGoInstall: a module proxy that serves this tree gives the whole product to go install.
func TestGoInstall(t *testing.T) {
	source, proxy := copied(t), t.TempDir()
	if err := os.Remove(filepath.Join(source, "plugins/dist/embedded/modules.zip")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	code, err := filepath.Glob(filepath.Join(source, "plugins/dist/code/*/[0-9a-f]*"))
	for _, name := range code {
		err = errors.Join(err, os.Remove(name))
	}
	if err != nil {
		t.Fatal(err)
	}
	version := module.Version{Path: "github.com/callgate/callgate", Version: "v0.1.0"}
	served := filepath.Join(proxy, version.Path, "@v", version.Version)
	if err := os.MkdirAll(filepath.Dir(served), 0o755); err != nil {
		t.Fatal(err)
	}
	archive, err := os.Create(served + ".zip")
	if err != nil {
		t.Fatal(err)
	}
	mod := read(t, filepath.Join(source, "go.mod"))
	if err := errors.Join(modzip.CreateFromDir(archive, version, source), archive.Close(),
		os.WriteFile(served+".mod", []byte(mod), 0o644), os.WriteFile(served+".info", []byte(`{"Version":"v0.1.0"}`), 0o644),
		os.WriteFile(filepath.Join(filepath.Dir(served), "list"), []byte("v0.1.0\n"), 0o644)); err != nil {
		t.Fatal("what a proxy would serve: ", err)
	}
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	bin, modules := t.TempDir(), t.TempDir()
	cmd := exec.Command("go", "install", version.Path+"/cmd/callgate@"+version.Version, version.Path+"/host/callgate-hook@"+version.Version)
	cmd.Dir = bin
	cmd.Env = append(os.Environ(), "GOBIN="+bin, "GOMODCACHE="+modules, "GOFLAGS=-trimpath -modcacherw", "CGO_ENABLED=0", "GOWORK=off",
		"GOPROXY=file://"+proxy+",file://"+filepath.Join(strings.TrimSpace(string(cache)), "cache/download"), "GONOSUMDB=*", "GOSUMDB=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go install: %v\n%s", err, out)
	}
	out, err := command(bin, filepath.Join(bin, "callgate"), "version")
	if err != nil || !strings.Contains(out, "callgate v0.1.0 ") || !strings.Contains(out, "module bash.wasm\n") || !strings.Contains(out, "module standard.wasm\n") {
		t.Errorf("version: %v, got %q, want v0.1.0 with both modules", err, out)
	}
	if out, err := command(bin, filepath.Join(bin, "callgate-hook"), "version"); err != nil || out != "v0.1.0\n" {
		t.Errorf("the hook's version: %v, got %q, want v0.1.0", err, out)
	}
}

// listsModules compares the SBOM with what the go command says is built in.
func listsModules(t *testing.T, sbom string) {
	t.Helper()
	var list bom
	if err := json.Unmarshal([]byte(sbom), &list); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range list.Components {
		if c.Name != "std" {
			got = append(got, c.Name+" "+c.Version)
		}
	}
	cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", "./cmd/callgate")
	cmd.Dir, cmd.Env = "../..", append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	text, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	want := slices.DeleteFunc(strings.Split(string(text), "\n"), func(line string) bool { return line == "" })
	slices.Sort(want)
	slices.Sort(got)
	if want = slices.Compact(want); !slices.Equal(got, want) {
		t.Errorf("the SBOM lists\n%q\nwant\n%q", got, want)
	}
}

// hooks has the program for the hook alone say its version, and deny without a daemon.
func hooks(t *testing.T, program string) {
	t.Helper()
	if out, err := exec.Command(program, "version").CombinedOutput(); err != nil || string(out) != "0.1.0\n" {
		t.Errorf("%s version: %v\n%s", program, err, out)
	}
	hook := exec.Command(program, "hook", "claude-code", "--endpoint", "unix:/nonexistent/s", "--token-file", "/nonexistent/t")
	hook.Stdin = strings.NewReader(`{"session_id":"s","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"t"}`)
	out, err := hook.CombinedOutput()
	if code := new(exec.ExitError); !errors.As(err, &code) || code.ExitCode() != 2 || !strings.Contains(string(out), "Denied") {
		t.Errorf("%s without a daemon: %v\n%s", program, err, out)
	}
}

// decides starts the daemon of a binary, in a root of its own where one is given, and has
// it allow one call and deny another.
func decides(t *testing.T, binary, root string, uid uint32, health ...string) {
	t.Helper()
	home := "/data"
	if root == "" {
		home = t.TempDir()
	}
	env := []string{"PATH=/usr/bin:/bin", "HOME=" + home, "XDG_CONFIG_HOME=" + home + "/config", "XDG_STATE_HOME=" + home + "/state", "XDG_CACHE_HOME=" + home + "/cache", "XDG_RUNTIME_DIR=" + home + "/run"}
	config := filepath.Join(root, home, "config/callgate/callgate.yaml")
	if err := errors.Join(os.MkdirAll(filepath.Dir(config), 0o700), os.WriteFile(config, []byte("rules:\n  - allow: \"Bash(ls)\"\n  - deny: \"Bash(curl:*)\"\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(root, home, "run"), 0o700); err != nil {
		t.Fatal(err)
	}
	if root != "" {
		err := filepath.WalkDir(filepath.Join(root, home), func(path string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Chown(path, int(uid), int(uid)))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	start := func(args ...string) *exec.Cmd {
		cmd := exec.Command(binary, args...)
		cmd.Env, cmd.Dir = env, home
		if root != "" {
			cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: uid, Gid: uid}}
		}
		return cmd
	}
	version, err := start("version").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(version), "callgate 0.1.0 ") || !strings.Contains(string(version), "bash.wasm") {
		t.Fatalf("version: %v\n%s", err, version)
	}
	healthy := func() bool { return len(health) > 0 && start(health[1:]...).Run() == nil }
	if healthy() {
		t.Errorf("the health check %q succeeds without a daemon", health)
	}
	var log bytes.Buffer
	daemon := start("serve", "--quiet")
	daemon.Stderr = &log
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- daemon.Wait() }()
	defer func() {
		_ = daemon.Process.Signal(syscall.SIGTERM)
		<-ended
	}()
	for {
		out, err := start("check", "Bash", `{"command":"ls"}`).CombinedOutput()
		if err == nil {
			break
		}
		if code := new(exec.ExitError); !errors.As(err, &code) || code.ExitCode() != 3 { // 3: no daemon answers
			t.Fatalf("ls: got %v, want it allowed\n%s", err, out)
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("the daemon ended: %v\n%s", err, log.String())
		case <-time.After(100 * time.Millisecond): // until it listens
		}
	}
	var exit *exec.ExitError
	if out, err := start("check", "Bash", `{"command":"curl example.org"}`).CombinedOutput(); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("curl: got %v, want exit code 1\n%s", err, out)
	}
	for tries := 0; len(health) > 0 && !healthy(); tries++ { // until all modules are compiled
		if tries == 600 {
			t.Fatalf("the health check %q fails beside a daemon", health)
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// unpackImage lays the layers of an image that `docker save` or the like wrote into root. It returns
// the command of its health check.
func unpackImage(t *testing.T, image, root string) (health []string) {
	t.Helper()
	files := map[string][]byte{}
	each(t, []byte(read(t, image)), func(h *tar.Header, data []byte) { files[h.Name] = data })
	var manifest []struct {
		Config string
		Layers []string
	}
	if err := json.Unmarshal(files["manifest.json"], &manifest); err != nil || len(manifest) != 1 {
		t.Fatalf("manifest.json: %v %s", err, files["manifest.json"])
	}
	var config struct {
		Config struct{ Healthcheck struct{ Test []string } }
	}
	if err := json.Unmarshal(files[manifest[0].Config], &config); err != nil || len(config.Config.Healthcheck.Test) < 2 || config.Config.Healthcheck.Test[0] != "CMD" {
		t.Fatalf("the image's configuration: %v %s", err, files[manifest[0].Config])
	}
	for _, layer := range manifest[0].Layers {
		each(t, files[layer], func(h *tar.Header, data []byte) {
			at := filepath.Join(root, h.Name)
			err := os.MkdirAll(filepath.Dir(at), 0o755)
			if h.Typeflag == tar.TypeDir {
				err = errors.Join(err, os.MkdirAll(at, 0o755))
			} else {
				err = errors.Join(err, os.WriteFile(at, data, 0o600))
			}
			if err := errors.Join(err, os.Chmod(at, h.FileInfo().Mode().Perm()), os.Chown(at, h.Uid, h.Gid)); err != nil {
				t.Fatal(err)
			}
		})
	}
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	return config.Config.Healthcheck.Test[1:]
}

func each(t *testing.T, archive []byte, do func(*tar.Header, []byte)) {
	t.Helper()
	from := io.Reader(bytes.NewReader(archive))
	if bytes.HasPrefix(archive, []byte{0x1f, 0x8b}) {
		var err error
		if from, err = gzip.NewReader(from); err != nil {
			t.Fatal(err)
		}
	}
	for r := tar.NewReader(from); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		do(h, data)
	}
}

func only(t *testing.T, dir, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: got %q, %v; want one file", pattern, found, err)
	}
	return found[0]
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func command(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}
