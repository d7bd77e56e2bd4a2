package link

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// guard looks at each message of the gateway before discordgo does. discordgo trusts its input:
// a heartbeat interval of 0, "null", or a server without a body panics in a goroutine of its
// own and ends the process, an invalid session is answered with an IDENTIFY at once (1000 of
// them in a day, and Discord resets the token), and the code of a close is only in its log
// (pitfalls 1, 4, 7, 16).
//
// It hands on only messages written anew from parsed ones, so discordgo reads nothing
// unchecked. RATIONALE.md, "How is discordgo kept from ending the process?".
type guard struct {
	resuming bool
	greeted  bool
	ready    bool
	interval time.Duration
	begun    readyData
}

// readyData are the needed parts of a READY.
type readyData struct {
	SessionID string `json:"session_id"`
	ResumeURL string `json:"resume_gateway_url"`
}

// packet is a message of the gateway.
type packet struct {
	Op   *int            `json:"op"`
	Seq  *int64          `json:"s"`
	Type string          `json:"t"`
	Data json.RawMessage `json:"d"`
}

// handed is a message as discordgo gets it.
type handed struct {
	Op   int             `json:"op"`
	Seq  int64           `json:"s,omitempty"`
	Type string          `json:"t,omitempty"`
	Data json.RawMessage `json:"d"`
}

// The operations of the gateway.
const (
	opDispatch  = 0
	opHeartbeat = 1
	opIdentify  = 2
	opResume    = 6
	opReconnect = 7
	opInvalid   = 9
	opHello     = 10
	opAck       = 11
)

// wanted are the processed events. Of others only the number is handed on, for a resumption.
var wanted = map[string]bool{
	"READY": true, "RESUMED": true, "INTERACTION_CREATE": true, "MESSAGE_REACTION_ADD": true,
	"MESSAGE_CREATE": true, "MESSAGE_UPDATE": true, "MESSAGE_DELETE": true, "MESSAGE_DELETE_BULK": true,
}

const longestInterval = 10 * time.Minute

var (
	errReconnect  = errors.New("a new connection was asked for by Discord")
	errInvalid    = errors.New("the session is no longer known to Discord")
	errNotGateway = errors.New("the server does not speak as a gateway does")
)

// check takes one message and returns its operation and its replacement for discordgo, nil for
// nothing. An error ends the connection.
func (g *guard) check(text []byte) (op int, out []byte, err error) {
	var p packet
	if json.Unmarshal(text, &p) != nil || p.Op == nil || g.greeted == (*p.Op == opHello) {
		return 0, nil, errNotGateway
	}
	h := handed{Op: *p.Op, Data: json.RawMessage("null")}
	switch *p.Op {
	case opHello:
		err = g.greet(p.Data)
		h.Data = fmt.Appendf(nil, `{"heartbeat_interval":%d}`, g.interval.Milliseconds())
	case opDispatch:
		err = g.dispatch(p, &h)
	case opHeartbeat, opAck:
	case opReconnect:
		err = errReconnect
	case opInvalid:
		err = errInvalid
		if string(p.Data) == "true" {
			err = errReconnect
		}
	default:
		return *p.Op, nil, nil
	}
	if err != nil {
		return *p.Op, nil, err
	}
	out, err = json.Marshal(h)
	return *p.Op, out, err
}

func (g *guard) greet(data json.RawMessage) error {
	var hello struct {
		Interval float64 `json:"heartbeat_interval"`
	}
	if json.Unmarshal(data, &hello) != nil || hello.Interval < 1 || hello.Interval > float64(longestInterval.Milliseconds()) {
		return fmt.Errorf("%w: its heartbeat interval is none", errNotGateway)
	}
	g.interval = time.Duration(hello.Interval) * time.Millisecond
	g.greeted = true
	return nil
}

// dispatch wants an event to come when it can.
func (g *guard) dispatch(p packet, out *handed) error {
	if p.Seq == nil || *p.Seq < 0 {
		return errNotGateway
	}
	out.Seq = *p.Seq
	if !wanted[p.Type] {
		return nil
	}
	out.Type, out.Data = p.Type, p.Data
	switch p.Type {
	case "READY":
		if g.ready || g.resuming || json.Unmarshal(p.Data, &g.begun) != nil || g.begun.SessionID == "" {
			return errNotGateway
		}
		g.ready = true
		data, err := json.Marshal(readyData{SessionID: g.begun.SessionID})
		out.Data = data
		return err
	case "RESUMED":
		if g.ready || !g.resuming {
			return errNotGateway
		}
		g.ready, out.Data = true, json.RawMessage("{}")
	default:
		if !g.ready && !g.resuming {
			return errNotGateway
		}
	}
	return nil
}

// sends reports whether discordgo may send a message: only heartbeats, and the one to begin or
// resume the session, as planned. It may be called beside check.
func (g *guard) sends(text []byte) bool {
	var p packet
	if json.Unmarshal(text, &p) != nil || p.Op == nil {
		return false
	}
	switch *p.Op {
	case opHeartbeat:
		return true
	case opIdentify:
		return !g.resuming
	case opResume:
		return g.resuming
	}
	return false
}
