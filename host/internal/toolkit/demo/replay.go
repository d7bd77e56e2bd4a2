package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"time"

	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/record"
	"github.com/callgate/callgate/host/wire"
)

// replayer plays the agent.
type replayer struct {
	out printer
	// check puts a call and returns when it has its answer.
	check   func(context.Context, wire.Request) (wire.Result, error)
	project string
	calls   int
	counts  map[store.Outcome]int
}

// session replays one file as the session of a title, one call after the other, as an agent does.
func (r *replayer) session(ctx context.Context, files fs.FS, name, title string) error {
	file, err := files.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // only read
	r.out.title(title)
	for l, err := range record.Read(file) {
		if err != nil {
			return err
		}
		if err := r.call(ctx, title, l.Move(record.Move{From: record.Project, To: r.project})); err != nil {
			return fmt.Errorf("call %s: %w", l.ID, err)
		}
	}
	return nil
}

// call puts one call as the agent's client would.
func (r *replayer) call(ctx context.Context, session string, l record.Line) error {
	req := wire.Request{CallID: l.ID, Tool: l.Tool, Input: json.RawMessage(l.Input)}
	req.Context.Session, req.Context.CWD, req.Context.Mode = session, l.Context.CWD, l.Mode
	return r.put(ctx, req)
}

// put puts a call, counts its result, and prints it.
func (r *replayer) put(ctx context.Context, req wire.Request) error {
	res, err := r.check(ctx, req)
	if err != nil {
		return err
	}
	r.calls++
	r.counts[res.Outcome]++
	r.out.call(req, res)
	return nil
}

// client speaks to the daemon as an agent's own program would: plain HTTP.
type client struct {
	url, token string
	http       *http.Client
}

func newClient(address, token string) client {
	return client{url: "http://" + address + "/v1/check", token: token, http: &http.Client{Timeout: 5 * time.Minute}}
}

func (c client) check(ctx context.Context, r wire.Request) (wire.Result, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return wire.Result{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return wire.Result{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+c.token)
	resp, err := c.http.Do(req)
	if err != nil {
		return wire.Result{}, err
	}
	defer func() { _ = resp.Body.Close() }() // read to its end below
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return wire.Result{}, err
	}
	if resp.StatusCode != http.StatusOK {
		return wire.Result{}, fmt.Errorf("the gate answered %s: %s", resp.Status, text)
	}
	var res wire.Result
	return res, json.Unmarshal(text, &res)
}
