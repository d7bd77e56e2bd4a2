package bash

import (
	"path"
	"strings"
)

// The programs whose arguments name files in ways of their own.

func (t *toucher) find(args []Word) {
	deletes := false
	for i, a := range args {
		switch a.Text {
		case "-delete":
			deletes = true
		case "-fprint", "-fprint0", "-fls", "-fprintf":
			if i+1 < len(args) {
				t.add(args[i+1], write)
			}
		case "-exec", "-execdir", "-ok", "-okdir":
			deletes = deletes || i+1 < len(args) && path.Base(args[i+1].Text) == "rm"
		}
	}
	starts := findStarts(args)
	if len(starts) == 0 {
		starts = []Word{{Text: ".", Literal: true}}
	}
	t.addAll(starts, read)
	if deletes {
		t.removal(starts, true)
	}
}

// findStarts returns the operands of find before its expression.
func findStarts(args []Word) []Word {
	for i, a := range args {
		switch a.Text {
		case "-H", "-L", "-P":
			continue
		}
		if strings.HasPrefix(a.Text, "-") || a.Text == "(" || a.Text == "!" {
			return withoutFlags(args[:i])
		}
	}
	return withoutFlags(args)
}

func withoutFlags(args []Word) []Word {
	var out []Word
	for _, a := range args {
		if !strings.HasPrefix(a.Text, "-") {
			out = append(out, a)
		}
	}
	return out
}

func (t *toucher) git() {
	sub := gitSubcommand(t.cmd)
	for i, word := range t.cmd.Words {
		if i < sub && i+1 < len(t.cmd.Words) && word.Text == "-C" {
			t.add(t.cmd.Words[i+1], read)
		}
	}
	if sub >= len(t.cmd.Words) {
		return
	}
	rest := t.cmd.Words[sub+1:]
	options, operands := arguments(rest, "mFCco", "message", "file", "output", "format", "pretty", "author", "date", "grep", "since", "until", "work-tree")
	t.addAll(values(options, "--output"), write)
	switch t.cmd.Words[sub].Text {
	case "add", "diff", "show", "blame", "grep", "log", "cat-file", "ls-files", "archive", "apply", "am", "stash", "hash-object":
		t.addAll(operands, read)
	case "rm", "mv", "checkout", "restore", "clone", "init", "worktree":
		for _, o := range operands {
			o.Text = pathspec(o.Text)
			t.add(o, map[bool]access{true: read, false: write}[onlyIndex(t.cmd.Words[sub].Text, options)])
		}
	}
}

// download adds the files that curl, wget and their like write.
func (t *toucher) download(name string, args []Word) {
	outs := []string{"-o", "--output", "-D", "--dump-header", "-c", "--cookie-jar", "--trace", "--trace-ascii", "--output-dir", "--stderr", "--etag-save", "--libcurl", "--hsts", "--alt-svc"}
	short := "oDcdFHXAbeuTKmwrxEQCtUzP"
	if name != "curl" {
		outs = []string{"-O", "--output-document", "-o", "--output-file", "-P", "--directory-prefix", "-a", "--append-output", "--save-cookies", "--out", "--dir", "-d", "--output", "--warc-file"}
		short = "OoPaUtTQiBDRAId"
	}
	var long []string
	for _, o := range outs {
		if l, ok := strings.CutPrefix(o, "--"); ok {
			long = append(long, l)
		}
	}
	options, _ := arguments(args, short, append(long, "data", "header", "request", "form", "user", "upload-file", "config", "url", "data-binary")...)
	t.addAll(values(options, outs...), write)
	for _, v := range values(options, "-d", "--data", "-F", "--form", "-T", "--upload-file", "-K", "--config", "--data-binary", "-b", "-i") {
		if at := strings.IndexByte(v.Text, '@'); at >= 0 {
			v.Text = v.Text[at+1:]
			t.add(v, read)
		} else if name == "curl" && v.Literal && has(options, "-T", "--upload-file", "-K", "--config") {
			t.add(v, read)
		}
	}
	if name == "curl" && has(options, "-O", "--remote-name", "-J", "--remote-name-all") || name != "curl" && len(values(options, outs...)) == 0 {
		t.add(Word{Text: ".", Literal: true}, write)
	}
}

// archive adds what packers read and write.
func (t *toucher) archive(name string, args []Word) {
	options, operands := arguments(args, "fCdopi", "file", "directory", "output", "input", "one-top-level")
	if strings.HasSuffix(name, "tar") && len(args) > 0 && !strings.HasPrefix(args[0].Text, "-") && len(operands) > 1 {
		// tar's old form: letters without a dash, then their values.
		if strings.Contains(args[0].Text, "f") {
			options = append(options, option{name: "-f", value: operands[1], has: true})
		}
		for _, r := range args[0].Text {
			options = append(options, option{name: "-" + string(r)})
		}
		operands = operands[min(2, len(operands)):]
	}
	reads := strings.HasSuffix(name, "tar") && has(options, "-t", "--list") || name == "unzip" && has(options, "-l", "-v", "-t", "-Z")
	extracts := !reads && (strings.HasSuffix(name, "tar") && has(options, "-x", "--extract", "--get") || name == "unzip" || name == "cpio" || name == "7z" || name == "patch")
	into := values(options, "-C", "--directory", "-d", "--one-top-level")
	archive := values(options, "-f", "--file")
	switch {
	case reads:
		t.addAll(append(archive, operands...), read)
	case extracts:
		t.addAll(append(archive, operands...), read)
		if len(into) == 0 {
			into = []Word{{Text: ".", Literal: true}}
		}
		for _, dir := range into {
			t.put(touch{word: dir, access: write, spreads: true})
		}
	default:
		t.addAll(append(archive, values(options, "-o", "--output")...), write)
		t.addAll(operands, map[bool]access{true: read, false: write}[strings.HasSuffix(name, "tar")])
	}
}
