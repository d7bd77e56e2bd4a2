package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/gate"
	"github.com/callgate/callgate/host/internal/store/mask"
	"github.com/callgate/callgate/host/wire"
)

// Approver puts asks to a program over HTTP. It implements gate.Callback and is
// safe for concurrent use.
type Approver struct {
	post    *poster
	timeout time.Duration
	name    string
}

// Options are for tests and embedders; the zero value is the usual.
type Options struct {
	// TLS replaces the system's trusted authorities.
	TLS *tls.Config
	// Now is the clock of timestamps; nil means time.Now.
	Now func() time.Time
}

// NewApprover returns the approver of a configuration's callback.
func NewApprover(c config.Callback, o Options) (*Approver, error) {
	p, err := newPoster(c.URL, c.SecretFile, o.TLS, o.Now)
	if err != nil {
		return nil, fmt.Errorf("callback %w", err)
	}
	u, err := url.Parse(c.URL)
	if err != nil {
		return nil, fmt.Errorf("callback url: %w", err)
	}
	return &Approver{post: p, timeout: time.Duration(c.Timeout), name: "callback " + u.Host}, nil
}

// Name implements gate.Callback: "callback HOST".
func (a *Approver) Name() string { return a.name }

// The bounds of an answer, in bytes: of all of it, of its reason, and of the quotation of an
// unexpected one.
const (
	maxAnswer = 64 << 10
	maxReason = 2000
	maxNamed  = 200
)

// Decide implements gate.Callback. An answer outside the contract comes back as Unexpected, and
// a missing one as an error; both deny.
func (a *Approver) Decide(ctx context.Context, r wire.CallbackRequest) (engine.CallbackAnswer, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return engine.CallbackAnswer{}, fmt.Errorf("the ask could not be written: %w", err)
	}
	if a.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, a.timeout)
		defer cancel()
	}
	resp, id, secret, err := a.post.post(ctx, "callback", "", body)
	if err != nil {
		return engine.CallbackAnswer{}, unanswered(err)
	}
	defer func() { _ = resp.Body.Close() }() // the relevant part was read
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return engine.CallbackAnswer{}, unanswered(err)
	case len(text) > maxAnswer:
		return unexpected(fmt.Sprintf("more than %d bytes", maxAnswer)), nil
	case resp.StatusCode != http.StatusOK:
		return unexpected(fmt.Sprintf("status %d", resp.StatusCode)), nil
	}
	if kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return unexpected(fmt.Sprintf("content type %q", named(resp.Header.Get("Content-Type")))), nil
	}
	if !authentic(secret, id, text, resp.Header.Get(HeaderSignature)) {
		return unexpected("an answer without a signature for this request"), nil
	}
	return ReadAnswer(text), nil
}

// unanswered tells why there is no answer.
func unanswered(err error) error {
	if timedOut(err) {
		return gate.ErrCallbackLate
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // without the address, private to the operator
	}
	return err
}

// answer is an approver's answer.
type answer struct {
	Behavior *string        `json:"behavior"`
	Reason   *string        `json:"reason"`
	Value    jsontext.Value `json:"value"`
}

// ReadAnswer reads an approver's answer: {"behavior": "allow"}, with any "value",
// {"behavior": "deny"}, with a "reason" or without. Every other text is unexpected,
// and named.
func ReadAnswer(text []byte) engine.CallbackAnswer {
	var a answer
	if trimmed := bytes.TrimLeft(text, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return unexpected(named(string(text)))
	}
	err := jsonv2.Unmarshal(text, &a, jsonv2.RejectUnknownMembers(true))
	switch {
	case err != nil || a.Behavior == nil:
	case *a.Behavior == "allow" && a.Reason == nil:
		return engine.CallbackAnswer{Behavior: engine.Allow}
	case *a.Behavior == "deny" && a.Value == nil && (a.Reason == nil || len(*a.Reason) <= maxReason):
		if a.Reason == nil {
			return engine.CallbackAnswer{}
		}
		return engine.CallbackAnswer{Reason: strings.Join(strings.Fields(*a.Reason), " ")}
	}
	return unexpected(named(string(text)))
}

func unexpected(what string) engine.CallbackAnswer { return engine.CallbackAnswer{Unexpected: what} }

// masker hides secrets in quotations of an answer; these are never compared.
var masker mask.Masker

// named is the beginning of an answer, on one line, with secrets masked.
func named(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	if text == "" {
		return "nothing"
	}
	text = string(masker.JSON([]byte(text)))
	if len(text) > maxNamed {
		text = strings.ToValidUTF8(text[:maxNamed], "") + "…"
	}
	return text
}
