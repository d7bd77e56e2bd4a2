package target

import (
	"crypto/sha1" //nolint:gosec // git names content so
	"testing"
)

// FuzzParseIndex: a foreign index is read or refused, and what is read is in order.
func FuzzParseIndex(f *testing.F) {
	entry := append(make([]byte, 60), 0, 1, 'a', 0, 0, 0, 0, 0, 0, 0, 0, 0)
	entry[26] = 0x81
	f.Add(append([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x01"), entry[:72]...))
	f.Add([]byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x00TREE\x00\x00\x00\x00"))
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00link\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		sum := sha1.Sum(data) //nolint:gosec // as above
		ix, err := parseIndex(append(data, sum[:]...))
		if err != nil {
			return
		}
		for i, e := range ix.entries {
			if i > 0 && ix.entries[i-1].name > e.name {
				t.Fatalf("%q after %q", e.name, ix.entries[i-1].name)
			}
		}
	})
}
