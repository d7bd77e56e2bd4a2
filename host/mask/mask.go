// Package mask hides secrets in what is kept for people to read: the audit, logs,
// error texts.
//
// It hides literal words only and never code (threat T14). What becomes
// "[masked:1f2e3d4c]" is a run of characters that no shell gives a meaning:
// quotes, blanks, line feeds, $, `, ;, |, &, <, >, parentheses, braces and
// backslashes all stay where they are, and a value in which the shell would
// expand something stays whole. TOKEN=$(rm -rf ~) is shown as it is.
//
// The eight hex digits are a keyed digest of what was hidden: equal secrets look
// equal under one key, and nobody without the key can test a guess.
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

// leastKnown is how long a secret is, in bytes, that is hidden wherever it stands.
const leastKnown = 8

// Secrets returns what Text hides in s, but for short pieces: what else is told of
// s may quote them where nothing shows that they are secrets.
func Secrets(s string) []string {
	var known []string
	for _, sp := range find(s) {
		if one := s[sp.start:sp.end]; len(one) >= leastKnown && !isPlaceholder(one) {
			known = append(known, one)
		}
	}
	return known
}

// Known masks a text that is no code: what Text hides, and these secrets wherever
// they stand.
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

// hide returns what stands for a secret. What is hidden already stays.
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

// span is a piece of a text that is to be hidden.
type span struct{ start, end int }
