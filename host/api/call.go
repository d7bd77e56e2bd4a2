package api

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// maxAnswer bounds an answer that is read whole, in bytes.
const maxAnswer = 64 << 20

// fetch puts one request and reads the answer; body nil sends none. With an
// error comes the zero value.
func fetch[T any](ctx context.Context, c *Client, method, path string, q url.Values, body any) (T, error) {
	var out, zero T
	resp, err := c.send(ctx, method, path, q, body, "application/json")
	if err != nil {
		return zero, err
	}
	defer func() { _ = resp.Body.Close() }() // read to its end, or given up
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return zero, fmt.Errorf("the daemon's answer broke off: %w", err)
	}
	if len(text) > maxAnswer {
		return zero, fmt.Errorf("the daemon's answer is larger than %d MiB", maxAnswer>>20)
	}
	if err := c.proven(resp.Request, resp.StatusCode, text, resp.Header.Get(macHeader)); err != nil {
		return zero, err
	}
	if err := decodeAnswer(text, &out); err != nil {
		return zero, err
	}
	return out, nil
}

// decodeAnswer reads one JSON document: UTF-8, no name twice, nothing behind it.
func decodeAnswer(text []byte, out any) error {
	if err := json.Unmarshal(text, out, jsonv1.FormatDurationAsNano(true)); err != nil {
		return fmt.Errorf("the daemon's answer is not understood: %w", err)
	}
	return nil
}

// send puts a request and returns an answer that succeeded and is of the wanted
// content type. The caller closes its body.
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
		return nil, orLost(err)
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
		kind, text = wasmType, module
	} else if body != nil {
		var err error
		if text, err = encode(body); err != nil {
			return nil, fmt.Errorf("write the request: %w", err)
		}
	}
	u := url.URL{Scheme: "http", Host: c.host, RawQuery: q.Encode()}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	// The path is set as it goes over the wire, so that an id may hold a slash.
	req.URL.RawPath = path
	if req.URL.Path, err = url.PathUnescape(path); err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", kind)
	req.Header.Set(nonceHeader, rand.Text())
	c.withTicket(req)
	return req, nil
}

// refusal is the error that an answer carries; nil for a success.
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
		return fmt.Errorf("the daemon refused with status %d, and its answer broke off: %w", resp.StatusCode, err)
	}
	if err := c.proven(resp.Request, resp.StatusCode, text, resp.Header.Get(macHeader)); err != nil {
		return unprovenRefusal(resp.StatusCode, err)
	}
	return problemError(text, resp.StatusCode)
}

// unprovenRefusal explains a refusal that carries no proof, as the daemon's own
// does when it does not know the token any more.
func unprovenRefusal(status int, err error) error {
	if status == http.StatusUnauthorized {
		return fmt.Errorf("the daemon no longer knows this token: it was revoked, rotated or has expired (%w)", err)
	}
	return fmt.Errorf("refused with status %d: %w", status, err)
}

func problemError(text []byte, status int) error {
	var p problem
	if err := json.Unmarshal(text, &p); err != nil || p.Error == nil || p.Error.Code == "" {
		return fmt.Errorf("the daemon refused with status %d", status)
	}
	p.Error.Status = status
	return p.Error
}

// at builds a path whose variable parts may hold anything.
func at(parts ...string) string {
	path := "/v1"
	for _, p := range parts {
		path += "/" + url.PathEscape(p)
	}
	return path
}
