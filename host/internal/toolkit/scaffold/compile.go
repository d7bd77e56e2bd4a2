package scaffold

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Sources are named relative to the project, so no path of this machine gets into a module.

// guest is the environment for Go's compilation to WebAssembly.
var guest = []string{"GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0"}

func buildGo(j *job) error {
	program, err := goCompiler()
	if err != nil {
		return err
	}
	j.versions = append(j.versions, answer(j.ctx, program, "env", "GOVERSION"))
	return j.run(guest, program, "build", "-buildmode=c-shared", "-trimpath", "-ldflags=-s -w", "-buildvcs=false", "-o", j.out, "./"+filepath.ToSlash(j.project.Main))
}

// testGo wants a test beside the module: without one go test passes.
func testGo(j *job) error {
	files, err := os.ReadDir(j.dir)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(files, func(f os.DirEntry) bool { return strings.HasSuffix(f.Name(), "_test.go") }) {
		return fmt.Errorf("no unit tests: the project has no %s, nor another *_test.go beside it", j.language.tests(j.project.Name))
	}
	program, err := goCompiler()
	if err != nil {
		return err
	}
	return j.test(nil, program, "test", "./...")
}

func buildRust(j *job) error {
	program, links, err := rustc(j.ctx)
	if err != nil {
		return err
	}
	j.versions = append(j.versions, version(j.ctx, program, "--version"))
	argv := []string{
		program, "--edition", "2021", "--crate-type", "cdylib", "--target", rustTarget, "-C", "opt-level=z", "-C", "lto", "-C", "codegen-units=1",
		"-C", "panic=abort", "-C", "strip=symbols", "-C", "link-arg=--stack-first", "--remap-path-prefix", "..=.",
	}
	if !links {
		ld, err := linkerOf(j.ctx, program)
		if err != nil {
			return err
		}
		j.versions = append(j.versions, version(j.ctx, ld, "--version"))
		argv = append(argv, "-C", "linker="+ld)
	}
	return j.run(nil, append(argv, "-o", j.out, j.project.Main)...)
}

func testRust(j *job) error {
	// The first working one: rustup leaves one in PATH without a compiler behind it.
	program := firstOf([]string{"rustc"}, func(p string) bool { return answer(j.ctx, p, "--print", "sysroot") != "" })
	if program == "" {
		_, _, err := rustc(j.ctx)
		return err
	}
	tests := filepath.Join(j.scratch, "tests")
	if err := j.run(nil, program, "--edition", "2021", "--test", "-o", tests, j.project.Main); err != nil {
		return err
	}
	return j.test(nil, tests)
}

// buildC compiles and links in two steps: clang, when it links, runs any wasm-opt in
// PATH, and an old one fails. RATIONALE.md, "Why is C linked by wasm-ld and not by
// clang?".
func buildC(j *job) error {
	compiler, err := clang(j.ctx)
	if err != nil {
		return err
	}
	ld, err := linker(0)
	if err != nil {
		return err
	}
	j.versions = append(j.versions, version(j.ctx, compiler, "--version"), version(j.ctx, ld, "--version"))
	object := filepath.Join(j.scratch, j.project.Name+".o")
	err = j.run(nil, compiler, "--target=wasm32-unknown-unknown", "-std=c99", "-Oz", "-ffreestanding", "-fno-builtin",
		"-Wall", "-Wextra", "-Werror", "-c", "-o", object, j.project.Main)
	if err != nil {
		return err
	}
	return j.run(nil, ld, "--no-entry", "--strip-all", "--gc-sections", "--stack-first", "-z", "stack-size=1048576", "-o", j.out, object)
}

func testC(j *job) error {
	compiler, err := cc()
	if err != nil {
		return err
	}
	tests := filepath.Join(j.scratch, "tests")
	if err := j.run(nil, compiler, "-std=c99", "-Wall", "-Wextra", "-o", tests, j.language.tests(j.project.Name)); err != nil {
		return err
	}
	return j.test(nil, tests)
}

// quietNPM silences npx about npm's configuration.
var quietNPM = []string{"npm_config_loglevel=error"}

func buildAssemblyScript(j *job) error { return j.assemble(j.project.Main) }

// assemble leaves the module of one AssemblyScript file at j.out.
func (j *job) assemble(file string) error {
	argv, err := asc(j.ctx, j.dir)
	if err != nil {
		return err
	}
	j.versions = append(j.versions, "asc "+version(j.ctx, argv[0], append(argv[1:len(argv):len(argv)], "--version")...))
	return j.run(quietNPM, append(argv, file, "-O3s", "--noAssert", "--runtime", "stub", "--exportStart", "_initialize", "--use", "abort=callgate/fail", "-o", j.out)...)
}

func testAssemblyScript(j *job) error {
	if err := j.assemble(j.language.tests(j.project.Name)); err != nil {
		return err
	}
	return j.askTests()
}

func buildWAT(j *job) error {
	program, err := wat2wasm()
	if err != nil {
		return err
	}
	j.versions = append(j.versions, "wat2wasm "+version(j.ctx, program, "--version"))
	return j.run(nil, program, j.project.Main, "-o", j.out)
}
