package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// otherModel is a scripted model behind the API of one vendor.
type otherModel struct {
	speak speech
	url   string
	// calls are those of the session, child those of its sub-agent, and childEnd the sub-agent's last
	// one, if it needs one.
	calls, child []modelCall
	childEnd     *modelCall

	mu        sync.Mutex
	told      []string
	childTold []string
	// childDone is closed when the sub-agent has its results: the session goes on only then.
	childDone chan struct{}
	once      sync.Once
}

// speech is a vendor's API.
type speech interface {
	// hear reads a request: the results of the calls so far, whether tools are offered, and whether
	// a sub-agent sends it.
	hear(body []byte) (told []string, tools, child bool)
	// say answers with a call, or nil for a text.
	say(w io.Writer, n int, call *modelCall)
}

// ServeHTTP implements http.Handler.
func (m *otherModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Method != http.MethodPost {
		http.NotFound(w, r)
		return
	}
	told, tools, child := m.speak.hear(body)
	calls, results := m.calls, &m.told
	if child {
		calls, results = m.child, &m.childTold
	}
	var next *modelCall
	if child && tools && len(told) == len(calls) {
		m.once.Do(func() { close(m.childDone) })
		next = m.childEnd
	}
	if n := len(told); !child && tools && n > 0 && calls[min(n, len(calls))-1].starts() {
		select {
		case <-m.childDone:
		case <-r.Context().Done():
		}
	}
	if tools {
		m.mu.Lock()
		*results = told
		m.mu.Unlock()
		if n := len(told); n < len(calls) {
			next = &calls[n]
		}
	}
	number := len(told)
	if child {
		number += 100 // one id stands for one call of the whole session
	}
	w.Header().Set("Content-Type", "text/event-stream")
	m.speak.say(w, number, next)
}

func (m *otherModel) results() []string      { m.mu.Lock(); defer m.mu.Unlock(); return m.told }
func (m *otherModel) childResults() []string { m.mu.Lock(); defer m.mu.Unlock(); return m.childTold }

// event writes a server-sent event of a JSON value.
func event(w io.Writer, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	var named struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(text, &named) == nil && named.Type != "" {
		fmt.Fprintf(w, "event: %s\n", named.Type)
	}
	fmt.Fprintf(w, "data: %s\n\n", text)
}

type object = map[string]any

// responses is OpenAI's API of that name, for Codex.
type responses struct{}

func (responses) hear(body []byte) (told []string, tools, child bool) {
	var r struct {
		Tools []json.RawMessage `json:"tools"`
		Input []struct {
			Type    string          `json:"type"`
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
			Output  json.RawMessage `json:"output"`
		} `json:"input"`
	}
	_ = json.Unmarshal(body, &r) // another shape has no tools
	for _, item := range r.Input {
		child = child || item.Role == "user" && bytes.Contains(item.Content, []byte(childPrompt))
		if strings.HasSuffix(item.Type, "_call_output") {
			told = append(told, string(item.Output))
		}
	}
	return told, len(r.Tools) > 0, child
}

func (responses) say(w io.Writer, n int, call *modelCall) {
	item := object{"type": "message", "role": "assistant", "id": "m", "content": []object{{"type": "output_text", "text": "Done."}}}
	switch {
	case call != nil && call.text != "":
		item = object{"type": "custom_tool_call", "id": fmt.Sprint("i", n), "call_id": fmt.Sprint("call_", n), "name": call.name, "input": call.text}
	case call != nil:
		item = object{"type": "function_call", "id": fmt.Sprint("i", n), "call_id": fmt.Sprint("call_", n), "name": call.name, "arguments": call.arguments()}
		if call.space != "" {
			item["namespace"] = call.space
		}
	}
	event(w, object{"type": "response.created", "response": object{"id": "r"}})
	event(w, object{"type": "response.output_item.done", "output_index": 0, "item": item})
	event(w, object{"type": "response.completed", "response": object{"id": "r", "usage": object{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}})
}

// generate is Google's API, for Gemini CLI.
type generate struct{}

func (generate) hear(body []byte) (told []string, tools, child bool) {
	var r struct {
		Tools    []json.RawMessage `json:"tools"`
		Contents []struct {
			Role  string `json:"role"`
			Parts []struct {
				Text   string `json:"text"`
				Result *struct {
					Response json.RawMessage `json:"response"`
				} `json:"functionResponse"`
			} `json:"parts"`
		} `json:"contents"`
	}
	_ = json.Unmarshal(body, &r) // another shape has no tools
	for _, content := range r.Contents {
		for _, part := range content.Parts {
			child = child || content.Role == "user" && strings.Contains(part.Text, childPrompt)
			if part.Result != nil {
				told = append(told, string(part.Result.Response))
			}
		}
	}
	return told, len(r.Tools) > 0, child
}

func (generate) say(w io.Writer, _ int, call *modelCall) {
	part := object{"text": "Done."}
	if call != nil {
		part = object{"functionCall": object{"name": call.name, "args": call.input}}
	}
	event(w, object{
		"candidates":    []object{{"content": object{"role": "model", "parts": []object{part}}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": object{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
	})
}

// chat is the API of chat completions, for opencode.
type chat struct{}

func (chat) hear(body []byte) (told []string, tools, child bool) {
	var r struct {
		Tools    []json.RawMessage `json:"tools"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	_ = json.Unmarshal(body, &r) // another shape has no tools
	for _, m := range r.Messages {
		switch m.Role {
		case "tool":
			told = append(told, string(m.Content))
		case "user":
			child = child || bytes.Contains(m.Content, []byte(childPrompt))
		}
	}
	return told, len(r.Tools) > 0, child
}

func (chat) say(w io.Writer, n int, call *modelCall) {
	delta, reason := object{"role": "assistant", "content": "Done."}, "stop"
	if call != nil {
		delta, reason = object{"role": "assistant", "tool_calls": []object{{
			"index": 0, "id": fmt.Sprint("call_", n), "type": "function", "function": object{"name": call.name, "arguments": call.arguments()},
		}}}, "tool_calls"
	}
	for _, choice := range []object{{"index": 0, "delta": delta}, {"index": 0, "delta": object{}, "finish_reason": reason}} {
		event(w, object{"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": []object{choice}})
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}
