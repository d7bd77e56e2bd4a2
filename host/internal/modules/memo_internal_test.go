package modules

import (
	"fmt"
	"slices"
	"testing"
)

// held is a memo's size, in bytes.
func (m *memo) held() (size int) {
	for _, answers := range []map[memoKey][]byte{m.young, m.old} {
		for _, a := range answers {
			size += len(a) + memoOverhead
		}
	}
	return size
}

func TestMemo_isBounded(t *testing.T) {
	t.Parallel()
	const limit = 64 << 10
	m := newMemo(limit)
	busy := keyOf(1, "v", []byte("asked again and again"))
	m.add(busy, []byte("yes"))
	for i := range 10_000 {
		m.add(keyOf(1, "v", fmt.Append(nil, i)), make([]byte, i%2000))
		if _, ok := m.find(busy); !ok {
			t.Fatalf("after %d others: an answer that was found all the time is gone", i)
		}
		if held := m.held(); held > limit {
			t.Fatalf("after %d: %d bytes, want at most %d", i, held, limit)
		}
	}
	if _, ok := m.find(keyOf(1, "v", []byte("0"))); ok {
		t.Error("an answer that was not asked for long is still there")
	}
	large := keyOf(1, "v", []byte("large"))
	m.add(large, make([]byte, limit/8))
	if _, ok := m.find(large); ok {
		t.Error("an answer of an eighth of the limit is remembered")
	}
}

// TestMemo_copies: an answer stays as it was when its buffer is used again.
func TestMemo_copies(t *testing.T) {
	t.Parallel()
	m, k := newMemo(memoLimit), keyOf(1, "v", nil)
	buf := []byte("yes")
	m.add(k, buf)
	copy(buf, "no!")
	if got, ok := m.find(k); !ok || string(got) != "yes" {
		t.Errorf("got %q, %t", got, ok)
	}
}

func TestKeyOf(t *testing.T) {
	t.Parallel()
	keys := []memoKey{keyOf(1, "ab", []byte("c")), keyOf(1, "a", []byte("bc")), keyOf(2, "ab", []byte("c")), keyOf(1, "ab", []byte("cd")), keyOf(1, "", []byte("abc"))}
	for i, k := range keys {
		if slices.Contains(keys[i+1:], k) {
			t.Errorf("key %d is that of another question", i)
		}
	}
}
