package protocol

import (
	"bytes"
	"encoding/json"
	"time"
)

// The content types of streams: of a check, and of events.
const (
	LinesType  = "application/x-ndjson"
	EventsType = "text/event-stream"
)

// WasmType is the content type of a module.
const WasmType = "application/wasm"

// Encode writes v as one line of JSON.
func Encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// SocketHost is the Host of requests over a socket, where there is none.
const SocketHost = "callgate"

// IdlePatience is how long the daemon keeps an idle connection.
const IdlePatience = 2 * time.Minute
