// Package webhooktest has an approver and a listener for tests of the connections to the
// operator's programs.
package webhooktest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/callgate/callgate/host/internal/approval/webhook"
)

// Post is one request as the server got it, its signature checked.
type Post struct {
	Event, ID string
	Body      []byte
}

// Server is a program of the operator's. Its methods are safe for concurrent use.
type Server struct {
	*httptest.Server
	SecretFile string
	secret     []byte

	mu    sync.Mutex
	posts []Post
}

// Answer says how to answer a post: the default is 200 with Body, signed.
type Answer struct {
	Status      int
	ContentType string
	Body        string
	// Signature replaces the right one; "-" sends none.
	Signature string
	Location  string
}

// New starts a server with answer for each post; nil answers 204.
func New(t *testing.T, answer func(p Post) Answer) *Server {
	t.Helper()
	s := &Server{secret: []byte("0123456789abcdef0123456789abcdef"), SecretFile: filepath.Join(t.TempDir(), "secret")}
	if err := os.WriteFile(s.SecretFile, append(s.secret, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("read the post: %v", err)
		}
		p := Post{Event: r.Header.Get(webhook.HeaderEvent), ID: r.Header.Get(webhook.HeaderRequest), Body: body}
		stamp := r.Header.Get(webhook.HeaderTimestamp)
		if got, want := r.Header.Get(webhook.HeaderSignature), webhook.SignRequest(s.secret, p.ID, stamp, body); got != want {
			t.Errorf("the post's signature: got %q, want %q", got, want)
		}
		if _, err := strconv.ParseInt(stamp, 10, 64); err != nil || p.ID == "" || r.Method != http.MethodPost {
			t.Errorf("%s with id %q at %q: want a POST with both", r.Method, p.ID, stamp)
		}
		s.mu.Lock()
		s.posts = append(s.posts, p)
		s.mu.Unlock()
		if answer == nil {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		s.give(w, p, answer(p))
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *Server) give(w http.ResponseWriter, p Post, a Answer) {
	if a.Status == 0 {
		a.Status = http.StatusOK
	}
	if a.ContentType == "" {
		a.ContentType = "application/json"
	}
	if a.Signature == "" {
		a.Signature = webhook.SignAnswer(s.secret, p.ID, []byte(a.Body))
	}
	w.Header().Set("Content-Type", a.ContentType)
	if a.Signature != "-" {
		w.Header().Set(webhook.HeaderSignature, a.Signature)
	}
	if a.Location != "" {
		w.Header().Set("Location", a.Location)
	}
	w.WriteHeader(a.Status)
	_, _ = io.WriteString(w, a.Body) // a client already gone has its answer
}

// Posts are the server's posts so far.
func (s *Server) Posts() []Post {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Post(nil), s.posts...)
}
