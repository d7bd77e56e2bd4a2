// Command dist makes everything of a release: for each system a static binary, an archive
// with completions and a manual page, for Linux also a deb, an rpm and a container image,
// and for all of them an SBOM and the checksums. Two runs on the same commit make the same
// bytes. `make dist` at the top builds the modules and calls it; it needs no network once
// the Go modules are fetched.
//
//	go run . [-version 0.1.0] [-out DIR] [-targets linux/amd64,darwin/arm64]
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	r := release{}
	flag.StringVar(&r.version, "version", "", "version without a leading v (default: git describe)")
	flag.StringVar(&r.out, "out", "../../bin/dist", "directory for the files; what is there is removed")
	flag.StringVar(&r.source, "source", "../..", "root of the repository")
	targets := flag.String("targets", "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64", "systems to build for, as GOOS/GOARCH")
	flag.Parse()
	if err := r.run(strings.Split(*targets, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

// release is what all files of one release share.
type release struct {
	version, out, source string
	// made is the commit's time: every file of the release has it.
	made time.Time
	// extras are the files that packages carry beside the binary, by path below the root
	// of a file system.
	extras []file
}

// file is one file of a package.
type file struct {
	path string // where it goes, without a leading slash
	data []byte
	mode os.FileMode
	// owner is the number of the account and of the group; 0 is root.
	owner int
}

// target is one system.
type target struct{ os, arch, binary, hook string }

func (r *release) run(names []string) error {
	if err := r.describe(); err != nil {
		return err
	}
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "callgate-dist")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	native, err := r.build(work, target{}, "native")
	if err != nil {
		return err
	}
	if r.extras, err = r.documents(native.binary); err != nil {
		return err
	}
	for _, name := range names {
		system, arch, ok := strings.Cut(name, "/")
		if !ok {
			return fmt.Errorf("target %q: want GOOS/GOARCH, such as linux/amd64", name)
		}
		fmt.Printf("building %s\n", name)
		t, err := r.build(work, target{os: system, arch: arch}, system+"-"+arch)
		if err != nil {
			return err
		}
		if err := r.pack(t); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return r.checksums()
}

// pack makes the files of one system.
func (r *release) pack(t target) error {
	steps := []func(target) error{r.archive, r.sbom}
	if t.os == "linux" {
		steps = append(steps, r.packages, r.image)
	}
	for _, step := range steps {
		if err := step(t); err != nil {
			return err
		}
	}
	return nil
}

// describe finds the version and the time of the commit. SOURCE_DATE_EPOCH wins, as in
// https://reproducible-builds.org/specs/source-date-epoch/.
func (r *release) describe() error {
	if r.version == "" {
		r.version = strings.TrimPrefix(r.git("describe", "--dirty", "--match", "v[0-9]*"), "v")
	}
	if commit := r.git("describe", "--always", "--dirty", "--exclude", "*"); r.version == "" && commit != "" {
		r.version = "0.0.0-dev." + commit // no tag yet: packages want digits first
	}
	if r.version == "" {
		return fmt.Errorf("no version: %s is no git checkout; give -version", r.source)
	}
	stamp := os.Getenv("SOURCE_DATE_EPOCH")
	if stamp == "" {
		stamp = r.git("log", "-1", "--format=%ct")
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return fmt.Errorf("no time of the commit: set SOURCE_DATE_EPOCH to seconds since 1970 (%w)", err)
	}
	r.made = time.Unix(seconds, 0).UTC()
	return nil
}

// git returns what git prints in the source directory, empty where it fails.
func (r *release) git(args ...string) string {
	out, err := exec.Command("git", append([]string{"-C", r.source}, args...)...).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// build makes the static binaries of t; the zero target is this machine.
func (r *release) build(work string, t target, name string) (target, error) {
	t.binary, t.hook = filepath.Join(work, name, "callgate"), filepath.Join(work, name, "callgate-hook")
	if t.os == "windows" {
		t.binary, t.hook = t.binary+".exe", t.hook+".exe"
	}
	if err := r.compile(t, t.binary, "./cmd/callgate"); err != nil {
		return t, err
	}
	return t, r.compile(t, t.hook, "./host/callgate-hook")
}

func (r *release) compile(t target, to, program string) error {
	ldflags := "-s -w -buildid= -X main.version=" + r.version
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", ldflags, "-o", to, program)
	cmd.Dir = r.source
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	if t.os != "" {
		cmd.Env = append(cmd.Env, "GOOS="+t.os, "GOARCH="+t.arch)
	}
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// documents are what every package carries beside the binary.
func (r *release) documents(binary string) ([]file, error) {
	var files []file
	for shell, path := range map[string]string{
		"bash": "usr/share/bash-completion/completions/callgate",
		"zsh":  "usr/share/zsh/vendor-completions/_callgate",
		"fish": "usr/share/fish/vendor_completions.d/callgate.fish",
	} {
		text, err := exec.Command(binary, "completion", shell).Output()
		if err != nil {
			return nil, fmt.Errorf("completion %s: %w", shell, err)
		}
		files = append(files, file{path: path, data: text, mode: 0o644})
	}
	help, err := exec.Command(binary, "--help").Output()
	if err != nil {
		return nil, fmt.Errorf("--help: %w", err)
	}
	files = append(files, file{path: "usr/share/man/man1/callgate.1", data: manual(r.version, r.made, string(help)), mode: 0o644})
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		text, err := os.ReadFile(filepath.Join(r.source, name))
		if err != nil {
			return nil, err
		}
		files = append(files, file{path: "usr/share/doc/callgate/" + name, data: text, mode: 0o644})
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.path, b.path) })
	return files, nil
}

// manual is the manual page: the help of the root command, as it is.
func manual(version string, made time.Time, help string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH CALLGATE 1 %q %q\n", made.Format(time.DateOnly), "callgate "+version)
	b.WriteString(".SH NAME\ncallgate \\- permission gate for AI agents\n.SH DESCRIPTION\n.nf\n")
	for line := range strings.Lines(help) {
		line = strings.ReplaceAll(line, `\`, `\e`)
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			line = `\&` + line
		}
		b.WriteString(line)
	}
	b.WriteString(".fi\n.SH SEE ALSO\n.B callgate help\n.I COMMAND\n")
	return []byte(b.String())
}

// checksums writes SHA256SUMS over all files, in the form that sha256sum -c reads.
func (r *release) checksums() error {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(r.out, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(data), e.Name())
		fmt.Printf("%8.1f MB  %s\n", float64(len(data))/1e6, e.Name())
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(b.String()), 0o644)
}
