package ask

import (
	"fmt"
	"io"
	"strings"
)

// idAlphabet is Crockford's base32, without i, l, o and u, to prevent typing errors.
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

// NormalID returns the intended id: blanks around it and dashes dropped, case folded, i and l
// read as 1, o as 0. It does not look the ask up.
func NormalID(typed string) string {
	return idFold.Replace(strings.ToLower(strings.TrimSpace(typed)))
}
