package api

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net"
)

// A daemon proves that it knows a token before a client sends it (threat T07):
// the client names the token by its keyID and sends a nonce, the daemon answers
// with a MAC over the nonce and the address it was reached at. A program that
// has taken the daemon's port or socket cannot answer, and cannot have the real
// daemon answer for it, because that one is reached at another address. The
// client asks on each new connection, before anything else goes over it.

// keyID names a token without telling anything about it.
func keyID(key []byte) string {
	sum := sha256.Sum256(append([]byte("callgate key id\x00"), key...))
	return hex.EncodeToString(sum[:8])
}

// tokenKey is the MAC key of a token: what the daemon keeps of it.
func tokenKey(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// proof is the MAC over nonce and the daemon's address.
func proof(key []byte, nonce string, daemon net.Addr) string {
	mac := hmac.New(sha256.New, key)
	for _, part := range []string{"callgate proof", nonce, daemon.Network(), daemon.String()} {
		mac.Write([]byte(part))
		mac.Write([]byte{0})
	}
	return hex.EncodeToString(mac.Sum(nil))
}
