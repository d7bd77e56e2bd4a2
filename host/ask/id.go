package ask

import (
	"fmt"
	"io"
	"strings"
)

// idAlphabet is Crockford's base32: no i, l, o, u, so that an id read from a
// screen is typed without mistakes.
const idAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// idLength gives 2^30 ids. An id is a name, not a secret: answering needs an
// approver's rights.
const idLength = 6

// newID draws an id from random.
func newID(random io.Reader) (string, error) {
	var raw [idLength]byte
	if _, err := io.ReadFull(random, raw[:]); err != nil {
		return "", fmt.Errorf("draw an ask id: %w", err)
	}
	for i, b := range raw {
		raw[i] = idAlphabet[int(b)%len(idAlphabet)]
	}
	return string(raw[:]), nil
}

var idFold = strings.NewReplacer("i", "1", "l", "1", "o", "0", "-", "")

// NormalID returns the id that a person meant: blanks around it and dashes
// dropped, case folded, i and l read as 1, o as 0. It does not tell whether
// such an ask exists.
func NormalID(typed string) string {
	return idFold.Replace(strings.ToLower(strings.TrimSpace(typed)))
}
