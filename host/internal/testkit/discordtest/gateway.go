package discordtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// The intents of the events here.
const (
	intentGuilds          = 1 << 0
	intentGuildMembers    = 1 << 1
	intentGuildPresences  = 1 << 8
	intentGuildMessages   = 1 << 9
	intentGuildReactions  = 1 << 10
	intentDirectMessages  = 1 << 12
	intentDirectReactions = 1 << 13
	intentMessageContent  = 1 << 15
	privilegedIntents     = intentGuildMembers | intentGuildPresences | intentMessageContent
	knownIntents          = 1<<17 - 1 | 1<<20 | 1<<21 | 1<<24 | 1<<25
	keptEvents            = 10_000 // of a session, for resuming
	sendsInAMinute        = 120
	maxPacket             = 4096
	identifyWindow        = 24 * time.Hour
	alwaysSent            = 0 // the intent of unconditional events
)

func messageIntent(guildID string) int {
	if guildID == "" {
		return intentDirectMessages
	}
	return intentGuildMessages
}

func reactionIntent(guildID string) int {
	if guildID == "" {
		return intentDirectReactions
	}
	return intentGuildReactions
}

// gateway is shared by the sockets. Guarded by Server.mu.
type gateway struct {
	sessions   map[string]*session
	sockets    map[*socket]bool
	startsLeft int
	identifies int
	reset      bool // the token, by a person or after too many
}

// session is the stream of events for a bot; it outlives its socket.
type session struct {
	id      string
	intents int
	seq     int64
	dropped int64 // events no longer kept
	events  []packet
	socket  *socket
}

// packet is one frame of the gateway.
type packet struct {
	Op   int             `json:"op"`
	Data json.RawMessage `json:"d"`
	Seq  *int64          `json:"s"`
	Type *string         `json:"t"`
}

func pack(op int, data any) packet {
	raw, err := json.Marshal(data)
	if err != nil {
		panic(err) // plain data
	}
	return packet{Op: op, Data: raw}
}

// dispatch sends to every session that wants such events, and may see the channel unless it is
// empty. s.mu is held.
func (s *Server) dispatch(event string, intent int, channelID string, data any) {
	if c := s.channels[channelID]; c != nil && s.permissions(c, s.Bot)&PermViewChannel == 0 {
		return
	}
	for _, session := range s.ordered() {
		if intent == alwaysSent || session.intents&intent != 0 {
			session.tell(event, data)
		}
	}
	s.touch()
}

// dispatchMessage does so with a message, with content depending on the session.
func (s *Server) dispatchMessage(event string, m *Message) {
	if m.For != "" {
		return // only its reader's client hears of it
	}
	if c := s.channels[m.ChannelID]; c != nil && s.permissions(c, s.Bot)&PermViewChannel == 0 {
		return
	}
	for _, session := range s.ordered() {
		if session.intents&messageIntent(m.GuildID) != 0 {
			session.tell(event, s.eventView(m, session.intents&intentMessageContent != 0 || s.plain(m)))
		}
	}
}

func (s *Server) ordered() []*session {
	var list []*session
	for _, session := range s.sessions {
		list = append(list, session)
	}
	slices.SortFunc(list, func(a, b *session) int { return strings.Compare(a.id, b.id) })
	return list
}

// tell keeps an event for resuming, and sends it when there is a socket.
func (n *session) tell(event string, data any) {
	p := pack(0, data)
	n.seq++
	seq := n.seq
	p.Seq, p.Type = &seq, &event
	n.events = append(n.events, p)
	if len(n.events) > keptEvents {
		n.events = slices.Clone(n.events[keptEvents/10:])
		n.dropped += keptEvents / 10
	}
	if n.socket != nil {
		n.socket.send(p)
	}
}

// openSockets lists the sockets; s.mu is held.
func (s *Server) openSockets() []*socket {
	var list []*socket
	for k := range s.sockets {
		list = append(list, k)
	}
	return list
}

func (s *Server) getGateway(*call) *answer { return ok(object{"url": s.socketURL()}) }

func (s *Server) socketURL() string { return "ws" + strings.TrimPrefix(s.URL(), "http") }

func (s *Server) getGatewayBot(*call) *answer {
	return ok(object{"url": s.socketURL(), "shards": 1, "session_start_limit": object{
		"total": s.opts.SessionStarts, "remaining": max(0, s.startsLeft),
		"reset_after": int(identifyWindow.Milliseconds()), "max_concurrency": 1,
	}})
}

// Sessions tells how many gateway sessions have a socket now, and how often the bot
// identified so far.
func (s *Server) Sessions() (connected, identified int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, session := range s.sessions {
		if session.socket != nil {
			connected++
		}
	}
	return connected, s.identifies
}

// DropSockets cuts every socket off without a word.
func (s *Server) DropSockets() {
	for _, socket := range s.listSockets() {
		socket.drop()
	}
}

// CloseSockets closes every socket with a code, such as 4014.
func (s *Server) CloseSockets(code int, reason string) {
	for _, socket := range s.listSockets() {
		socket.close(code, reason)
	}
}

// ResetToken makes the bot's token invalid, as a person does in the developer portal: every socket
// is closed, and no request, session or resumption with it is good any more. A bot that loses the
// close frame hears of it when it comes back.
func (s *Server) ResetToken() {
	s.mu.Lock()
	s.reset = true
	s.mu.Unlock()
	s.CloseSockets(4004, "Authentication failed.")
}

// AskReconnect sends opcode 7: reconnect and resume.
func (s *Server) AskReconnect() {
	for _, socket := range s.listSockets() {
		socket.send(pack(7, nil))
	}
}

// Invalidate sends opcode 9; resumable tells whether the session may be resumed, and
// when it may not, it is forgotten.
func (s *Server) Invalidate(resumable bool) {
	for _, socket := range s.listSockets() {
		socket.send(pack(9, resumable))
	}
	if !resumable {
		s.ForgetSessions()
	}
}

// ForgetSessions makes every resumption fail with opcode 9, and undelivered events are lost.
// Sockets stay open, and hear nothing any more.
func (s *Server) ForgetSessions() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, session := range s.sessions {
		session.socket = nil
	}
	clear(s.sessions)
	s.touch()
}

// RefuseDials answers attempts to open a socket with 503 while on.
func (s *Server) RefuseDials(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuseDials = on
}

// MuteHeartbeats leaves heartbeats without their ACK while on.
func (s *Server) MuteHeartbeats(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.muteAcks = on
}

func (s *Server) listSockets() []*socket {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.openSockets()
}

// ready is the first event of a new session.
func (s *Server) ready(n *session, version string) {
	guilds := []object{}
	for _, g := range s.botGuilds() {
		guilds = append(guilds, object{"id": g.id, "unavailable": true})
	}
	me := s.userView(s.Bot)
	me["verified"], me["mfa_enabled"], me["email"] = true, false, nil
	v := 10
	if version == "9" {
		v = 9
	}
	n.tell("READY", object{
		"v": v, "user": me, "guilds": guilds, "session_id": n.id, "resume_gateway_url": s.socketURL(),
		"application": object{"id": s.Application, "flags": 0}, "session_type": "normal", "private_channels": []any{},
	})
	if n.intents&intentGuilds == 0 {
		return
	}
	for _, g := range s.botGuilds() {
		n.tell("GUILD_CREATE", s.guildCreate(g))
	}
}

// newSession begins one; s.mu is held.
func (s *Server) newSession(intents int, k *socket) *session {
	s.identifies++
	n := &session{id: fmt.Sprintf("%032x", s.identifies), intents: intents, socket: k}
	s.sessions[n.id] = n
	return n
}
