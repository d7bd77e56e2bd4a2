package caller

import (
	"fmt"

	"github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/callgate/callgate/host/internal/client/protocol"
)

// MaxAnswer bounds an answer, in bytes.
const MaxAnswer = 64 << 20

// Decode reads one JSON document: UTF-8, no name twice, nothing behind it.
func Decode(text []byte, out any) error {
	if err := json.Unmarshal(text, out, jsonv1.FormatDurationAsNano(true)); err != nil {
		return fmt.Errorf("the daemon's answer cannot be read: %w", err)
	}
	return nil
}

// Unproven explains a refusal without a proof, such as the daemon's own when it does not know the
// token any more.
func Unproven(status int, err error) error {
	if status == statusUnauthorized {
		return fmt.Errorf("the daemon does not know this token any more: it was revoked, rotated or has expired (%w)", err)
	}
	return fmt.Errorf("the daemon refused the request with status %d: %w", status, err)
}

// Problem is the error of a refusal.
func Problem(text []byte, status int) error {
	var p protocol.Problem
	if err := json.Unmarshal(text, &p); err != nil || p.Error == nil || p.Error.Code == "" {
		return fmt.Errorf("the daemon refused the request with status %d", status)
	}
	p.Error.Status = status
	return p.Error
}
