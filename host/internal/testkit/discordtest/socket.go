package discordtest

import (
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// socket is one connection of the bot to the gateway.
type socket struct {
	server *Server
	conn   *websocket.Conn
	// Guarded by server.mu.
	session *session
	sends   int
	window  time.Time
	version string

	mu     sync.Mutex
	queue  []packet
	ending []byte // the close frame behind the queue
	wake   chan struct{}
	gone   chan struct{}
	once   sync.Once
}

var upgrader = websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}

func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	refused := s.refuseDials || s.closed
	if !refused {
		s.open.Add(1)
	}
	s.mu.Unlock()
	if refused {
		w.WriteHeader(503)
		return
	}
	defer s.open.Done()
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // Upgrade answered
	}
	k := &socket{server: s, conn: conn, version: r.URL.Query().Get("v"),
		wake: make(chan struct{}, 1), gone: make(chan struct{})}
	s.mu.Lock()
	s.sockets[k] = true
	closed := s.closed
	s.touch()
	s.mu.Unlock()
	if closed {
		k.drop()
	}
	var writer sync.WaitGroup
	writer.Go(k.write)
	if encoding := r.URL.Query().Get("encoding"); encoding != "json" || k.version != "9" && k.version != "10" || r.URL.Query().Get("compress") != "" {
		s.Violate("gateway: v=%q encoding=%q: this server has versions 9 and 10, json, and no transport compression", k.version, encoding)
		k.close(4012, "Invalid API version.")
	} else {
		k.send(pack(10, object{"heartbeat_interval": s.opts.Heartbeat.Milliseconds(), "_trace": []string{"discordtest"}}))
	}
	k.read()
	k.drop()
	writer.Wait()
}

// send queues a packet; it never waits.
func (k *socket) send(p packet) {
	k.mu.Lock()
	if k.ending == nil {
		k.queue = append(k.queue, p)
	}
	k.mu.Unlock()
	k.poke()
}

// close queues the end, behind earlier frames.
func (k *socket) close(code int, reason string) {
	k.mu.Lock()
	if k.ending == nil {
		k.ending = websocket.FormatCloseMessage(code, reason)
	}
	k.mu.Unlock()
	k.detach(code == 4004 || code >= 4010 || code == 4007 || code == 4009)
	k.poke()
}

func (k *socket) poke() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// drop cuts the connection.
func (k *socket) drop() {
	k.once.Do(func() {
		close(k.gone)
		_ = k.conn.UnderlyingConn().Close() // it is to be gone
		k.detach(false)
	})
}

// detach takes the socket from its session, which is forgotten when it is over.
func (k *socket) detach(over bool) {
	s := k.server
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sockets, k)
	if n := k.session; n != nil && n.socket == k {
		n.socket = nil
		if over {
			delete(s.sessions, n.id)
		}
	}
	s.touch()
}

// write sends the queue until the socket is gone.
func (k *socket) write() {
	for {
		select {
		case <-k.gone:
			return
		case <-k.wake:
		}
		for k.writeOne() {
		}
	}
}

// writeOne sends one packet or the end; false when there is nothing to send.
func (k *socket) writeOne() bool {
	k.mu.Lock()
	queue, ending := k.queue, k.ending
	if len(queue) > 0 {
		k.queue = queue[1:]
	}
	k.mu.Unlock()
	if len(queue) == 0 {
		if ending != nil {
			_ = k.conn.WriteControl(websocket.CloseMessage, ending, time.Now().Add(time.Minute)) // it may be gone
			k.conn.SetReadDeadline(time.Now().Add(5 * time.Second))                              // for the other's close frame
			<-k.gone
		}
		return false
	}
	p := queue[0]
	if p.Op == 0 && k.server.step("dispatch "+*p.Type) {
		k.drop()
		return false
	}
	if err := k.conn.WriteJSON(p); err != nil {
		k.drop()
		return false
	}
	return true
}

// read handles the bot's packets until the socket is gone.
func (k *socket) read() {
	for {
		kind, data, err := k.conn.ReadMessage()
		var closed *websocket.CloseError
		if errors.As(err, &closed) && (closed.Code == 1000 || closed.Code == 1001) {
			k.detach(true) // the bot is done with this session
		}
		if err != nil {
			return
		}
		var p struct {
			Op   *int            `json:"op"`
			Data json.RawMessage `json:"d"`
		}
		if kind != websocket.TextMessage || len(data) > maxPacket || json.Unmarshal(data, &p) != nil || p.Op == nil {
			k.server.Violate("gateway: a frame that is no packet of at most %d bytes", maxPacket)
			k.close(4002, "Decode error.")
			continue
		}
		k.handle(*p.Op, p.Data)
	}
}

// handle carries out a packet.
func (k *socket) handle(op int, data json.RawMessage) {
	s := k.server
	s.mu.Lock()
	if now := s.opts.Now(); now.Sub(k.window) >= time.Minute {
		k.window, k.sends = now, 0
	}
	k.sends++
	flood, session, muted := k.sends > sendsInAMinute, k.session, s.muteAcks
	s.mu.Unlock()
	switch {
	case flood:
		s.Violate("gateway: more than %d packets in a minute", sendsInAMinute)
		k.close(4008, "Rate limited.")
	case op == 1:
		if !muted {
			k.send(pack(11, nil))
		}
	case op == 2 && session == nil:
		k.identify(data)
	case op == 6 && session == nil:
		k.resume(data)
	case op == 2 || op == 6:
		s.Violate("gateway: identified twice")
		k.close(4005, "Already authenticated.")
	case session == nil:
		s.Violate("gateway: opcode %d before identifying", op)
		k.close(4003, "Not authenticated.")
	case op == 3 || op == 4 || op == 8: // presence, voice, members: of no matter here
	default:
		s.Violate("gateway: opcode %d", op)
		k.close(4001, "Unknown opcode.")
	}
}
