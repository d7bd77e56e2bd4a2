package discordtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/gorilla/websocket"
)

// maxRequest bounds a request: ten files and their message.
const maxRequest = 110 << 20

// call is one request as the server read it.
type call struct {
	method, path, route string
	params              map[string]string
	query               url.Values
	body                []byte // JSON: the body, or payload_json of a form
	files               []upload
	form                bool
	anonymous           bool // no valid token of the bot
	// cut means that its sender left before the end, as a daemon that stops.
	cut bool
}

type upload struct {
	field, name, kind string
	data              []byte
}

// answer is the answer to a request. Body is marshalled unless raw is set.
type answer struct {
	status int
	body   any
	raw    []byte
	kind   string
	header http.Header
}

func ok(body any) *answer { return &answer{status: 200, body: body} }

func fail(status, code int, text string) *answer {
	return &answer{status: status, body: object{"code": code, "message": text}}
}

// bytes is the answer's body as it goes over the wire.
func (a *answer) bytes() []byte {
	if a.raw != nil || a.body == nil {
		return a.raw
	}
	data, err := json.Marshal(a.body)
	if err != nil {
		panic(err) // plain data
	}
	return data
}

// serve is the whole server: sockets, attachments, the API.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if websocket.IsWebSocketUpgrade(r) {
		s.serveSocket(w, r)
		return
	}
	if strings.HasPrefix(r.URL.Path, "/attachments/") {
		s.serveAttachment(w, r)
		return
	}
	c, bad := s.read(r)
	s.mu.Lock()
	f := s.pick(c.method, c.route)
	s.mu.Unlock()
	if !s.await(r.Context(), f) || f.drop == DropBefore || s.step("request "+c.method+" "+c.route) {
		s.record(c, nil, "dropped before it took effect")
		sever(w)
		return
	}
	a := f.answer
	s.mu.Lock()
	if a == nil {
		a = s.handle(c, bad)
	}
	s.mu.Unlock()
	cut := s.step(fmt.Sprintf("answer %d %s %s", a.status, c.method, c.route))
	s.record(c, a, f.text)
	if cut || f.drop == DropAfter {
		sever(w)
		return
	}
	write(w, a)
}

// sever ends the connection without an answer.
func sever(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	_ = conn.Close() // it is to be gone
}

func write(w http.ResponseWriter, a *answer) {
	for name, values := range a.header {
		w.Header()[name] = values
	}
	data := a.bytes()
	if len(data) > 0 {
		kind := a.kind
		if kind == "" {
			kind = "application/json"
		}
		w.Header().Set("Content-Type", kind)
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(data) // the client may be gone
}

// handle answers a request; s.mu is held.
func (s *Server) handle(c *call, bad *answer) *answer {
	if c.route == "" {
		s.violate("%s %s: there is no such endpoint", c.method, c.path)
		return fail(404, 0, "404: Not Found")
	}
	if limited := s.limit(c); limited != nil {
		return limited
	}
	route := s.find(c.method, c.route)
	if (c.anonymous || s.reset) && !route.open {
		return fail(401, 0, "401: Unauthorized")
	}
	if bad != nil {
		return bad
	}
	a := route.handle(s, c)
	s.limitHeaders(c, a)
	return a
}

// read takes a request apart; the answer is set when it cannot be read.
func (s *Server) read(r *http.Request) (*call, *answer) {
	c := &call{method: r.Method, path: r.URL.EscapedPath(), query: r.URL.Query(), params: map[string]string{}}
	c.anonymous = r.Header.Get("Authorization") != "Bot "+s.Token
	rest, known := api(c.path)
	if known {
		c.route = match(c.method, rest, c.params)
	}
	data, err := io.ReadAll(io.LimitReader(r.Body, maxRequest+1))
	c.cut = err != nil
	if c.cut || len(data) > maxRequest {
		return c, fail(413, 40005, "Request entity too large")
	}
	if r.Header.Get("User-Agent") == "" || strings.HasPrefix(r.Header.Get("User-Agent"), "Go-http-client") {
		s.Violate("%s %s: no User-Agent of its own: Discord wants \"DiscordBot (url, version)\"", c.method, c.route)
	}
	if len(data) == 0 {
		return c, nil
	}
	return c, s.readBody(c, r.Header.Get("Content-Type"), data)
}

func (s *Server) readBody(c *call, contentType string, data []byte) *answer {
	kind, params, err := mime.ParseMediaType(contentType)
	switch {
	case err != nil || kind == "application/json":
		c.body = data
		if err != nil {
			s.Violate("%s %s: a body without a Content-Type", c.method, c.route)
		}
	case kind == "multipart/form-data":
		c.form = true
		if err := c.readForm(multipart.NewReader(bytes.NewReader(data), params["boundary"])); err != nil {
			s.Violate("%s %s: %v", c.method, c.route, err)
			return fail(400, 50035, "Invalid Form Body")
		}
	default:
		s.Violate("%s %s: Content-Type %s", c.method, c.route, kind)
		return fail(400, 50035, "Invalid Form Body")
	}
	if len(c.body) > 0 && !json.Valid(c.body) {
		s.Violate("%s %s: the body is not JSON: %.200s", c.method, c.route, c.body)
		return fail(400, 50109, "The request body contains invalid JSON.")
	}
	return nil
}

// fileField is the only form of a file's name in Discord.
var fileField = regexp.MustCompile(`^files\[(\d+)\]$`)

func (c *call) readForm(reader *multipart.Reader) error {
	for {
		part, err := reader.NextPart()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the form: %w", err)
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return fmt.Errorf("the form: %w", err)
		}
		switch {
		case part.FormName() == "payload_json":
			c.body = data
		case fileField.MatchString(part.FormName()):
			c.files = append(c.files, upload{field: fileField.FindStringSubmatch(part.FormName())[1],
				name: part.FileName(), kind: part.Header.Get("Content-Type"), data: data})
		default:
			return fmt.Errorf("the form has a part %q: it must be payload_json or files[n]", part.FormName())
		}
	}
}

// serveAttachment gives an uploaded file back.
func (s *Server) serveAttachment(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(r.URL.Path, "/")
	s.mu.Lock()
	var found *Attachment
	for _, m := range s.messages {
		for i := range m.Attachments {
			if len(parts) == 5 && m.Attachments[i].ID == parts[3] && m.ChannelID == parts[2] {
				found = &m.Attachments[i]
			}
		}
	}
	s.mu.Unlock()
	if found == nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", found.Type)
	_, _ = w.Write(found.Data) // the client may be gone
}
