package kernel

import (
	"fmt"
	"unicode/utf8"
)

// Result judges the end of a call that returned code, and appends its output to dst. Error
// beats output.
func (k *Kernel) Result(dst []byte, code int32) ([]byte, *Trap) {
	if code != 0 || k.memory.get(atError) != 0 {
		message := k.Message()
		if message == "" {
			message = fmt.Sprintf("the module returned %d without a message", code)
		}
		return nil, &Trap{Kind: KindCode, Message: message}
	}
	offset, length := k.memory.get(atOutput), k.memory.get(atOutputLength)
	if length == 0 {
		return nil, &Trap{Kind: KindOutput, Message: "the module returned 0 without output"}
	}
	if length > uint64(k.limits.OutputBytes) {
		return nil, &Trap{Kind: KindOutput, Limit: "output_kib", Message: fmt.Sprintf("%d bytes: at most %d", length, k.limits.OutputBytes)}
	}
	data, ok := k.memory.view(offset, length)
	if !ok {
		return nil, &Trap{Kind: KindOutput, Message: fmt.Sprintf("offset %d, length %d is outside the host memory", offset, length)}
	}
	if !utf8.Valid(data) {
		return nil, &Trap{Kind: KindOutput, Message: "not UTF-8"}
	}
	return append(dst, data...), nil
}
