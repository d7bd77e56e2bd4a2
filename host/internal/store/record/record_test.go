package record_test

import (
	"bytes"
	"errors"
	"iter"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/record"
)

func rows(list ...store.Row) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		for _, r := range list {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func decision(id, tool, input string) store.Row {
	return store.Row{Event: store.EventDecision, Agent: "a", Session: "s", CallID: id, Tool: tool, Input: input, Decision: store.Allowed, Stage: "mode"}
}

var source = record.Source{
	Session: store.Session{ID: "s", CWD: "/home/ann/src/shop", ProjectRoot: "/home/ann/src/shop"}, Mode: "default",
	Home: "/home/ann", WorkingDirectories: []string{"/home/ann/src/shop"},
}

func write(t *testing.T, s record.Source, list ...store.Row) (string, record.Report) {
	t.Helper()
	var out bytes.Buffer
	report, err := record.Write(&out, s, rows(list...))
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), report
}

func TestWrite(t *testing.T) {
	t.Parallel()
	got, report := write(t, source,
		store.Row{Event: store.EventSessionMode, Session: "s"},
		decision("c1", "Bash", `{"command":"cat /home/ann/src/shop/a.ts /home/ann/src/shopping ~/x /home/ann/.env"}`),
		decision("c2", "Write", `{"content":"cut in the mid`),
		decision("c1", "Bash", `{"command":"cat"}`),
		decision("", "Read", `{"file_path":"/home/ann/src/shop","n":9007199254740993}`),
	)
	want := `{"id":"c1","op":"decide","note":"allow (mode)","mode":"default","tool":"Bash","input":{"command":"cat /project/a.ts /home/user/src/shopping ~/x /home/user/.env"},` +
		`"context":{"cwd":"/project","home":"/home/user","working_directories":["/project"],"agent":"a","session":"s"}}
{"id":"row-0","op":"decide","note":"allow (mode)","mode":"default","tool":"Read","input":{"file_path":"/project","n":9007199254740993},` +
		`"context":{"cwd":"/project","home":"/home/user","working_directories":["/project"],"agent":"a","session":"s"}}
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if report != (record.Report{Calls: 2, Skipped: 1}) {
		t.Errorf("report: got %+v, want 2 calls, 1 skipped", report)
	}
}

// TestWrite_whereEachCallRan: a call run elsewhere than the session's place.
func TestWrite_whereEachCallRan(t *testing.T) {
	t.Parallel()
	s := source
	s.CWD = func(id string) string { return map[string]string{"c1": "/home/ann/src/shop/api"}[id] }
	got, _ := write(t, s, decision("c1", "Bash", `{}`), decision("c2", "Bash", `{}`))
	for _, want := range []string{`"cwd":"/project/api"`, `"cwd":"/project"`} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestWrite_aBrokenAudit: half a record must not look like a whole one.
func TestWrite_aBrokenAudit(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	broken := errors.New("broken")
	_, err := record.Write(&out, source, func(yield func(store.Row, error) bool) {
		if yield(decision("c1", "Bash", `{}`), nil) {
			yield(store.Row{}, broken)
		}
	})
	if !errors.Is(err, broken) || out.Len() != 0 {
		t.Errorf("got %v and %q, want the error and nothing written", err, out.String())
	}
}

// TestRead_whatWriteWrote: written records can be read, and moving there and back changes
// nothing.
func TestRead_whatWriteWrote(t *testing.T) {
	t.Parallel()
	there := []record.Move{{From: record.Project, To: "/tmp/x y/shop"}, {From: record.Home, To: "/var/h"}}
	back := []record.Move{{From: "/tmp/x y/shop", To: record.Project}, {From: "/var/h", To: record.Home}}
	rapid.Check(t, func(t *rapid.T) {
		command := rapid.StringMatching(`[a-z "'=/\\{]{0,20}(/project|/home/user|/home/ann/src/shop)?[/a-z.: ]{0,20}`).Draw(t, "command")
		input := `{"command":` + quote(command) + `,"/project":[1,{"a":` + quote(command) + `}]}`
		var out bytes.Buffer
		if _, err := record.Write(&out, source, rows(decision("c", "Bash", input))); err != nil {
			t.Fatal(err)
		}
		n := 0
		for l, err := range record.Read(&out) {
			if err != nil {
				t.Fatalf("%q: %v", input, err)
			}
			if again := l.Move(there...).Move(back...); string(again.Input) != string(l.Input) {
				t.Fatalf("moved there and back: got %s, want %s", again.Input, l.Input)
			}
			n++
		}
		if n != 1 {
			t.Fatalf("%q: got %d lines, want 1", input, n)
		}
	})
}

func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

func TestRead_refuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"another op":     {`{"op":"match","tool":"Bash","input":{}}`, `line 1: op: "match"`},
		"no tool":        {"\n" + `{"op":"decide","input":{}}`, "line 2: tool: missing"},
		"no input":       {`{"op":"decide","tool":"Bash"}`, "input: missing"},
		"unknown member": {`{"op":"decide","tool":"Bash","input":{},"rules":[]}`, "rules: there is no such member"},
		"named twice":    {`{"op":"decide","tool":"Bash","tool":"Read","input":{}}`, "not strict JSON"},
		"cut":            {`{"op":"decide","tool":"Ba`, "not strict JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var last error
			for _, err := range record.Read(strings.NewReader(c.text)) {
				last = err
			}
			if last == nil || !strings.Contains(last.Error(), c.want) {
				t.Errorf("got %v, want %q", last, c.want)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"id":"1","op":"decide","tool":"Bash","input":{"command":"ls /project"},"context":{"cwd":"/project"}}`))
	f.Add([]byte("{\"op\":\"decide\"}\n{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for l, err := range record.Read(bytes.NewReader(data)) {
			if err == nil && (l.Tool == "" || !l.Move(record.Move{From: record.Project, To: "/x"}).Input.IsValid()) {
				t.Errorf("%q: read as %+v", data, l)
			}
		}
	})
}
