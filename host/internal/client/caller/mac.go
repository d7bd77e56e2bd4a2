package caller

import (
	"crypto/hmac"
	"errors"

	"github.com/callgate/callgate/host/internal/client/protocol"
)

// ErrUnproven is an answer without the MAC only the daemon can make for this very request. It is
// not used.
var ErrUnproven = errors.New("the answer is not authenticated as the daemon's answer to this request")

// Proven checks the MAC of an answer to a request.
func (c *Caller) Proven(to protocol.Binding, status int, answer []byte, mac string) error {
	if !hmac.Equal([]byte(mac), []byte(to.MAC(protocol.TokenKey(c.token), status, answer))) {
		return ErrUnproven
	}
	return nil
}
