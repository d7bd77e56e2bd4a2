package inline_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/plugins/bash/internal/inline"
)

// scriptReads are JavaScript programs that only compute and print, with their files.
var scriptReads = map[string][]string{
	"process.version": nil, "console.log([1, 2].map(n => n * 2))": nil, "Math.max(1, 2) / 2": nil,
	"const fs = require('fs'); const p = JSON.parse(fs.readFileSync('package.json', 'utf8')); console.log(p.scripts, p.exports)":                            {"package.json"},
	"import fs from 'node:fs'; console.log(Object.keys(JSON.parse(fs.readFileSync('a.json', 'utf8'))).slice(0, 30))":                                        {"a.json"},
	"import { readFileSync as read } from 'fs'\nconsole.log(read(\"a\", { encoding: 'utf8' }).length)":                                                      {"a"},
	"const { readFileSync } = require('fs')\nfor (const line of readFileSync('a.jsonl', 'utf-8').split('\\n')) {\n  console.log(JSON.parse(line).path)\n}":  {"a.jsonl"},
	"JSON.parse(require('fs').readFileSync(0, 'utf8')).items.filter(x => x.ok && !x.old).forEach(x => console.log(`${x.name}: ${x.size / 2}`))":             nil,
	"let d = ''; process.stdin.on('data', c => d += c).on('end', () => { const r = JSON.parse(d); console.log(r['a-b'][0]) })":                              nil,
	"let d = '';\nprocess.stdin.setEncoding('utf8');\nprocess.stdin.on('data', (c) => { d += c; });\nprocess.stdin.on('end', () => console.log(d.length));": nil,
	"let n = 0\nfor await (const c of process.stdin) { n += c.length }\nconsole.log(n)":                                                                     nil,
	"for (let i = 0; i < 3; i++) { console.log(process.argv[i], process.argv[i + 1]) }":                                                                     nil,
	"const rows = [3, 1]; rows.sort((a, b) => a - b); console.log(rows[rows.length - 1], rows.at(-1))":                                                      nil,
	"const owned = new Set(['a']); const hits = ['a'].filter(r => owned.has(r)); if (hits.length !== 1) process.exit(1)":                                    nil,
	"function f(a, { b = 1, ...rest } = {}, [c, , d] = []) { try { return a + b } catch (e) { throw new Error(e.message) } }\nconsole.log(f(1))":            nil,
	"console.log(/^a[/'\"]+$/gi.test('a/'), 'x'.replace(/\\s+/g, ' '))":                                                                                     nil,
	"console.log(require('crypto').createHash('sha256').update('x').digest('hex'), Buffer.byteLength('x'))":                                                 nil,
	"process.stdout.write(new Date(0).toISOString() + '\\n')":                                                                                               nil,
	"fs.readdirSync('src').filter(f => f.endsWith('.ts')).length":                                                                                           {"src"},
	"console.log(Object.entries({ a: 1, 'b': 2 }).map(([k, v]) => k + v).join())":                                                                           nil,
	"// it's a note\nconst a = 1 /* it's */\nconsole.log(a ? 'x' : 'y', a?.b?.c ?? 0)":                                                                      nil,
	"(() => { var n = 1; console.log(n) })()":                                                                                                               nil,
	"const text = (v) => String(v); console.log([1].map(text), [0].filter(Boolean), ['1'].map(Number))":                                                     nil,
}

// scriptActs are programs with further or unknown effects.
var scriptActs = []string{
	"", "1", "1 + 1",
	"require('child_process').execSync('id')", "child_process.execSync('id')", "import('fs')", "import { execSync } from 'child_process'", "import x from './x.js'", "require('./x')", "require('./package.json')", "require(x)", "require", "const r = require; r('fs')",
	"const m = 'child_process'; require(m)", "eval('1')", "Function('return 1')()", "new Function('x')", "fetch('https://example.org')", "new WebSocket('ws://x')", "process.env", "process.env.HOME", "process['env']", "process", "const { env } = process", "process.kill(1)", "process.binding('fs')", "process.mainModule", "process.chdir('/')",
	"globalThis.fetch", "global.process", "this.process", "(function () { return this })()", "function f() { return arguments }", "[].constructor", "x => x.constructor", "''['constructor']", "''['const\\u0072uctor']", "''['const' + 'ructor']", "const k = 'a'; ''[k]", "const { constructor } = ''", "const { constructor: c } = ''", "const { 'constructor': c } = ''",
	"const { 'const\\u0072uctor': c } = ''", "const { ['a' + 'b']: c } = ''", "({}).__proto__", "Object.getPrototypeOf([])", "Object.getOwnPropertyDescriptors({})", "Object.defineProperty({}, 'a', {})", "Reflect.get({}, 'a')", "new Proxy({}, {})", "Symbol.iterator", "Array.prototype", "class A {}", "with ({}) {}", "x\\u0031", "debugger",
	"const fs = require('fs'); fs.unlinkSync('a')", "fs.rmSync('a')", "fs.readFileSync(a)", "fs.readFileSync('a', x)", "fs.readFileSync(1)", "fs.readFileSync(`a`)", "fs.readFileSync('a' + 'b')", "fs.readFileSync('a\\x62')", "fs.readFileSync(...['a'])", "fs.readFileSync", "[1].map(fs.unlinkSync)", "const { unlinkSync } = require('fs')", "const f = fs", "fs.promises.readFile('a')", "fs.constants", "fs['rmSync']('a')",
	"fs.writeFileSync('a')", "fs.writeFileSync('a', 'b', { mode: 1 })", "fs.writeFileSync('a', ...x)", "fs.writeFileSync(a, 'b')", "fs.readFileSync('a', { flag: 'w' })", "fs.readFileSync('a', { encoding: 'utf8', flag: 'w' })", "fs.readdirSync('a', { recursive: true })", "fs.readFileSync('a', 'utf8', 1)",
	"const s = process.stdin; s.connect(1)", "const s = process.stdin.on('data', f => 1)", "process.stdin.on('data', f => 1).connect(1)", "process.stdin\n.on('data', f => 1)\n.pipe(x)", "process.stdin.pipe(process.stdout)", "console._stdout", "console['log'](1)", "const c = console", "process.stdout.connect(1)", "const o = process.stdout", "f(process.stdin.on('a', b => 1))", "console.log`x`", "String.raw`x`",
	// A name counts where the program defines it, and nowhere else.
	"((fetch) => 0)(); fetch('u')", "(fetch => 0)\nfetch('u')", "const f = fetch => 0\nfetch('u')", "const f = fetch => 0, g = fetch('u')", "1 ? fetch => 1 : fetch('u')", "var fetch; fetch('u')", "if (0) { var fetch = 1 } fetch('u')", "{ let fetch } fetch('u')", "{ function fetch() {} } fetch('u')", "(function fetch() {}, fetch('u'))", "for (;function fetch() {}; fetch('u')) {}", "try {} catch (fetch) {} fetch('u')", "for (const fetch of []) {} fetch('u')",
	"for (const fetch of []) while (0) {} fetch('u')", "for (const fetch of []) 1\nfetch('u')", "function f(a = fetch('u')) {}", "const f = (a = fetch('u')) => a", "const a = 1\na, fetch\nfetch('u')", "const [a = fetch('u')] = []", "const { a = fetch('u') } = {}", "declare const fetch: any; fetch('u')", "const f = (x): fetch => fetch('u')", "const f = (x): a | fetch => fetch('u')",
	"const f = (x): (a) => fetch => fetch('u')", "import type fs from 'fs'", "label: fetch('u')", "x = 1", "fetch = 1", "function f(); f()", "let in x, fetch; fetch('u')", "const g = function fetch() {}; fetch('u')", "async (fetch) => 1; fetch('u')", "[fetch]", "({ fetch })", "({ a: fetch })", "({ [fetch]: 1 })", "`${fetch('u')}`", "`${`${fetch('u')}`}`",
	// Where a text, a comment or a regular expression ends is beyond doubt.
	"if (1) /'/.test(''); fetch('u'); '/'", "x = {} /'/1; fetch('u') //'", "1 <!-- `\nfetch('u') //`", "1\n--> `\nfetch('u') //`", "// a\u2028fetch('u')", "// a\rfetch('u')", "'a\nfetch('u')", "`a", "/* a", "/a\n/", "/[/'/; fetch('u')", "a\u00a0b", "(1", "1)", "({)}", "`${1`", "#!x", "#x in y", "1px", "0x1g",
	// A counter is a number in every place.
	"let i = 0; i = 'constructor'; ''[i]", "let i = 0; x++\ni = 'constructor'; ''[i]", "let i = 'constructor'; ''[i]", "[1].map((v, i) => ''[i])", "let i = 0; [i] = ['constructor']; ''[i]", "let i = 0; ({ a: i } = {}); ''[i]", "let i = 0; for (i of []) ''[i]", "let i = 0; i += 'a'; ''[i]", "const a = { length: 'constructor' }; ''[a.length]", "''[-1 + 'a']", "let i = 0; ''[i + i + 'a']",
}

func TestJavaScript(t *testing.T) {
	t.Parallel()
	for code, want := range scriptReads {
		if files, why := inline.JavaScript(code); why != "" || !slices.Equal(files.Read, want) || files.Written != nil {
			t.Errorf("%q: got %v, %v (%s), want %v read", code, files.Read, files.Written, why, want)
		}
	}
	for _, code := range scriptActs {
		if _, why := inline.JavaScript(code); why == "" {
			t.Errorf("%q: taken for one that only reads", code)
		}
	}
	if _, why := inline.JavaScript(strings.Repeat("1;", 9<<10)); why == "" {
		t.Error("a program of any length is read")
	}
}

func TestJavaScript_writes(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"fs.writeFileSync('a', JSON.stringify({ b: 1 }, null, 2) + '\\n')": "a", "require('fs').appendFileSync('a/b', 'x', 'utf8')": "a/b", "import { writeFileSync } from 'node:fs'; writeFileSync('a', [1, 2].join())": "a",
	} {
		if files, why := inline.JavaScript(code); why != "" || !slices.Equal(files.Written, []string{want}) || files.Read != nil {
			t.Errorf("%q: got %v (%s), want %s written", code, files, why, want)
		}
	}
}

// TestJavaScript_addingNeverHelps: an acting program acts beside any reading one, before and behind
// it, in a branch or a function of it, and inside of a template.
func TestJavaScript_addingNeverHelps(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"fetch('u')", "eval('1')", "x.constructor", "''['a' + 'b']", "process.env", "fs.rmSync('a')", "require('net')", "this.x", "a.b.connect(1)"} {
		for good := range scriptReads {
			for _, code := range []string{
				good + "\n" + bad, good + "\n;" + bad, bad + ";\n" + good, good + "\nif (0) {" + bad + "}", good + "\nconst zz = () => " + bad, good + "\n`${" + bad + "}`", good + "\nconst yy = [{ a: (" + bad + ") }]", good + "\nfunction xx(q = " + bad + ") {}",
			} {
				if _, why := inline.JavaScript(code); why == "" {
					t.Errorf("%q: taken for one that only reads", code)
				}
			}
		}
	}
}

// FuzzJavaScript: no reading program names anything able to act.
func FuzzJavaScript(f *testing.F) {
	for code := range scriptReads {
		f.Add(code)
	}
	for _, code := range scriptActs {
		f.Add(code)
	}
	f.Fuzz(func(t *testing.T, code string) {
		files, why := inline.JavaScript(code)
		if why != "" {
			return
		}
		for _, file := range slices.Concat(files.Read, files.Written) {
			if !strings.Contains(code, file) || file == "" {
				t.Errorf("%q: opens %q, which it does not name", code, file)
			}
		}
		if _, why := inline.JavaScript(code + "\n;eval('x')"); why == "" {
			t.Errorf("%q: hides what follows it", code)
		}
		if _, why := inline.JavaScript("eval('x');\n" + code); why == "" {
			t.Errorf("%q: hides what stands before it", code)
		}
	})
}
