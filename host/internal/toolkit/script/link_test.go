package script_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/toolkit/script"
)

// small is the smallest engine for a script: a memory of one page, a constant global 8 under
// Link's name, another export, and a data segment.
const small = "\x00asm\x01\x00\x00\x00" +
	"\x05\x03\x01\x00\x01" +
	"\x06\x06\x01\x7f\x00\x41\x08\x0b" +
	"\x07\x1c\x02\x0fcallgate_script\x03\x00\x06memory\x02\x00" +
	"\x0b\x0a\x01\x00\x41\x00\x0b\x04data"

// TestLinkPutsTheScriptBehind: the initial memory of the linked module.
func TestLinkPutsTheScriptBehind(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, length := range []int{1, 65535, 65536, 200000} {
		js := strings.Repeat("j", length)
		wasm, err := script.Link([]byte(small), []byte(js))
		if err != nil {
			t.Fatal(err)
		}
		r := wazero.NewRuntime(ctx)
		m, err := r.Instantiate(ctx, wasm)
		if err != nil {
			t.Fatal(err)
		}
		memory := m.ExportedMemory("memory")
		at, _ := memory.ReadUint32Le(8)
		n, _ := memory.ReadUint32Le(12)
		got, ok := memory.Read(at, n+1)
		if at != 65536 || n != uint32(length) || !ok || string(got) != js+"\x00" {
			t.Errorf("a script of %d bytes: at %d, %d long, %t", length, at, n, ok)
		}
		if want := uint32(65536 + (length+1+65535)/65536*65536); memory.Size() != want {
			t.Errorf("a script of %d bytes: the memory has %d, want %d", length, memory.Size(), want)
		}
		if text, _ := memory.Read(0, 4); string(text) != "data" {
			t.Errorf("the engine's own data is %q", text)
		}
		if m.ExportedGlobal("callgate_script") != nil {
			t.Error("the module still takes a script")
		}
		_ = r.Close(ctx)
	}
}

func TestLinkRefuses(t *testing.T) {
	t.Parallel()
	with := func(old, change string) string {
		if !strings.Contains(small, old) {
			t.Fatalf("%q is not there", old)
		}
		return strings.Replace(small, old, change, 1)
	}
	linked, err := script.Link([]byte(small), []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ engine, js, want string }{
		"no script":        {small, "", "empty"},
		"not UTF-8":        {small, "\xff", "UTF-8"},
		"large script":     {small, strings.Repeat("x", script.MaxScript+1), "at most"},
		"no engine":        {"", "x", "no WebAssembly module"},
		"a text":           {"#!/bin/sh", "x", "no WebAssembly module"},
		"linked already":   {string(linked), "x", "takes no script"},
		"other name":       {with("callgate_script", "callgate_scripT"), "x", "takes no script"},
		"no constant":      {with("\x7f\x00\x41", "\x7f\x01\x41"), "x", "takes no script"},
		"another type":     {with("\x7f\x00\x41", "\x7e\x00\x42"), "x", "no i32 constant"},
		"points outside":   {with("\x41\x08\x0b", "\x41\x7f\x0b"), "x", "takes no script"},
		"no such global":   {with("script\x03\x00", "script\x03\x01"), "x", "takes no script"},
		"bounded memory":   {with("\x05\x03\x01\x00\x01", "\x05\x04\x01\x01\x01\x01"), "x", "at most 1 in all"},
		"shared memory":    {with("\x05\x03\x01\x00\x01", "\x05\x04\x01\x03\x01\x01"), "x", "unknown kind"},
		"no memory":        {with("\x05\x03\x01\x00\x01", ""), "x", "no memory"},
		"two of a section": {with("\x05\x03\x01\x00\x01", "\x05\x03\x01\x00\x01\x05\x03\x01\x00\x01"), "x", "twice"},
		"no data":          {small[:strings.LastIndex(small, "\x0b\x0a")], "x", "no data"},
	} {
		if _, err := script.Link([]byte(tc.engine), []byte(tc.js)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %q", name, err, tc.want)
		}
	}
}

func TestLinkIsReproducible(t *testing.T) {
	t.Parallel()
	engine, js := bytes.Clone(readEngine()), []byte("1")
	one, err := script.Link(engine, js)
	if err != nil {
		t.Fatal(err)
	}
	two, _ := script.Link(engine, js)
	if !bytes.Equal(one, two) || !bytes.Equal(engine, readEngine()) {
		t.Error("two links differ, or the engine was changed")
	}
}

// TestEngineSays: the engine's answers to a script that serves nothing, and to exceptions and
// odd texts.
func TestEngineSays(t *testing.T) {
	t.Parallel()
	for js, want := range map[string]string{
		"let x =":                 "the script does not start: SyntaxError",
		"throw new Error('boom')": "the script does not start: Error: boom",
		"callgate = 5":            "serves no module",
	} {
		if _, err := load(t, js).Call(t.Context(), sandbox.Describe, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", js, err, want)
		}
	}
	m := load(t, `let n = 0; callgate = (verb, input) => {
		switch (input) {
		case "throw": throw "boom"
		case "number": return 5
		case "half": return "\ud800"
		case "deep": return callgate(verb, input)
		case "endless": for (;;);
		}
		n++
		return [verb, n, input].join()
	}`)
	for input, want := range map[string]string{
		"throw": "boom", "number": "no text", "half": "half a character", "deep": "stack overflow", "endless": "fuel",
	} {
		if out, err := m.Call(t.Context(), sandbox.Describe, []byte(input)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %q, %v, want %q", input, out, err, want)
		}
	}
	text := "é\x00𝄞"
	first, err := m.Call(t.Context(), sandbox.MatchRule, []byte(text))
	again, err2 := m.Call(t.Context(), sandbox.MatchRule, []byte(text))
	if err != nil || err2 != nil || !bytes.Equal(first, again) || !strings.HasSuffix(string(first), text) {
		t.Errorf("got %q and %q, %v, %v: each call begins alike", first, again, err, err2)
	}
	for _, input := range []string{"\xff", "\xed\xa0\x80", "\xc0\x80", "\xf5\x80\x80\x80", "\xe2\x82"} {
		if out, err := m.Call(t.Context(), sandbox.Describe, []byte(input)); err == nil || !strings.Contains(err.Error(), "not UTF-8") {
			t.Errorf("%q: got %q, %v", input, out, err)
		}
	}
	if _, err := open(t, readEngine()).Call(t.Context(), sandbox.Describe, nil); err == nil || !strings.Contains(err.Error(), "bare engine") {
		t.Errorf("the bare engine: %v", err)
	}
}

func TestBundle(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("secret.json", `{"a":1}`)
	write("p/callgate-tool.yaml", "")
	write("p/lib.ts", "export const twice = (n: number): number => 2 * n;")
	write("p/node_modules/dep/package.json", `{"name":"dep","main":"main.js"}`)
	write("p/node_modules/dep/main.js", "module.exports = 'of dep'")
	for name, tc := range map[string]struct{ text, want string }{
		"good.ts":    {`import {sdk} from "callgate"; import {twice} from "../lib"; import dep from "dep"; sdk(twice(2), dep)`, ""},
		"good.js":    {`import {sdk} from "callgate"; sdk()`, ""},
		"syntax.ts":  {"let a = 1;\nlet b = ;", "src/syntax.ts:2:9: Unexpected"},
		"missing.ts": {`import "./nothing"`, `src/missing.ts:1:8: Could not resolve "./nothing"`},
		"absent.ts":  {`import {other} from "callgate"; other()`, `src/absent.ts:1:9: No matching export`},
		"outside.ts": {`import a from "../../secret.json"; a`, "src/outside.ts:1:15: "},
		"text.ts":    {`import a from "../callgate-tool.yaml"; a`, "is no script"},
		"tool.py":    {"", "want a file in TypeScript"},
	} {
		write("p/src/"+name, tc.text)
		js, err := script.Bundle(t.Context(), filepath.Join(root, "p/src", name), []byte("export function sdk(...a: unknown[]) {}"))
		switch {
		case tc.want == "" && (err != nil || bytes.Contains(js, []byte(`"callgate"`))):
			t.Errorf("%s: %s, %v", name, js, err)
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%s: got %v, want %q", name, err, tc.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := script.Bundle(ctx, filepath.Join(root, "p/src/good.ts"), nil); err == nil {
		t.Error("a bundle of a cancelled context")
	}
}

func TestTestsTellWhatFailed(t *testing.T) {
	t.Parallel()
	wasm, err := script.Link(readEngine(), []byte(`callgate = () => '{"tests":[]}'`))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := script.Test(t.Context(), wasm); err == nil || !strings.Contains(err.Error(), "no tests") {
		t.Errorf("got %v, %v", got, err)
	}
}

// FuzzLink: for any bytes of the engine, Link ends with a module or an error; a working module
// still works.
func FuzzLink(f *testing.F) {
	f.Add([]byte(small), "1")
	for i := range small {
		f.Add([]byte(small[:i]), "1")
	}
	f.Add([]byte(small[:8]+"\x02\x0c\x01\x01m\x01g\x03\x7f\x00"+small[8:]), "x")
	f.Fuzz(func(t *testing.T, engine []byte, js string) {
		was := bytes.Clone(engine)
		wasm, err := script.Link(engine, []byte(js))
		if !bytes.Equal(engine, was) {
			t.Fatal("the engine was changed")
		}
		if (err == nil) != (wasm != nil) {
			t.Fatalf("%d bytes and %v", len(wasm), err)
		}
		if err != nil || len(engine) > 1<<12 {
			return
		}
		ctx := context.Background()
		r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
		defer func() { _ = r.Close(ctx) }()
		if _, err := r.CompileModule(ctx, engine); err != nil {
			return
		}
		if _, err := r.CompileModule(ctx, wasm); err != nil {
			t.Fatalf("a module that compiles was made one that does not: %v", err)
		}
	})
}
