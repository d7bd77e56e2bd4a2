package api_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"testing"
)

// rawRequest is a hand-written request, without the client.
type rawRequest struct {
	method, path string
	token        string // a name, "" for none
	secret       string // instead of token: the text to send
	body         string
	accept       string
	contentType  string // "-" sends none; "" is application/json
	host         string
	header       map[string]string
	// socket sends over the socket in place of the port.
	socket bool
	// ended, possibly nil, reports by the head that the body is not read.
	ended func(head rawAnswer) bool
}

type rawAnswer struct {
	status int
	header http.Header
	body   string
}

// impatient keeps no connection, so none is open and unused at a shutdown.
var impatient = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// raw sends over the port, or the socket.
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
	sender := impatient
	if r.socket {
		dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", w.socket)
		}
		sender = &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: dial}}
	}
	resp, err := sender.Do(req)
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
