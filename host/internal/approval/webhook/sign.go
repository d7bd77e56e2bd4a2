package webhook

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/callgate/callgate/host/internal/machine/securedir"
)

// The headers of posts and answers.
const (
	HeaderRequest   = "Callgate-Request"
	HeaderTimestamp = "Callgate-Timestamp"
	HeaderSignature = "Callgate-Signature"
	// HeaderEvent names the post's kind: "callback", or an event.
	HeaderEvent = "Callgate-Event"
)

// version begins a signature.
const version = "v1="

// The bounds of a secret, in bytes.
const leastSecret, mostSecret = 16, 4096

// Secret reads the secret from a file readable by this account only; a line feed at its end
// does not belong to it. It is read for each request, so a new one holds at once.
func Secret(path string) ([]byte, error) {
	data, err := securedir.ReadFile(path, mostSecret)
	if err != nil {
		return nil, fmt.Errorf("secret file: %w", err)
	}
	data = bytes.TrimRight(data, "\r\n")
	if len(data) < leastSecret {
		return nil, fmt.Errorf("secret file: %s has %d bytes; want at least %d, for example from openssl rand -hex 32", path, len(data), leastSecret)
	}
	return data, nil
}

// SignRequest is the signature of a post.
func SignRequest(secret []byte, id, timestamp string, body []byte) string {
	return sign(secret, "callgate-request-v1\n"+id+"\n"+timestamp+"\n", body)
}

// SignAnswer is the signature of an approver's answer to the request id. RATIONALE.md,
// "Why is a callback's answer signed?".
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
