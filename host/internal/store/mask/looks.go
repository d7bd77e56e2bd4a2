package mask

import "bytes"

// LooksSecret reports whether the audit would hide something of the text.
func LooksSecret(text string) bool { return New(nil).Text(text) != text }

// HasSecret reports whether the audit would hide something of the JSON text.
func HasSecret(input []byte) bool { return !bytes.Equal(New(nil).JSON(input), input) }
