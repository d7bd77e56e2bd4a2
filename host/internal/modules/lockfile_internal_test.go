package modules

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

const sum = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

func entryText(more string) string {
	return fmt.Sprintf(`{"file":"a.wasm","name":"a","version":"1","digest":%q,"description":%q,"names":["A"],"may_allow":false,"may_read_only":false,"granted_by":"ana","granted_at":"2026-01-01T00:00:00Z","seal":%q%s}`, sum, sum, sum, more)
}

func lockText(entries ...string) string {
	return `{"format":1,"modules":[` + strings.Join(entries, ",") + `]}`
}

// locks are lock files with their defects; none for good ones.
var locks = map[string]struct{ text, want string }{
	"empty":              {lockText(), ""},
	"one":                {lockText(entryText("")), ""},
	"dev, limits":        {lockText(entryText(`,"dev":true,"limits":{"fuel":"2000000"}`)), ""},
	"no bytes":           {"", "not strict JSON"},
	"a list":             {"[]", "want a JSON object"},
	"another format":     {`{"format":2,"modules":[]}`, "format: 2"},
	"no format":          {`{"modules":[]}`, "format: 0"},
	"something behind":   {lockText() + " x", "not strict JSON"},
	"member twice":       {`{"format":1,"format":1,"modules":[]}`, "format"},
	"unknown member":     {lockText(entryText(`,"trusted":true`)), "modules.0.trusted: there is no such member"},
	"name in caps":       {lockText(entryText(`,"Dev":true`)), "modules.0.Dev: there is no such member"},
	"file twice":         {lockText(entryText(""), entryText("")), `modules[1].file: duplicate "a.wasm"`},
	"file twice, folded": {lockText(entryText(""), strings.Replace(entryText(""), "a.wasm", "A.wasm", 1)), `duplicate "A.wasm"`},
	"way out":            {lockText(strings.Replace(entryText(""), "a.wasm", "../a.wasm", 1)), "modules[0].file"},
	"number for a text":  {lockText(strings.Replace(entryText(""), `"version":"1"`, `"version":1`, 1)), "modules.0.version"},
	"short digest":       {lockText(strings.Replace(entryText(""), sum, sum[1:], 1)), "modules[0].digest"},
	"invalid UTF-8":      {lockText(strings.Replace(entryText(""), `"ana"`, "\"\xff\"", 1)), "modules.0.granted_by"},
	"bad limit":          {lockText(entryText(`,"limits":{"fuel":"1"}`)), "modules[0].limits.fuel"},
	"bad previous":       {lockText(entryText(`,"previous":{"name":"a"}`)), "modules[0].previous."},
	"no time":            {lockText(strings.Replace(entryText(""), "2026-01-01T00:00:00Z", "soon", 1)), "granted_at"},
	"huge":               {strings.Repeat(" ", maxLock+1), "at most"},
}

func TestParseLock(t *testing.T) {
	t.Parallel()
	for name, tc := range locks {
		l, err := parseLock([]byte(tc.text))
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: got %v, want %q", name, err, tc.want)
		}
		if err != nil && len(l.Modules) > 0 {
			t.Errorf("%s: got %d entries beside the error", name, len(l.Modules))
		}
	}
}

func FuzzParseLock(f *testing.F) {
	for _, tc := range locks {
		if len(tc.text) < 1<<16 {
			f.Add([]byte(tc.text))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := parseLock(data)
		if err != nil {
			return
		}
		text, err := l.text()
		if err != nil {
			t.Fatal(err)
		}
		again, err := parseLock(text)
		if err != nil {
			t.Fatalf("%q\nwritten as %s\nis not read again: %v", data, text, err)
		}
		if twice, err := again.text(); err != nil || !bytes.Equal(text, twice) {
			t.Errorf("written twice: %s\n%s (%v)", text, twice, err)
		}
	})
}

// FuzzParseUnsealed: an entry shared by another daemon is read like one of a lock.
func FuzzParseUnsealed(f *testing.F) {
	for _, more := range []string{"", `,"dev":true`, `,"trusted":true`, `,"previous":{"name":"a"}`, `,"limits":{"fuel":"1"}`} {
		f.Add([]byte(entryText(more)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := parseUnsealed(data)
		if err != nil {
			return
		}
		text, err := e.unsealed()
		if err != nil {
			t.Fatal(err)
		}
		again, err := parseUnsealed(text)
		if err != nil {
			t.Fatalf("%q\nwritten as %s\nis not read again: %v", data, text, err)
		}
		if twice, err := again.unsealed(); err != nil || !bytes.Equal(text, twice) {
			t.Errorf("written twice: %s\n%s (%v)", text, twice, err)
		}
		e.Seal = sum
		if _, err := parseLock([]byte(lockOf(t, e))); err != nil {
			t.Errorf("%s: a lock with it is not read: %v", text, err)
		}
	})
}

func lockOf(t *testing.T, e LockEntry) string {
	t.Helper()
	text, err := lock{Modules: []LockEntry{e}}.text()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
