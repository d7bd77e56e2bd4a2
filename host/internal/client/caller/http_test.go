package caller_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/client/caller"
)

// answers are answers of a daemon, and their bodies; those without are refused.
var answers = map[string]struct{ text, body string }{
	"length":                {"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: 3\r\n\r\nabc", "abc"},
	"no reason":             {"HTTP/1.1 403\r\nContent-Length: 1\r\n\r\nx", "x"},
	"chunks":                {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n", "abc0123456789"},
	"another version":       {"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", ""},
	"status 100":            {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", ""},
	"status +20":            {"HTTP/1.1 +20 OK\r\nContent-Length: 1\r\n\r\nx", ""},
	"status of four":        {"HTTP/1.1 2000 OK\r\nContent-Length: 1\r\n\r\nx", ""},
	"until the end":         {"HTTP/1.1 200 OK\r\n\r\nx", ""},
	"line feeds":            {"HTTP/1.1 200 OK\nContent-Length: 1\n\nx", ""},
	"a header twice":        {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\ncontent-length: 2\r\n\r\nxy", ""},
	"length and chunks":     {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", ""},
	"another coding":        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", ""},
	"a folded header":       {"HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 1\r\n\r\nx", ""},
	"a blank in a name":     {"HTTP/1.1 200 OK\r\nContent-Length : 1\r\n\r\nx", ""},
	"a signed length":       {"HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\nx", ""},
	"too short":             {"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc", ""},
	"a chunk too short":     {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabc", ""},
	"a chunk too long":      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n", ""},
	"no last chunk":         {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", ""},
	"no end of last chunk":  {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n", ""},
	"trailers":              {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX: y\r\n\r\n", ""},
	"nothing":               {"", ""},
	"a head that ends soon": {"HTTP/1.1 200 OK\r\nContent-Le", ""},
	"an endless head":       {"HTTP/1.1 200 OK\r\n" + strings.Repeat("X", 70<<10), ""},
}

// TestTraceparent: a trace that is no W3C header becomes no line of the request.
func TestTraceparent(t *testing.T) {
	t.Parallel()
	good := "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	for _, text := range []string{"", good[1:], good + "0", strings.ToUpper(good), strings.Replace(good, "-", "_", 1), good[:54] + "\n", "\r\n" + good[2:], strings.Repeat("-", 55)} {
		if got := caller.Traceparent(text); got != "" {
			t.Errorf("%q: got %q, want none", text, got)
		}
	}
	if got := caller.Traceparent(good); got != good {
		t.Errorf("got %q, want %q", got, good)
	}
}

func TestReadAnswer(t *testing.T) {
	t.Parallel()
	for name, tc := range answers {
		_, _, body, err := caller.ReadAnswer(strings.NewReader(tc.text))
		if (err == nil) != (tc.body != "") || err == nil && string(body) != tc.body {
			t.Errorf("%s: got %q, %v, want %q", name, body, err, tc.body)
		}
	}
}

// TestReadAnswer_cut: an answer cut anywhere is never taken for whole, and is recognised as
// cut.
func TestReadAnswer_cut(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"length", "chunks"} {
		text := answers[name].text
		for n := range len(text) {
			_, _, _, err := caller.ReadAnswer(strings.NewReader(text[:n]))
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s, %d bytes: got %v", name, n, err)
			}
		}
	}
}

// FuzzReadAnswer: an accepted answer means the same to net/http.
func FuzzReadAnswer(f *testing.F) {
	for _, tc := range answers {
		f.Add([]byte(tc.text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		status, header, body, err := caller.ReadAnswer(bytes.NewReader(text))
		if err != nil {
			return
		}
		resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(text)), &http.Request{Method: "POST"})
		if err != nil {
			t.Fatalf("%q: net/http: %v", text, err)
		}
		theirs, err := io.ReadAll(resp.Body)
		if bodyless := status == http.StatusNoContent || status == http.StatusNotModified; bodyless {
			theirs, err = body, nil
		}
		if err != nil || status != resp.StatusCode || !bytes.Equal(body, theirs) {
			t.Fatalf("%q: got %d, %q; net/http %d, %q, %v", text, status, body, resp.StatusCode, theirs, err)
		}
		for _, name := range []string{"content-type", "callgate-mac"} {
			if header[name] != resp.Header.Get(name) {
				t.Fatalf("%q: %s: got %q, net/http %q", text, name, header[name], resp.Header.Get(name))
			}
		}
	})
}
