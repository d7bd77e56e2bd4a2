package link

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"strings"
	"time"
	"unicode"
)

// answerError makes an Error of a failed answer. It takes only Discord's number and sentence,
// never quotations in them.
func answerError(what string, status int, body []byte, err error) *Error {
	if status == 0 {
		return &Error{What: what, Err: withoutAddress(err)}
	}
	e := &Error{What: what, Status: status}
	if status/100 == 2 {
		e.Err = withoutAddress(err)
		return e
	}
	var said struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	if json.Unmarshal(body, &said) == nil {
		e.Code, e.Message = said.Code, plainly(said.Message)
	}
	return e
}

// unsound is the error of an invalid, unsent message.
func unsound(what string, err error) error {
	return &Error{What: what, Err: fmt.Errorf("%w: %w", ErrUnsound, err)}
}

// withoutAddress removes the address: it holds the token of an interaction.
func withoutAddress(err error) error {
	var in *url.Error
	for errors.As(err, &in) {
		err = in.Err
	}
	if err == nil {
		return errors.New("no answer")
	}
	return err
}

// plainly is a sentence of Discord's on one line, and not long.
func plainly(text string) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return ' '
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > 200 {
		text = string(runes[:200]) + "…"
	}
	return text
}

// neverSent reports that a call did not reach the server, so a repetition is safe.
func neverSent(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// pause grows with the tries, and is not the same for all.
func pause(tries int) time.Duration {
	d := firstPause << min(tries-1, 6)
	return d/2 + rand.N(d)
}

// ended is the error of a call whose context ended first.
func (j *job) ended(cause error) error {
	e := Error{What: j.what, Err: cause}
	if j.last != nil {
		e = *j.last
		e.Err = cause
	}
	return &e
}

// late is the error of a call due only after its context's end.
func (j *job) late(wait time.Duration) error {
	e := Error{What: j.what, Status: 429, Message: "Discord takes no more of these for now"}
	if j.last != nil {
		e = *j.last
	}
	e.RetryAfter, e.Err = wait, context.DeadlineExceeded
	return &e
}
