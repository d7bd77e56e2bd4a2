package cli

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/callgate/callgate/host/internal/approval/webhook"
)

// scriptSecret is the secret of the scripts' approver.
const scriptSecret = "0123456789abcdef0123456789abcdef"

// approver runs a callback approver and webhook for the script: it answers each ask with the
// current content of the file answer.json, signed, and adds each post to posts.jsonl. $APPROVER
// is its address; its secret is in the file secret.
func approver(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 0 {
		ts.Fatalf("usage: approver")
	}
	ts.Check(os.WriteFile(ts.MkAbs("secret"), []byte(scriptSecret+"\n"), 0o600))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	answer, posts := ts.MkAbs("answer.json"), ts.MkAbs("posts.jsonl")
	ts.Check(os.WriteFile(posts, nil, 0o600))
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		id := r.Header.Get(webhook.HeaderRequest)
		if err != nil || r.Header.Get(webhook.HeaderSignature) != webhook.SignRequest([]byte(scriptSecret), id, r.Header.Get(webhook.HeaderTimestamp), body) {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		f, err := os.OpenFile(posts, os.O_APPEND|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = f.WriteString(r.Header.Get(webhook.HeaderEvent) + " " + string(body) + "\n")
			_ = f.Close() // a missing line fails the script
		}
		text, readErr := os.ReadFile(answer)
		if err != nil || readErr != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		said := []byte(strings.TrimSpace(string(text)))
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set(webhook.HeaderSignature, webhook.SignAnswer([]byte(scriptSecret), id, said))
		_, _ = w.Write(said) // a client already gone has its answer
	})}
	go func() { _ = server.Serve(listener) }()
	ts.Defer(func() { _ = server.Shutdown(context.Background()) })
	ts.Setenv("APPROVER", "http://"+listener.Addr().String())
}
