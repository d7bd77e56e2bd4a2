package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"

	"github.com/callgate/callgate/host/internal/client/caller"
	"github.com/callgate/callgate/host/internal/client/protocol"
)

// fetch puts one request and reads the answer; body nil sends none. With an
// error comes the zero value.
func fetch[T any](ctx context.Context, c *Client, method, path string, q url.Values, body any) (T, error) {
	var out, zero T
	resp, err := c.send(ctx, method, path, q, body, "application/json")
	if err != nil {
		return zero, err
	}
	defer func() { _ = resp.Body.Close() }() // read to its end, or given up
	text, err := io.ReadAll(io.LimitReader(resp.Body, caller.MaxAnswer+1))
	if err != nil {
		return zero, fmt.Errorf("the daemon's answer was cut off: %w", err)
	}
	if len(text) > caller.MaxAnswer {
		return zero, fmt.Errorf("the daemon's answer is larger than %d MiB", caller.MaxAnswer>>20)
	}
	if err := c.proven(resp.Request, resp.StatusCode, text, resp.Header.Get(protocol.MACHeader)); err != nil {
		return zero, err
	}
	if err := caller.Decode(text, &out); err != nil {
		return zero, err
	}
	return out, nil
}

// send sends a request and returns a successful answer of the wanted content type. The caller
// closes its body.
func (c *Client) send(ctx context.Context, method, path string, q url.Values, body any, accept string) (*http.Response, error) {
	req, err := c.request(ctx, method, path, q, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", accept)
	resp, err := c.http.Do(req)
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err // its text repeats the address
		}
		return nil, caller.OrLost(err)
	}
	if err := c.refusal(resp, accept); err != nil {
		return nil, errors.Join(err, resp.Body.Close())
	}
	return resp, nil
}

func (c *Client) request(ctx context.Context, method, path string, q url.Values, body any) (*http.Request, error) {
	var text []byte
	kind := "application/json"
	if module, ok := body.(upload); ok {
		kind, text = protocol.WasmType, module
	} else if body != nil {
		var err error
		if text, err = protocol.Encode(body); err != nil {
			return nil, fmt.Errorf("write the request: %w", err)
		}
	}
	u := url.URL{Scheme: "http", Host: c.Host(), RawQuery: q.Encode()}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	// The path is set in its encoded form, so an id may hold a slash.
	req.URL.RawPath = path
	if req.URL.Path, err = url.PathUnescape(path); err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.Token())
	req.Header.Set("Content-Type", kind)
	req.Header.Set(protocol.NonceHeader, rand.Text())
	c.withTicket(req)
	return req, nil
}

// refusal is the error in an answer; nil for a success.
func (c *Client) refusal(resp *http.Response, accept string) error {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	success := resp.StatusCode == http.StatusOK || resp.StatusCode == http.StatusCreated
	if success && (err == nil && kind == accept || accept == "*/*") {
		return nil
	}
	if success {
		return fmt.Errorf("the daemon answered with content type %q, want %s", resp.Header.Get("Content-Type"), accept)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return fmt.Errorf("the daemon refused the request with status %d, and its answer was cut off: %w", resp.StatusCode, err)
	}
	if err := c.proven(resp.Request, resp.StatusCode, text, resp.Header.Get(protocol.MACHeader)); err != nil {
		return caller.Unproven(resp.StatusCode, err)
	}
	return caller.Problem(text, resp.StatusCode)
}

// proven checks the MAC of an answer to one of the client's requests.
func (c *Client) proven(r *http.Request, status int, answer []byte, mac string) error {
	to := protocol.Binding{Nonce: r.Header.Get(protocol.NonceHeader), Method: r.Method, Target: r.URL.RequestURI()}
	body, err := r.GetBody()
	if err != nil {
		return fmt.Errorf("%w: %w", caller.ErrUnproven, err)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, body); err != nil {
		return fmt.Errorf("%w: %w", caller.ErrUnproven, err)
	}
	copy(to.Body[:], sum.Sum(nil))
	return c.Proven(to, status, answer, mac)
}

// at builds a path with variable parts of any content.
func at(parts ...string) string {
	path := "/v1"
	for _, p := range parts {
		path += "/" + url.PathEscape(p)
	}
	return path
}
