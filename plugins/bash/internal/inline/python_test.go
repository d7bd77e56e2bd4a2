package inline_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/plugins/bash/internal/inline"
)

// reads are programs that only compute and print, with their files.
var reads = map[string][]string{
	"print(1)": nil,
	"import json,sys\nd=json.load(sys.stdin)\nprint(d['a'][0]['b'])":                                                                                     nil,
	"import json; d = json.load(open('a.json')); print(len(d), list(d.keys())[:5])":                                                                      {"a.json"},
	"import json\nwith open('/tmp/x.jsonl', 'r', encoding='utf-8') as f:\n    for line in f:\n        ev = json.loads(line)\n        print(ev.get('a'))": {"/tmp/x.jsonl"},
	"import re\nfor i, line in enumerate(open('a.txt').readlines()[3:9], start=4):\n    print(f'{i:>4}: {line!r} {re.sub(\"a\", \"b\", line)}')":         {"a.txt"},
	"from collections import Counter, defaultdict as dd\nc = Counter(x.strip() for x in open('a'))\nfor k, v in c.most_common(5): print(k, v)":           {"a"},
	"import os.path, math as m\nprint(os.path.join('a', 'b'), m.sqrt(2))":                                                                                nil,
	"import datetime\nprint(datetime.datetime.now().isoformat())":                                                                                        nil,
	"def f(a, b=1, *rest):\n    try:\n        return a + b\n    except (ValueError, TypeError) as e:\n        raise KeyError('x') from e\nprint(f(1))":   nil,
	"print('{} {:>5}'.format(1, 2), '%s' % 3, 1.5e3, 0xff, 1_000)":                                                                                       nil,
	"x = lambda a, b: a if a else b\nprint(sorted([3, 1], key=lambda v: -v), x(1, 2))":                                                                   nil,
	"if __name__ == '__main__':\n    print(sum(int(a) for a in '123'))":                                                                                  nil,
	"print(f'{1 + 1:{5}} {{x}}')":                                        nil,
	"import sys\nfor file in sys.argv[1:]: print(file, file=sys.stderr)": nil,
	"print(open(0).read())":                                              nil,
	"import tomllib; print(tomllib.load(open('p.toml', 'rb'))['a'])":     {"p.toml"},
}

// acts are programs with further or unknown effects.
var acts = []string{
	"import os; os.system('id')", "__import__('os').system('id')", "exec('x')", "eval('x')", "open('a', 'r+')", "open('a', 'w+')", "open('a', 'wr')", "open('a', 'U')", "open(a)", "open(1)", "open(00)", "open('a' 'b')", "open(f'{x}')", "open('a', 'r', 0)", "open('a', 'r', opener=x)",
	"open(file='a', mode='w')", "open('a', 'r', 'w')", "open('a', encoding='utf-8', 'w')", "open('a', buffering=0)", "open(1, 'w', closefd=x)", "open('a', *x)", "open('a', **x)", "x = open; x('a', 'w')", "map(open, ['a'])", "import subprocess", "from os import system", "from os import path", "import os as o; o.system('x')", "import sys; sys.path.insert(0, '.')", "import sys; sys.modules['os'].system('id')",
	"import re; re.enum.sys.modules", "x = re", "import re; x = re; x.enum", "import re; f(re)", "().__class__", "1..__class__", "1 .__class__", "''.format(1) .__class__", "'{0.__class__}'.format(1)", "'{0[x]}'.format(1)", "f = '{0.a}'; f.format(1)",
	"'{:{0.a}}'.format(1)", "f'{x.__class__}'", "f'{exec(1)}'", "f'{x:{exec(1)}}'", "f'{'", "f'}'", "f'{x'", "print(f\"{d['a']\")", "class A: pass", "getattr(x, 'y')", "vars()['x']", "globals()", "locals()", "compile('x', 'y', 'z')", "breakpoint()",
	"import os; os.replace('a', 'b')", "import os; os.remove('a')", "import os; os.environ", "import shutil", "import socket", "import urllib.request", "import pathlib", "import json.decoder", "from json import decoder", "from re import *", "from re import (sub)", "from . import a",
	"from sys import path", "from sys import modules", "import operator; operator.attrgetter('a')", "from operator import attrgetter", "match x:\n case object(__class__=c): pass", "async def f(): pass", "ｅxec('x')", "e\u0301val", "print(`1`)", "x = '", "x = (", "x = )", "import pickle", "import importlib", "import ctypes",
	"import csv; csv.__builtins__", "help()", "input()", "file('a', 'w')", "unknown(1)", "x.system('a')", "(lambda: 0).__code__", "x.gi_frame", "e.__traceback__", "import codecs; codecs.open('a', 'w')", "import io; io.open('a', 'w')", "import json as _j", "@x\ndef f(): pass",
	"import os\nos.path = 1", "import os; os.path.os.system('x')", "open('a').write_text", "import random; random._os.system('x')", "import logging", "import http.server", "import sqlite3", "import json, os, shutil", "import json; import os; os.popen('x')", "super()", "print(open)", "u''.x", "t'{x}'", "import a",
	strings.Repeat("(", 10), "import sys; sys . modules", "import sys\\\n.modules", "from sys \\\nimport modules",
}

func TestPython(t *testing.T) {
	t.Parallel()
	for code, want := range reads {
		files, why := inline.Python(code)
		if why != "" || !slices.Equal(files.Read, want) || files.Written != nil {
			t.Errorf("%q: got %q (%s), want %q", code, files, why, want)
		}
	}
	for _, code := range acts {
		if _, why := inline.Python(code); why == "" {
			t.Errorf("%q: taken for one that only reads", code)
		}
	}
}

// TestPython_writes: a file opened for more than reading is reported.
func TestPython_writes(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"open('a', 'w').write('x')": "a", "with open('a/b', mode='a', encoding='utf-8') as f: f.write('x')": "a/b", "open('x', 'wb')": "x", "open('x', newline='', mode='x')": "x", "print('y', file=open('x', 'at'))": "x", "f'{open(\"a\",\"w\")}'": "a",
	} {
		if files, why := inline.Python(code); why != "" || !slices.Equal(files.Written, []string{want}) || files.Read != nil {
			t.Errorf("%q: got %v (%s), want %s written", code, files, why, want)
		}
	}
}

// TestPython_addingNeverHelps: an acting program acts beside any reading one, before and behind
// it, in a branch of it, and inside of a formatted text.
func TestPython_addingNeverHelps(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"exec('x')", "open(a, 'w')", "x.__class__", "__import__('os')", "eval('1')", "os.system('x')", "sys.modules['os']", "getattr(x, 'y')"} {
		for good := range reads {
			for _, code := range []string{good + "\n" + bad, bad + "\n" + good, good + "\nif 0:\n    " + bad, good + "\nx = lambda: " + bad, good + "\nprint(f\"{" + bad + "}\")", good + "\n[" + bad + " for x in y]", good + "\n1if " + bad + "else 2"} {
				if _, why := inline.Python(code); why == "" {
					t.Errorf("%q: taken for one that only reads", code)
				}
			}
		}
	}
}

// FuzzPython: no reading program names anything able to act.
func FuzzPython(f *testing.F) {
	for code := range reads {
		f.Add(code)
	}
	for _, code := range acts {
		f.Add(code)
	}
	f.Fuzz(func(t *testing.T, code string) {
		files, why := inline.Python(code)
		if why != "" {
			return
		}
		for _, file := range slices.Concat(files.Read, files.Written) {
			if !strings.Contains(code, file) || file == "" {
				t.Errorf("%q: opens %q, which it does not name", code, file)
			}
		}
		if _, why := inline.Python(code + "\nexec('x')"); why == "" && !strings.Contains(code[strings.LastIndexByte(code, '\n')+1:], "#") {
			t.Errorf("%q: hides what follows it", code)
		}
		if _, why := inline.Python("exec('x')\n" + code); why == "" {
			t.Errorf("%q: hides what stands before it", code)
		}
	})
}
