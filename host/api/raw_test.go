package api_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"testing"
)

// rawRequest is a request as somebody writes it who does not use the client.
type rawRequest struct {
	method, path string
	token        string // a name, "" for none
	secret       string // instead of token: what to send as it is
	body         string
	accept       string
	contentType  string // "-" sends none; "" is application/json
	host         string
	header       map[string]string
	// ended, which may be nil, tells from the head that the body is not read.
	ended func(head rawAnswer) bool
}

type rawAnswer struct {
	status int
	header http.Header
	body   string
}

// impatient keeps no connection, so that none is open and unused at a shutdown.
var impatient = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// raw sends over the port.
func (w *world) raw(ctx context.Context, r rawRequest) (rawAnswer, error) {
	req, err := http.NewRequestWithContext(ctx, r.method, "http://"+w.port+r.path, bytes.NewReader([]byte(r.body)))
	if err != nil {
		return rawAnswer{}, err
	}
	switch {
	case r.secret != "":
		req.Header.Set("Authorization", r.secret)
	case r.token != "":
		req.Header.Set("Authorization", "Bearer "+w.token(r.token))
	}
	switch r.contentType {
	case "":
		req.Header.Set("Content-Type", "application/json")
	case "-":
	default:
		req.Header.Set("Content-Type", r.contentType)
	}
	if r.accept != "" {
		req.Header.Set("Accept", r.accept)
	}
	if r.host != "" {
		req.Host = r.host
	}
	for k, v := range r.header {
		req.Header.Set(k, v)
	}
	resp, err := impatient.Do(req)
	if err != nil {
		return rawAnswer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	if r.ended != nil && r.ended(rawAnswer{status: resp.StatusCode, header: resp.Header}) {
		return rawAnswer{resp.StatusCode, resp.Header, ""}, nil
	}
	body, err := io.ReadAll(resp.Body)
	return rawAnswer{resp.StatusCode, resp.Header, string(body)}, err
}

func (w *world) mustRaw(t testing.TB, r rawRequest) rawAnswer {
	t.Helper()
	got, err := w.raw(t.Context(), r)
	must(t, err)
	return got
}
