package program

import (
	"slices"
	"strings"
)

// makeAsks finds a makefile read from the input.
func makeAsks(u *Use) string {
	if slices.ContainsFunc(u.Values("-f"), func(w Word) bool { return IsInput(w.Text) }) || slices.ContainsFunc(u.Operands, func(w Word) bool { return w.Text == "-" }) {
		return u.Program + " runs whatever its input says"
	}
	return ""
}

// ccTouches returns a compiler's sources, and the files of options in "@FILE".
func ccTouches(u *Use) []Touch {
	var out []Touch
	for _, word := range u.Operands {
		word.Text = strings.TrimPrefix(word.Text, "@")
		out = append(out, Touch{Word: word, Access: ReadAccess})
	}
	return out
}

// needsEach is a judge requiring every one of the options, by their long names.
func needsEach(options ...string) func(*Use) string {
	return func(u *Use) string {
		for _, option := range options {
			if !u.Has(option) && !(option == "--no-cache" && u.Has("-n")) {
				return u.Command() + " without " + option + " may change something"
			}
		}
		return ""
	}
}

// noProgramsOfItsOwn is for checkers that find and run others.
func noProgramsOfItsOwn(u *Use) string {
	if u.Program == "actionlint" {
		return "actionlint runs shellcheck and pyflakes"
	}
	return ""
}

// fmtChecks wants terraform fmt to check only.
func fmtChecks(u *Use) string {
	for _, o := range u.Options {
		if o.Name == "-check" && (!o.Has || o.Value.Text == "true") {
			return ""
		}
	}
	return u.Command() + " without -check writes"
}

// cmakeChooses are a target with a lasting effect, and the words handed by cmake --build to make or
// ninja, except for parallelism and verbosity.
func cmakeChooses(u *Use) []int {
	ended := slices.IndexFunc(u.Words, func(w Word) bool { return w.Text == "--" })
	var out []int
	for _, o := range u.Options {
		if o.Name == "-target" && Lasting(o.Value.Text) {
			out = append(out, o.At)
		}
	}
	for i := max(ended, 0) + 1; ended > 0 && i < len(u.Words); i++ {
		text := u.Words[i].Text
		if plain := strings.TrimLeft(text, "-jklvs0123456789") == "" || slices.Contains([]string{"--quiet", "--silent", "--verbose"}, text); strings.HasPrefix(text, "-") && !plain {
			out = append(out, i)
		}
	}
	return out
}

// tscChooses requires a configuration with one of tsc's usual names, in the project.
func tscChooses(u *Use) []int {
	var out []int
	for _, o := range u.Options {
		if o.Name != "-p" || !o.Has {
			continue
		}
		text := strings.TrimPrefix(o.Value.Text, "./")
		if !o.Value.Literal || !strings.HasPrefix(text, "tsconfig") && text != "." || strings.Contains(text, "/") {
			out = append(out, o.At)
		}
	}
	return out
}

// choosingLetters are short options for code or configuration, of programs sharing a row with
// others where the letters mean something else. Sources: the manual of each.
var choosingLetters = map[string]string{
	"pytest": "-p -o --ds --dc --pdbcls --pastebin", "py.test": "-p -o --ds --dc --pdbcls --pastebin", "jest": "--filter --projects", "mocha": "-r --require -n -R", "tap": "--require -r", "rspec": "--require -r -I -O -o", "cucumber": "--require -r", "busted": "-m --require -r",
	"prove": "-e -I -P -M -a", "phpunit": "-d", "robot": "-V -P -A", "nose2": "-s", "nosetests": "-w", "cypress": "-P -C", "vitest": "-r --require --dir",
	"rubocop": "--require -r", "standardrb": "--require -r", "phpstan": "-a", "phpcs": "-d", "phpcbf": "-d", "clang-tidy": "-p",
	"rollup": "-p", "webpack": "-r", "graphql-codegen": "-r", "ansible": "-M --ssh-common-args --ssh-extra-args --scp-extra-args --sftp-extra-args --vault-id", "ansible-playbook": "-M --ssh-common-args --ssh-extra-args --scp-extra-args --sftp-extra-args --vault-id",
	"bun": "-r -c", "mvn": "-t -b", "mvnw": "-t -b", "goreleaser": "-f", "dlv": "--wd", "ginkgo": "-exec",
	"rake": "-r -R -I -E -e -p", "ant": "-lib -main -logger -listener -propertyfile -inputhandler -buildfile -D", "clj": "-Sdeps -i -e -r -J", "clojure": "-Sdeps -i -e -r -J", "invoke": "-c -r", "inv": "-c -r", "task": "-t -d", "dagger": "-m", "stack": "-w", "cabal": "-w",
	"tox": "-c -x", "bazel": "--action_env --host_action_env --repo_env --crosstool_top --host_crosstool_top --package_path --script_path", "grunt": "-b", "rails": "-r",
}

// builtIn are options whose value names something built in; a path there names code.
var builtIn = []string{"--reporter", "-f", "--connection", "--cov-report"}

// lettersChoose judges the options of a row for many programs.
func lettersChoose(u *Use) []int {
	letters := strings.Fields(choosingLetters[u.Program])
	var out []int
	for _, o := range u.Options {
		chooses := slices.Contains(letters, o.Name) || slices.Contains(letters, u.Words[o.At].Text) ||
			slices.Contains(builtIn, o.Name) && strings.Contains(u.given(o).Text, "/")
		if without := o.Name == "-p" && strings.HasPrefix(o.Value.Text, "no:"); chooses && !without {
			out = append(out, o.At)
		}
	}
	return out
}

// ccChooses finds a compiler's options for plugins, another linker, or a file of options.
func ccChooses(u *Use) []int {
	var out []int
	for i, word := range u.Words[1:] {
		text := word.Text
		if strings.HasPrefix(text, "@") || strings.HasPrefix(text, "-") && slices.ContainsFunc(ccLoads, func(part string) bool { return strings.Contains(text, part) }) {
			out = append(out, i+1)
		}
	}
	return out
}

var ccLoads = []string{"plugin", "fuse-ld", "ld-path", "--config", "-ccc-", "-load", "toolchain", "--prefix", "dynamic-linker", "-Wl,-o", "-Wl,--output", "-Wp,-M", "-Wl,@", "-Wa,-o"}
