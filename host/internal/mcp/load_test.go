package mcp

import (
	"encoding/json"
	"fmt"
	"io"
	"testing"
)

// TestThousand: a thousand calls at once, none lost, none answered twice, each with its own answer.
func TestThousand(t *testing.T) {
	t.Parallel()
	const calls = 1000
	w := newWorld(t, func(_ *Config, s *fakeServer) {
		s.got = make(chan string, calls)
		s.tools = append(s.tools, tool("write"))
	})
	names := []string{"read", "write", "deny_it"}
	go func() {
		for i := range calls {
			if _, err := io.WriteString(w.client, call(fmt.Sprint(i), names[i%3], fmt.Sprintf(`{"n":%d}`, i))+"\n"); err != nil {
				t.Error(err)
			}
		}
	}()
	answered := make([]bool, calls)
	for range calls {
		var m struct {
			ID     int `json:"id"`
			Result struct {
				Content []struct{ Text string }
				IsError bool
			}
		}
		if err := json.Unmarshal([]byte(next(t, w.told)), &m); err != nil || answered[m.ID] {
			t.Fatalf("%d: %v, answered before: %t", m.ID, err, answered[m.ID])
		}
		answered[m.ID] = true
		name := names[m.ID%3]
		if text := m.Result.Content[0].Text; m.Result.IsError != (name == "deny_it") || !m.Result.IsError && text != "ran "+name {
			t.Errorf("%d: got %q, want the answer of %s", m.ID, text, name)
		}
	}
	none(t, w.told)
	w.daemon.set(func(f *fakeDaemon) {
		seen := map[string]bool{}
		for _, r := range f.requests {
			seen[string(r.Input)] = true
		}
		if len(f.requests) != calls || len(seen) != calls {
			t.Errorf("judged: got %d calls, %d different, want %d", len(f.requests), len(seen), calls)
		}
	})
}

// BenchmarkMCP is a call's way through the proxy, with a daemon that decides at once: the time over
// the check.
func BenchmarkMCP(b *testing.B) {
	w := newWorld(b, nil)
	line := call("1", "read", `{"path":"/srv/site/index.html"}`) + "\n"
	for b.Loop() {
		if _, err := io.WriteString(w.client, line); err != nil {
			b.Fatal(err)
		}
		<-w.server.got
		<-w.told
	}
}
