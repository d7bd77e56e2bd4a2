// Package mask hides secrets in texts kept for people: the audit, logs, error texts.
//
// It hides literal words only and never code (threat T14). Only a run of characters without a
// meaning for a shell becomes "[masked:1f2e3d4c]": quotes, blanks, line feeds, $, `, ;, |, &, <, >,
// parentheses, braces and backslashes all stay where they are, and a value with an expansion of the
// shell stays whole. TOKEN=$(rm -rf ~) is shown as it is.
//
// The eight hex digits are a keyed digest of the hidden text: equal secrets look equal under one
// key, and only the key's owner can test a guess.
package mask

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Masker replaces secrets by keyed digests. It is safe for concurrent use. The
// zero value works and has an empty key: its digests can be guessed at.
type Masker struct{ key []byte }

// New returns a Masker with its key; 32 random bytes are enough.
func New(key []byte) *Masker { return &Masker{key: append([]byte(nil), key...)} }

// leastKnown is the least length, in bytes, of a secret hidden everywhere.
const leastKnown = 8

// Secrets returns the texts Text hides in s, but for short ones: other texts about s may quote them
// without a sign that they are secrets.
func Secrets(s string) []string {
	var known []string
	for _, sp := range find(s) {
		if one := s[sp.start:sp.end]; len(one) >= leastKnown && !isPlaceholder(one) {
			known = append(known, one)
		}
	}
	return known
}

// Known masks a text without code: the secrets Text finds, and the given ones everywhere.
func (m *Masker) Known(s string, secrets []string) string {
	for _, one := range secrets {
		if strings.Contains(s, one) {
			s = strings.ReplaceAll(s, one, m.hide(one))
		}
	}
	return m.Text(s)
}

// placeholder is how a hidden word begins; eight hex digits and a bracket follow.
const placeholder = "[masked:"

// placeholderLen is the length of a whole one.
const placeholderLen = len(placeholder) + 8 + 1

// Text masks the secrets in a text: a command line, the contents of a file, a
// sentence.
func (m *Masker) Text(s string) string { return m.replace(s, find(s)) }

// replace hides the spans of s.
func (m *Masker) replace(s string, spans []span) string {
	if len(spans) == 0 {
		return s
	}
	var b strings.Builder
	done := 0
	for _, sp := range spans {
		b.WriteString(s[done:sp.start])
		b.WriteString(m.hide(s[sp.start:sp.end]))
		done = sp.end
	}
	b.WriteString(s[done:])
	return b.String()
}

// hide returns the placeholder of a secret. A placeholder stays.
func (m *Masker) hide(secret string) string {
	if isPlaceholder(secret) {
		return secret
	}
	mac := hmac.New(sha256.New, m.key)
	mac.Write([]byte(secret))
	return placeholder + hex.EncodeToString(mac.Sum(nil)[:4]) + "]"
}

func isPlaceholder(s string) bool {
	if len(s) != placeholderLen || !strings.HasPrefix(s, placeholder) || s[len(s)-1] != ']' {
		return false
	}
	_, err := hex.DecodeString(s[len(placeholder) : len(s)-1])
	return err == nil
}

// span is a piece of a text to hide.
type span struct{ start, end int }
