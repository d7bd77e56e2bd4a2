package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/host/internal/text/strictjson"
)

// The methods that the proxy reads. All others pass.
const (
	methodCall      = "tools/call"
	methodList      = "tools/list"
	methodCancelled = "notifications/cancelled"
	methodProgress  = "notifications/progress"
	methodChanged   = "notifications/tools/list_changed"
)

// member is one member of an object; start and end are the offsets of its value.
type member struct {
	name       string
	value      jsontext.Value
	start, end int
}

// members reads an object: strict JSON, each name once at any depth, nothing behind it. No name may
// differ from one of known in its case alone: some readers take both for the same.
func members(object jsontext.Value, known ...string) ([]member, error) {
	if object.Kind() != '{' {
		return nil, errors.New("want a JSON object")
	}
	in := jsontext.NewDecoder(bytes.NewReader(object))
	if _, err := in.ReadToken(); err != nil {
		return nil, strictjson.Explain(err)
	}
	var all []member
	for in.PeekKind() == '"' {
		name, err := in.ReadToken()
		if err != nil {
			return nil, strictjson.Explain(err)
		}
		m := member{name: name.String()}
		value, err := in.ReadValue()
		if err != nil {
			return nil, strictjson.Explain(err)
		}
		m.value, m.end = value.Clone(), int(in.InputOffset())
		m.start = m.end - len(value)
		for _, k := range known {
			if m.name != k && strings.EqualFold(m.name, k) {
				return nil, fmt.Errorf("member %.40q: want %q", m.name, k)
			}
		}
		all = append(all, m)
	}
	if _, err := in.ReadToken(); err != nil {
		return nil, strictjson.Explain(err)
	}
	if rest := bytes.Trim(object[in.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return nil, errors.New("data after the object")
	}
	return all, nil
}

// find is a member; the zero member when there is none.
func find(all []member, name string) member {
	for _, m := range all {
		if m.name == name {
			return m
		}
	}
	return member{}
}

// message is one message of JSON-RPC.
type message struct {
	raw    jsontext.Value
	id     jsontext.Value // nil for a notification
	method string         // empty for a response
	params jsontext.Value
	result member // of raw
	failed bool   // it has an error
}

// isRequest and isResponse name two of three kinds; a notification is the third.
func (m message) isRequest() bool  { return m.method != "" && m.id != nil }
func (m message) isResponse() bool { return m.method == "" }

// read reads one message.
func read(raw []byte) (message, error) {
	m := message{raw: raw}
	if m.raw.Kind() == '[' {
		return m, errors.New("a batch: send each message alone")
	}
	all, err := members(m.raw, "jsonrpc", "id", "method", "params", "result", "error")
	if err != nil {
		return m, err
	}
	m.id, m.params, m.result = find(all, "id").value, find(all, "params").value, find(all, "result")
	failure := find(all, "error").value
	m.failed = failure != nil && failure.Kind() != 'n'
	method := find(all, "method").value
	if method != nil {
		if m.method, err = text(method); err != nil || m.method == "" {
			return m, errors.New("method: want a string")
		}
	}
	if m.id != nil && key(m.id) == "" && !(m.failed && m.id.Kind() == 'n') {
		return m, errors.New("id: want a string or a number")
	}
	switch {
	case m.method == "" && m.id == nil:
		return m, errors.New("neither a request nor an answer")
	case m.method != "" && (m.result.value != nil || m.failed):
		return m, errors.New("a request and an answer in one")
	case m.method == "" && (m.result.value != nil) == m.failed:
		return m, errors.New("an answer needs either a result or an error")
	case m.method != methodCall && strings.EqualFold(strings.TrimSpace(m.method), methodCall):
		return m, fmt.Errorf("method %.40q: want %q", m.method, methodCall)
	}
	return m, nil
}

// text decodes a string. A missing value is an error.
func text(v jsontext.Value) (string, error) {
	if v.Kind() != '"' {
		return "", errors.New("want a string")
	}
	out, err := jsontext.AppendUnquote(nil, v)
	return string(out), err
}

// key identifies an id among the requests under way, however it is spelled; empty for anything
// but a string or a number. Numbers keep all digits.
func key(id jsontext.Value) string {
	switch id.Kind() {
	case '"':
		s, err := text(id)
		if err != nil {
			return ""
		}
		return "s" + s
	case '0':
		return "n" + string(id)
	}
	return ""
}

// toolCall is a tools/call as it is judged.
type toolCall struct {
	id   jsontext.Value
	name string
	// input are the arguments, {} for none.
	input jsontext.Value
	// progress is the token for notifications of progress; nil for none.
	progress jsontext.Value
	// meta are the members of _meta for the server, without the token.
	meta jsontext.Value
	// trace is the agent's trace (traceparent); empty for none.
	trace string
	// modern means a request of the revision 2026-07-28 or later.
	modern bool
	// state is the server's word in a repeated call; nil in a first one.
	state jsontext.Value
}

// modernPrefix begins the members of _meta that each request has since the revision 2026-07-28.
const modernPrefix = "io.modelcontextprotocol/"

// readCall reads a tools/call. With an error, id, progress and modern may be set.
func readCall(m message) (c toolCall, err error) {
	c.id = m.id
	all, err := members(m.params, "name", "arguments", "_meta", "task", "requestState", "inputResponses")
	if err != nil {
		return c, fmt.Errorf("params: %w", err)
	}
	if meta := find(all, "_meta").value; meta != nil {
		if err := c.readMeta(meta); err != nil {
			return c, fmt.Errorf("params._meta: %w", err)
		}
	}
	if c.name, err = text(find(all, "name").value); err != nil || c.name == "" {
		return c, errors.New("params.name: want the name of a tool")
	}
	c.input, c.state = find(all, "arguments").value, find(all, "requestState").value
	if c.input == nil {
		c.input = jsontext.Value("{}")
	}
	if c.input.Kind() != '{' {
		return c, errors.New("params.arguments: want a JSON object")
	}
	return c, nil
}

func (c *toolCall) readMeta(meta jsontext.Value) error {
	all, err := members(meta, "progressToken", "traceparent")
	if err != nil {
		return err
	}
	var kept []byte
	for _, m := range all {
		switch {
		case m.name == "progressToken" && key(m.value) != "":
			c.progress = m.value
		case m.name == "traceparent" && m.value.Kind() == '"':
			if c.trace, err = text(m.value); err != nil {
				return err
			}
		case strings.HasPrefix(m.name, modernPrefix):
			c.modern = true
			kept, err = jsontext.AppendQuote(append(kept, ','), m.name)
			if err != nil {
				return err
			}
			kept = append(append(kept, ':'), m.value...)
		}
	}
	if c.modern {
		c.meta = jsontext.Value("{" + string(kept[1:]) + "}")
	}
	return nil
}

// denial is the result of a call that does not run: the model reads it.
func (c toolCall) denial(why string) []byte {
	out := append([]byte(`{"jsonrpc":"2.0","id":`), c.id...)
	out = append(out, `,"result":{"content":[{"type":"text","text":`...)
	out = append(out, quote(why)...)
	out = append(out, `}],"isError":true`...)
	if c.modern {
		out = append(out, `,"resultType":"complete"`...)
	}
	return append(out, "}}"...)
}

// progressNote is the n-th notification of progress, from 1. Its steps are small, so that those of
// the server, after it, are larger.
func (c toolCall) progressNote(n int, words string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q,"params":{"progressToken":%s,"progress":%g,"message":%s}}`,
		methodProgress, c.progress, float64(n)/1e6, quote(words))
}

// The codes of JSON-RPC's errors.
const (
	codeParse    = -32700
	codeInvalid  = -32600
	codeInternal = -32603
)

// problem is an answer with an error; id nil stands for an unknown one.
func problem(id jsontext.Value, code int, words string) []byte {
	if id == nil {
		id = jsontext.Value("null")
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, quote(words))
}

// quote writes a string as JSON; invalid UTF-8 becomes the replacement character.
func quote(s string) []byte {
	out, _ := jsontext.AppendQuote(nil, s) // the error only says that bytes were replaced
	return out
}

// looseID is the id of a message that read refuses, so that its sender does not wait; nil when it
// has none.
func looseID(raw []byte) jsontext.Value {
	in := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if in.PeekKind() != '{' {
		return nil
	}
	_, _ = in.ReadToken() // it was just looked at
	for in.PeekKind() == '"' {
		name, err := in.ReadToken()
		if err != nil {
			return nil
		}
		is := name.String() == "id"
		value, err := in.ReadValue()
		if err != nil {
			return nil
		}
		if is && key(value) != "" {
			return value.Clone()
		}
	}
	return nil
}
