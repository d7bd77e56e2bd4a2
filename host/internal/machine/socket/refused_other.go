//go:build !unix

package socket

import "strings"

// Refused reports whether a connection failed because no server listens.
func Refused(err error) bool { return strings.Contains(err.Error(), "refused") }
