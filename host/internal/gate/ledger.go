package gate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// answerLife is how long an answer holds for a call that comes back under its id before its
// end, and how long an unfinished call may still move things.
const answerLife = 10 * time.Minute

// CodeCallIDReused is the code of a denial because the call's id stood for
// another call before. Threat T10.
const CodeCallIDReused = string(ask.CauseReused)

// CodeSessionStopped is the code of a denial because the session was stopped.
const CodeSessionStopped = string(ask.CauseStopped)

// inputDigest identifies a call in any directory: Digest without the cwd.
func inputDigest(tool string, input json.RawMessage) string { return Digest(tool, input, "") }

// recall answers a call from an earlier judgement, where possible, and otherwise leaves it in
// c.before. A true means: the result is final.
func (g *Gate) recall(ctx context.Context, c *call) (wire.Result, bool) {
	if why := g.c.Asks.Stopped(c.key().Session); why != "" {
		return c.stopped(why), true
	}
	before, found, err := g.lookUp(ctx, c)
	switch {
	case err != nil:
		return c.failed(err.Error()), true
	case !found:
		return wire.Result{}, false
	case before.InputDigest != inputDigest(c.entry.Name, c.req.Call.Input):
		if res, lost := g.lostEdit(ctx, c, before); lost {
			return res, true
		}
		return g.reused(c), true
	case !c.request.Reports && !c.request.FollowsUp, before.Digest != c.digest, !before.FinishedAt.IsZero(), g.c.Now().Sub(before.JudgedAt) >= answerLife:
		return wire.Result{}, false // judged anew
	}
	c.before = before
	if before.Outcome != store.AskDenied || before.AskID == "" { // a callback decides anew
		return wire.Result{}, false
	}
	res, err := g.deniedAgain(ctx, c, before)
	if err != nil {
		return c.failed(err.Error()), true
	}
	return res, true
}

// lookUp finds the judged call with this id, or followed up by this one.
func (g *Gate) lookUp(ctx context.Context, c *call) (call store.Call, found bool, err error) {
	k := c.key()
	err = store.ErrNotFound
	if c.request.FollowsUp {
		call, err = g.c.Store.OpenCall(ctx, k.Token, k.Session, inputDigest(c.entry.Name, c.req.Call.Input), g.c.Now().Add(-answerLife))
	}
	if c.request.CallID != "" && errors.Is(err, store.ErrNotFound) {
		call, err = g.c.Store.Call(ctx, k)
	}
	if errors.Is(err, store.ErrNotFound) {
		return call, false, nil
	}
	return call, err == nil, err
}

func (c *call) stopped(why string) wire.Result {
	d := denied(CodeSessionStopped, "this session is stopped: "+why)
	d.Message = fmt.Sprintf("The %s call was not run: this session is stopped, because %s. A person resumes it with `%s`.",
		c.req.Call.Tool, why, ask.Resume(c.key().Session))
	return c.result(d)
}

// reused denies a call with the id of another one, and reports it.
func (g *Gate) reused(c *call) wire.Result {
	g.c.Log.Warn("a call id was used for another call: denied", "token", c.caller.Token, "session", c.key().Session, "call", c.id, "tool", c.req.Call.Tool)
	return c.result(denied(CodeCallIDReused, "its call id was used before for another call; send a new call id"))
}

// deniedAgain repeats a person's denial of the call.
func (g *Gate) deniedAgain(ctx context.Context, c *call, before store.Call) (wire.Result, error) {
	a, err := g.c.Asks.Get(ctx, before.AskID)
	if err != nil {
		return wire.Result{}, fmt.Errorf("look up ask %s: %w", before.AskID, err)
	}
	out := ask.OutcomeOf(&a)
	if a.State != ask.Denied {
		return wire.Result{}, fmt.Errorf("ask %s is not the denial of this call", a.ID)
	}
	return c.refused(a.Decision, out), nil
}

// approvedBefore repeats a person's approval, if the call is still the approved ask; false
// means: it has to be asked anew, with the changes.
func (g *Gate) approvedBefore(ctx context.Context, c *call, d engine.Decision) (wire.Result, []string, bool) {
	if c.before.Outcome != store.AskApproved {
		return wire.Result{}, nil, false
	}
	a, err := g.c.Asks.Get(ctx, c.before.AskID)
	out := ask.OutcomeOf(&a)
	if err != nil || !out.Approved() || a.Token != c.caller.Token || a.Session != c.key().Session || a.Digest != c.digest {
		return wire.Result{}, nil, false
	}
	if changed := g.changed(ctx, &a, c, d); len(changed) > 0 {
		return wire.Result{}, append(changed, moduleDifference(&a, c)...), false
	}
	return c.approved(d, out), nil, true
}

// judged is the ledger's line of a result; nil for a call without an id.
func (g *Gate) judged(c *call, res wire.Result) *store.Call {
	if c.request.CallID == "" || res.Decision.Code == CodeCallIDReused {
		return nil
	}
	at := c.req.Call.Context
	line := &store.Call{
		Key:   ask.Key{Token: c.caller.Token, Session: at.Session, CallID: c.request.CallID},
		Agent: at.Agent, SubAgent: c.request.Context.SubAgent, Tool: c.entry.Name, CWD: at.CWD, InputDigest: inputDigest(c.entry.Name, c.req.Call.Input), Digest: c.digest,
		Behavior: res.Decision.Behavior, Outcome: res.Outcome, AskID: res.AskID, JudgedAt: g.c.Now(),
		Moves: c.moves() && !c.request.FollowsUp, // the followed call moves; this one's end is never reported
	}
	if line.AskID != "" && line.AskID == c.before.AskID {
		line.JudgedAt = c.before.JudgedAt // the same answer does not live longer for being given again
	}
	return line
}

// Digest identifies a call: the SHA-256, in hex, over the tool's canonical
// name, its input as StrictObject returns it with its numbers in one spelling,
// and the cwd.
func Digest(tool string, input json.RawMessage, cwd string) string {
	h := sha256.New()
	var number [20]byte
	for _, part := range [...][]byte{[]byte(tool), evenNumbers(input), []byte(cwd)} {
		h.Write(append(strconv.AppendInt(number[:0], int64(len(part)), 10), ':'))
		h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// evenNumbers writes the numbers of an input with a fraction, an exponent or a negative zero in
// one way each, so that 1.0, 10e-1 and 1 are one number: a client keeping its calls as values
// writes them anew. Plain integers stay, at any length.
func evenNumbers(input []byte) []byte {
	if !hasNumber(input) {
		return input
	}
	dec := jsontext.NewDecoder(bytes.NewReader(input), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	var out []byte
	done := 0
	for {
		if dec.PeekKind() != '0' {
			if _, err := dec.ReadToken(); err != nil {
				break
			}
			continue
		}
		value, err := dec.ReadValue()
		if err != nil {
			break
		}
		if number := string(value); strings.ContainsAny(number, ".eE") || number == "-0" {
			end := int(dec.InputOffset())
			out = append(append(out, input[done:end-len(number)]...), evenNumber(number)...)
			done = end
		}
	}
	if done == 0 {
		return input
	}
	return append(out, input[done:]...)
}

// hasNumber reports whether there is a number in a strict JSON text.
func hasNumber(input []byte) bool {
	quoted := false
	for i := 0; i < len(input); i++ {
		switch c := input[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case !quoted && (c == '-' || c >= '0' && c <= '9'):
			return true
		}
	}
	return false
}

// evenNumber writes a JSON number as an integer if it is one of at most 400
// digits, else as its digits without zeros at either end, and an exponent.
func evenNumber(number string) string {
	digits, sign := strings.CutPrefix(number, "-")
	exponent := 0
	if at := strings.IndexAny(digits, "eE"); at >= 0 {
		n, err := strconv.Atoi(digits[at+1:])
		if err != nil {
			return number
		}
		digits, exponent = digits[:at], n
	}
	if whole, fraction, ok := strings.Cut(digits, "."); ok {
		digits, exponent = whole+fraction, exponent-len(fraction)
	}
	short := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(short)
	short = strings.TrimLeft(short, "0")
	if short == "" {
		return "0"
	}
	if exponent >= 0 && exponent+len(short) <= 400 {
		short += strings.Repeat("0", exponent)
	} else {
		short += "e" + strconv.Itoa(exponent)
	}
	if sign {
		short = "-" + short
	}
	return short
}
