package webhook

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/callgate/callgate/host/internal/private"
)

// The headers of what is posted and answered.
const (
	HeaderRequest   = "Callgate-Request"
	HeaderTimestamp = "Callgate-Timestamp"
	HeaderSignature = "Callgate-Signature"
	// HeaderEvent names what is posted: "callback", or an event.
	HeaderEvent = "Callgate-Event"
)

// version begins a signature.
const version = "v1="

// The bounds of a secret, in bytes.
const leastSecret, mostSecret = 16, 4096

// Secret reads the secret of a file that nobody but this account may read; a line
// feed at its end does not belong to it. It is read for each request, so that a new
// one holds at once.
func Secret(path string) ([]byte, error) {
	data, err := private.ReadFile(path, mostSecret)
	if err != nil {
		return nil, fmt.Errorf("secret file: %w", err)
	}
	data = bytes.TrimRight(data, "\r\n")
	if len(data) < leastSecret {
		return nil, fmt.Errorf("secret file: %s holds %d bytes: want at least %d, such as openssl rand -hex 32 makes", path, len(data), leastSecret)
	}
	return data, nil
}

// SignRequest is the signature of what is posted.
func SignRequest(secret []byte, id, timestamp string, body []byte) string {
	return sign(secret, "callgate-request-v1\n"+id+"\n"+timestamp+"\n", body)
}

// SignAnswer is the signature of an approver's answer to the request id.
func SignAnswer(secret []byte, id string, body []byte) string {
	return sign(secret, "callgate-answer-v1\n"+id+"\n", body)
}

func sign(secret []byte, head string, body []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(head))
	mac.Write(body)
	return version + hex.EncodeToString(mac.Sum(nil))
}

// authentic reports whether an answer is signed for the request id.
func authentic(secret []byte, id string, body []byte, signature string) bool {
	return hmac.Equal([]byte(strings.TrimSpace(signature)), []byte(SignAnswer(secret, id, body)))
}
