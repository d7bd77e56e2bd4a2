package target

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Python takes a module of its own library from its start directory if a file there has the
// module's name: python3 -c 'import json' runs json.py. The fact about a directory names such
// files.

// pythonModule begins the fact about such a file.
const pythonModule = "python module "

// maxNames bounds the inspected names of a directory.
const maxNames = 10_000

// pythonModules are the modules imported in turn by imports of a harmless program, in any
// version from 3.8 on, and those with a leading underscore. Source: python3 -X importtime,
// 3.11, and the library's own imports.
var pythonModules = strings.Fields(`
	abc annotationlib argparse array ast base64 binascii bisect bz2 calendar cmath code codecs codeop collections colorsys compression contextlib contextvars copy copyreg csv ctypes datetime decimal difflib dis email encodings enum errno fnmatch
	fractions functools gc genericpath getopt gettext glob hashlib heapq hmac html importlib inspect io itertools json keyword linecache locale lzma marshal math ntpath numbers opcode operator os pathlib pickle pkgutil platform posixpath pprint
	queue quopri random re reprlib secrets select selectors shlex shutil signal site sitecustomize socket sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess symtable sys tempfile textwrap threading time
	token tokenize tomllib traceback types typing unicodedata unittest urllib usercustomize uuid warnings weakref xml zipfile zipimport zlib
`)

// pythonHere names the files in a directory shadowing modules of Python.
func (w *walker) pythonHere(dir string) []string {
	names, err := w.fs.Names(dir, maxNames)
	w.ctx.steps.Add(1)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return []string{pythonModule + "in an unreadable directory"}
	}
	var out []string
	for _, name := range names {
		stem, ending, file := strings.Cut(name, ".")
		own := strings.HasPrefix(stem, "_") && !strings.HasPrefix(stem, "__") || slices.Contains(pythonModules, stem)
		switch {
		case !own:
		case file:
			if last := path.Ext(name); ending != "" && slices.Contains([]string{".py", ".pyc", ".pyw", ".so", ".pyd", ".dylib", ".dll"}, last) {
				out = append(out, pythonModule+name)
			}
		case w.isPackage(path.Join(dir, name)):
			out = append(out, pythonModule+name)
		}
	}
	return out
}

// isPackage reports whether a directory, or a link to one, is a package of Python.
func (w *walker) isPackage(dir string) bool {
	switch n := w.look(dir); {
	case n.err != nil || n.mode&fs.ModeSymlink != 0:
		return true // where it leads is not worth a look
	case n.mode&fs.ModeDir == 0:
		return false
	}
	names, err := w.fs.Names(dir, maxNames)
	return err != nil || slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, "__init__.") })
}
