package discordtest

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// Signing says how a request to the endpoint is signed; the zero value is right.
type Signing struct {
	// Bad signs with another key; None sends no signature; Tamper changes the body after
	// signing it.
	Bad, None, Tamper bool
	// Age makes the timestamp so old, or, negative, so far ahead.
	Age time.Duration
	// Timestamp stands in its place, unless empty.
	Timestamp string
}

// SetEndpoint sends interactions to a URL from now on, and no longer by the gateway, if
// it passes Discord's check: a signed ping gets a pong, a badly signed one a 401. An
// empty URL goes back to the gateway.
func (s *Server) SetEndpoint(ctx context.Context, url string) error {
	if url != "" {
		ping, _ := json.Marshal(object{"id": "1", "application_id": s.Application, "type": typePing, "token": "ping", "version": 1}) // plain data
		status, body, err := s.PostSigned(ctx, url, ping, Signing{})
		var pong struct{ Type int }
		if err != nil || status != 200 || json.Unmarshal(body, &pong) != nil || pong.Type != AnswerPong {
			return fmt.Errorf("discordtest: the endpoint did not answer a ping: HTTP %d %.200s: %w", status, body, orNil(err))
		}
		if status, body, err = s.PostSigned(ctx, url, ping, Signing{Bad: true}); err != nil || status != 401 {
			return fmt.Errorf("discordtest: the endpoint did not refuse a bad signature: HTTP %d %.200s: %w", status, body, orNil(err))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endpoint = url
	return nil
}

// errWrong stands for a wrong answer.
var errWrong = fmt.Errorf("the answer is wrong")

func orNil(err error) error {
	if err == nil {
		return errWrong
	}
	return err
}

// PostSigned posts any body to an endpoint as Discord does, and returns its answer.
func (s *Server) PostSigned(ctx context.Context, url string, body []byte, how Signing) (int, []byte, error) {
	timestamp := how.Timestamp
	if timestamp == "" {
		timestamp = strconv.FormatInt(s.opts.Now().Add(-how.Age).Unix(), 10)
	}
	key := s.key
	if how.Bad {
		key = ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	}
	signature := hex.EncodeToString(ed25519.Sign(key, append([]byte(timestamp), body...)))
	if how.Tamper {
		body = append(bytes.Clone(body), ' ')
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Discord-Interactions/1.0 (+https://discord.com)")
	r.Header.Set("X-Signature-Timestamp", timestamp)
	if !how.None {
		r.Header.Set("X-Signature-Ed25519", signature)
	}
	transport := &http.Transport{DisableKeepAlives: true} // leaves no connection behind
	resp, err := (&http.Client{Transport: transport}).Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxRequest))
	return resp.StatusCode, data, err
}

// postInteraction sends one to the endpoint and takes its answer from there; 202 leaves
// it to a callback by REST.
func (s *Server) postInteraction(ctx context.Context, url string, i *interaction, payload any) error {
	body, err := json.Marshal(payload)
	if err != nil {
		panic(err) // plain data
	}
	ctx, cancel := context.WithTimeout(ctx, s.opts.AckWithin)
	defer cancel()
	status, answered, err := s.PostSigned(ctx, url, body, Signing{})
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case i.answered != 0: // by a callback, meanwhile
		return nil
	case err == nil && status == http.StatusAccepted:
		return nil
	case err != nil || status != http.StatusOK:
		s.expire(i)
		return fmt.Errorf("%w: HTTP %d %.200s (%v)", ErrNoAnswer, status, answered, err)
	}
	c := &call{method: http.MethodPost, route: "the endpoint's answer"}
	if refused := s.respond(c, i, answered); refused != nil {
		s.expire(i)
		return fmt.Errorf("%w: the endpoint's answer breaks Discord's rules: %s", ErrNoAnswer, refused.bytes())
	}
	return nil
}
