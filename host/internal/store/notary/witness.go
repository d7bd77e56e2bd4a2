package notary

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/callgate/callgate/host/internal/store/proof"
)

// Address is where a witness answers (C2SP tlog-witness), and its key.
type Address struct {
	URL string
	Key proof.Witness
}

// The bounds of a witness's answer.
const (
	witnessPatience = 10 * time.Second
	maxAnswer       = 16 << 10
)

// witness is one of another machine. known belongs to the holder of cosigning.
type witness struct {
	at     Address
	client *http.Client
	known  int64 // the size that it has signed last, as far as we know

	mu    sync.Mutex
	state proof.WitnessState
}

func newWitness(at Address) *witness {
	transport := &http.Transport{
		DialContext: (&net.Dialer{Timeout: witnessPatience}).DialContext, TLSHandshakeTimeout: witnessPatience,
		MaxResponseHeaderBytes: maxAnswer, DisableCompression: true, IdleConnTimeout: 2 * every,
	}
	client := &http.Client{Transport: transport, Timeout: witnessPatience, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &witness{at: at, client: client, state: proof.WitnessState{Name: at.Key.Name(), Key: at.Key.String(), URL: at.URL}}
}

// keys are the witnesses' public keys.
func (n *Notary) keys() (out []proof.Witness) {
	for _, w := range n.witnesses {
		out = append(out, w.at.Key)
	}
	return out
}

func (n *Notary) states() []proof.WitnessState {
	out := []proof.WitnessState{}
	for _, w := range n.witnesses {
		w.mu.Lock()
		out = append(out, w.state)
		w.mu.Unlock()
	}
	return out
}

// cosign has the witnesses sign a checkpoint they have not signed, and keeps it with the signatures
// of those that did. It is for the one goroutine of Run.
func (n *Notary) cosign(ctx context.Context, s sealed) {
	lines := make([]string, len(n.witnesses))
	var wg sync.WaitGroup
	news := false
	for i, w := range n.witnesses {
		if news = news || w.known != s.Size; w.known == s.Size {
			continue
		}
		wg.Go(func() { lines[i] = n.ask(ctx, w, s) })
	}
	wg.Wait()
	if !news {
		return
	}
	text := s.text
	if strings.HasPrefix(s.tree.Seen, text) { // of those that signed it before
		text = s.tree.Seen
	}
	text += strings.Join(lines, "")
	signed, err := proof.Open(text, s.key, n.keys()...)
	if err == nil && len(signed.Witnesses) > 0 {
		err = n.c.Store.SaveCheckpoint(ctx, s.Size, text, true)
	}
	if err != nil && ctx.Err() == nil {
		n.c.Log.Warn("the signatures of the witnesses could not be stored", "error", err)
	}
}

// ask has one witness sign, notes the outcome, and returns its line.
func (n *Notary) ask(ctx context.Context, w *witness, s sealed) string {
	line, err := w.add(ctx, s, n.c.Store.TreeHashes(ctx))
	if ctx.Err() != nil {
		return line
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.state.Error
	if err == nil {
		w.state.At, w.state.Rows, w.state.Error = n.c.Now().UTC(), s.Size, ""
		if before != "" {
			n.c.Log.Info("the witness signs again", "witness", w.state.Name)
		}
		return line
	}
	w.state.Error = err.Error()
	if before != w.state.Error {
		n.c.Log.Warn("a witness did not sign the audit's checkpoint; calls are decided as before", "witness", w.state.Name, "error", err)
	}
	return ""
}

// add sends a checkpoint, once more when the witness knows another size than we thought.
func (w *witness) add(ctx context.Context, s sealed, hashes tlog.HashReader) (string, error) {
	line, other, err := w.post(ctx, s, hashes)
	if err == nil && other >= 0 {
		w.known = other
		line, other, err = w.post(ctx, s, hashes)
		if err == nil && other >= 0 {
			err = errors.New("it has signed another size again: another log may use the same name")
		}
	}
	if err == nil {
		w.known = s.Size
	}
	return line, err
}

// post sends a checkpoint with the proof that it extends the one the witness knows. other is the
// size that the witness knows instead; -1 for a signature.
func (w *witness) post(ctx context.Context, s sealed, hashes tlog.HashReader) (line string, other int64, err error) {
	if w.known > s.Size {
		return "", -1, fmt.Errorf("it has signed %d rows, and the audit has %d: rows were lost, or the store was restored", w.known, s.Size)
	}
	body := "old " + strconv.FormatInt(w.known, 10) + "\n"
	if w.known > 0 {
		path, err := tlog.ProveTree(s.Size, w.known, hashes)
		if err != nil {
			return "", -1, err
		}
		for _, h := range path {
			body += base64.StdEncoding.EncodeToString(h[:]) + "\n"
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(w.at.URL, "/")+"/add-checkpoint", strings.NewReader(body+"\n"+s.text))
	if err != nil {
		return "", -1, err
	}
	resp, err := w.client.Do(req)
	if err != nil {
		return "", -1, err
	}
	defer func() { _ = resp.Body.Close() }() // read to its bound
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return "", -1, err
	}
	return w.read(resp, string(answer), s)
}

// read reads a witness's answer.
func (w *witness) read(resp *http.Response, answer string, s sealed) (line string, other int64, err error) {
	switch {
	case resp.StatusCode == http.StatusConflict && resp.Header.Get("Content-Type") == "text/x.tlog.size":
		size, err := strconv.ParseInt(strings.TrimSuffix(answer, "\n"), 10, 64)
		if err != nil || size < 0 {
			return "", -1, fmt.Errorf("it answered the size %.40q", answer)
		}
		return "", size, nil
	case resp.StatusCode == http.StatusNotFound:
		return "", -1, errors.New("it does not know this log: give it the key of callgate audit key")
	case resp.StatusCode == http.StatusForbidden:
		return "", -1, errors.New("it does not accept the key of this log: give it the one of callgate audit key")
	case resp.StatusCode == http.StatusUnprocessableEntity, resp.StatusCode == http.StatusConflict:
		return "", -1, errors.New("it has signed another history of this log: the audit was rewritten")
	case resp.StatusCode != http.StatusOK:
		return "", -1, fmt.Errorf("it answered with status %d", resp.StatusCode)
	}
	// A witness may sign with several keys: only the line of the known one is kept.
	for each := range strings.Lines(answer) {
		signed, err := proof.Open(s.text+each, s.key, w.at.Key)
		if err == nil && len(signed.Witnesses) == 1 {
			return each, -1, nil
		}
	}
	return "", -1, errors.New("its signature does not count: compare its key with audit.witnesses in the configuration")
}
