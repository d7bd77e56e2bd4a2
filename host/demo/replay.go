package demo

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/store"
)

// line is one recorded call.
type line struct {
	Note string `json:"note"`
	gate.Request
}

// replayer plays the agent.
type replayer struct {
	out     printer
	client  client
	project string
	calls   int
	counts  map[store.Outcome]int
}

// session replays one file, one call after the other, as an agent does.
func (r *replayer) session(ctx context.Context, files fs.FS, name string) error {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return err
	}
	title := strings.TrimSuffix(name, ".jsonl")
	r.out.title(title)
	quoted, err := json.Marshal(r.project)
	if err != nil {
		return err
	}
	place := strings.Trim(string(quoted), `"`)
	lines := bufio.NewScanner(strings.NewReader(strings.ReplaceAll(string(data), "{{project}}", place)))
	for n := 1; lines.Scan(); n++ {
		var l line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		l.Context.Session, l.Context.CWD = title, r.project
		res, err := r.client.check(ctx, l.Request)
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		r.calls++
		r.counts[res.Outcome]++
		r.out.call(l, res)
	}
	return lines.Err()
}

// client speaks to the daemon as an agent's own program would: plain HTTP.
type client struct {
	url, token string
	http       *http.Client
}

func newClient(address, token string) client {
	return client{url: "http://" + address + "/v1/check", token: token, http: &http.Client{Timeout: 5 * time.Minute}}
}

func (c client) check(ctx context.Context, r gate.Request) (gate.Result, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return gate.Result{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return gate.Result{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+c.token)
	resp, err := c.http.Do(req)
	if err != nil {
		return gate.Result{}, err
	}
	defer func() { _ = resp.Body.Close() }() // read to its end below
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return gate.Result{}, err
	}
	if resp.StatusCode != http.StatusOK {
		return gate.Result{}, fmt.Errorf("the gate answered %s: %s", resp.Status, text)
	}
	var res gate.Result
	return res, json.Unmarshal(text, &res)
}
