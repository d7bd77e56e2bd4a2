package link

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

// insideAddress is the gateway's address for discordgo. Its only way out is our pipe.
const insideAddress = "ws://gateway.invalid"

// inside answers discordgo's request for the gateway's address: it makes one by REST, with
// endless waits.
type inside struct{}

// RoundTrip implements http.RoundTripper.
func (inside) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{},
		Body: io.NopCloser(strings.NewReader(`{"url":"` + insideAddress + `"}`)), Request: r,
	}, nil
}

// takeOver makes a WebSocket of the server's end of a pipe.
func takeOver(conn net.Conn) (*websocket.Conn, error) {
	reader := bufio.NewReader(conn)
	r, err := http.ReadRequest(reader)
	if err != nil {
		return nil, err
	}
	up := websocket.Upgrader{}
	return up.Upgrade(&taken{conn: conn, reader: reader, header: http.Header{}}, r, nil)
}

// taken is as much of an http.ResponseWriter as an upgrade needs.
type taken struct {
	conn   net.Conn
	reader *bufio.Reader
	header http.Header
}

func (t *taken) Header() http.Header       { return t.header }
func (t *taken) Write([]byte) (int, error) { return 0, errors.New("this is no HTTP answer") }
func (t *taken) WriteHeader(int)           {}
func (t *taken) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return t.conn, bufio.NewReadWriter(t.reader, bufio.NewWriter(t.conn)), nil
}

// maxPacket bounds a message of the gateway, in bytes; a large server's is 2 or 3 MB.
const maxPacket = 16 << 20

// dial opens the connection to the gateway itself.
func dial(ctx context.Context, address string, limit time.Duration) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	d := websocket.Dialer{Proxy: http.ProxyFromEnvironment, HandshakeTimeout: limit}
	conn, answer, err := d.DialContext(ctx, address, nil)
	switch {
	case err != nil && answer != nil:
		return nil, fmt.Errorf("the gateway answers with HTTP %d", answer.StatusCode)
	case err != nil:
		return nil, fmt.Errorf("the gateway cannot be reached: %w", withoutAddress(err))
	}
	conn.SetReadLimit(maxPacket)
	return conn, nil
}
