package protocol

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"strconv"
)

// A client's nonce gets it each JSON answer with a MAC, keyed with its token, over the request and
// the answer: an attacker between the two cannot exchange an answer, nor bring one of another
// request (threat T07). Streams of events and exports have none.

// The headers of a request's nonce and of an answer's MAC.
const (
	NonceHeader = "Callgate-Nonce"
	MACHeader   = "Callgate-MAC"
)

// Binding is an answer's request.
type Binding struct {
	Nonce, Method string
	// Target is the path with the query, as it went over the wire.
	Target string
	// Body is the SHA-256 of the body.
	Body [sha256.Size]byte
}

// MAC is the MAC of an answer to the request. An error may be told before the
// body was read, so from status 400 on the body does not count.
func (b Binding) MAC(key []byte, status int, answer []byte) string {
	if status >= 400 {
		b.Body = sha256.Sum256(nil)
	}
	sum := sha256.Sum256(answer)
	mac := hmac.New(sha256.New, key)
	for _, part := range []string{"callgate answer", b.Nonce, b.Method, b.Target,
		hex.EncodeToString(b.Body[:]), strconv.Itoa(status), hex.EncodeToString(sum[:])} {
		mac.Write([]byte(part))
		mac.Write([]byte{0})
	}
	return hex.EncodeToString(mac.Sum(nil))
}

// FinalLine is the last line of a stream without its MAC: the input of the MAC. name is
// result or problem. RATIONALE.md, "Why does a stream carry its MAC in its last line, and events
// none?".
func FinalLine(name string, value []byte) []byte {
	return fmt.Appendf(nil, "{%q:%s}", name, value)
}

// MinNonce and MaxNonce are the lengths of a valid nonce, in bytes.
const (
	MinNonce = 16
	MaxNonce = 128
)

// A daemon proves that it knows a token before a client sends it (threat T07): the client names the
// token by its keyID and sends a nonce, the daemon answers with a MAC over the nonce and the
// address of the connection. A program on the daemon's port or socket cannot answer, and cannot
// have the real daemon answer for it, because its address differs. The client asks on each new
// connection, before anything else goes over it.

// KeyID names a token without telling anything about it.
func KeyID(key []byte) string {
	sum := sha256.Sum256(append([]byte("callgate key id\x00"), key...))
	return hex.EncodeToString(sum[:8])
}

// TokenKey is the MAC key of a token: the daemon keeps only this.
func TokenKey(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// Proof is the MAC over nonce and the daemon's address.
func Proof(key []byte, nonce string, daemon net.Addr) string {
	mac := hmac.New(sha256.New, key)
	for _, part := range []string{"callgate proof", nonce, daemon.Network(), daemon.String()} {
		mac.Write([]byte(part))
		mac.Write([]byte{0})
	}
	return hex.EncodeToString(mac.Sum(nil))
}
