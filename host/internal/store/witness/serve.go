package witness

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/callgate/callgate/host/internal/store/proof"
)

// The bounds of a request: a proof has at most 63 hashes.
const (
	maxPath = 63
	maxBody = proof.MaxCheckpoint + maxPath*64
)

// request is the body of POST /add-checkpoint: the size signed last, the proof, the checkpoint.
type request struct {
	old        int64
	path       tlog.TreeProof
	checkpoint string
}

// origin is the first line of the checkpoint.
func (r request) origin() string {
	first, _, _ := strings.Cut(r.checkpoint, "\n")
	return first
}

// parse reads a body.
func parse(body string) (r request, err error) {
	head, checkpoint, found := strings.Cut(body, "\n\n")
	first, path, _ := strings.Cut(head, "\n")
	size, isOld := strings.CutPrefix(first, "old ")
	if r.old, err = strconv.ParseInt(size, 10, 64); !found || !isOld || err != nil || strconv.FormatInt(r.old, 10) != size || r.old < 0 {
		return r, fmt.Errorf("%w: want the line \"old SIZE\", the proof, an empty line, and the checkpoint", errRequest)
	}
	for line := range strings.Lines(path) {
		hash, err := base64.StdEncoding.Strict().DecodeString(strings.TrimSuffix(line, "\n"))
		if err != nil || len(hash) != tlog.HashSize || len(r.path) == maxPath {
			return r, fmt.Errorf("%w: want at most %d hashes of %d bytes in base64", errRequest, maxPath, tlog.HashSize)
		}
		r.path = append(r.path, tlog.Hash(hash))
	}
	r.checkpoint = checkpoint
	return r, nil
}

// Handler answers POST /add-checkpoint.
func (w *Witness) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /add-checkpoint", w.serve)
	return mux
}

func (w *Witness) serve(out http.ResponseWriter, in *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(out, in.Body, maxBody))
	if err != nil {
		http.Error(out, "the body is too long, or was cut off", http.StatusRequestEntityTooLarge)
		return
	}
	r, err := parse(string(body))
	var line string
	var size int64
	if err == nil {
		line, size, err = w.add(r)
	}
	if err == nil {
		_, _ = io.WriteString(out, line) // a lost client asks again
		return
	}
	if errors.Is(err, errSize) {
		out.Header().Set("Content-Type", "text/x.tlog.size")
		out.WriteHeader(http.StatusConflict)
		_, _ = fmt.Fprintf(out, "%d\n", size) // as above
		return
	}
	for _, answer := range []struct {
		err    error
		status int
	}{{errRequest, http.StatusBadRequest}, {errUnknown, http.StatusNotFound}, {errKey, http.StatusForbidden}, {errFork, http.StatusConflict}, {errNotProof, http.StatusUnprocessableEntity}} {
		if errors.Is(err, answer.err) {
			http.Error(out, err.Error(), answer.status)
			return
		}
	}
	w.c.Log.Error("a checkpoint could not be signed", "error", err)
	http.Error(out, "the witness could not sign", http.StatusInternalServerError)
}
