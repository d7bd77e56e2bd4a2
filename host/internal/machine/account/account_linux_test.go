package account

import (
	"strings"
	"testing"
)

func TestHomeIn(t *testing.T) {
	t.Parallel()
	const list = "root:x:0:0:root:/root:/bin/sh\n#dev:x:7:7::/commented:/bin/sh\n\ndev:x:1000:1000:a, b:/home/dev:/bin/sh\n" +
		"twin:x:1000:1000::/home/twin:/bin/sh\nshort:x:9:/home/short\n+::::::\n"
	for uid, want := range map[int]string{0: "/root", 1000: "/home/dev", 7: "", 9: "", 1: "", -1: ""} {
		got, err := homeIn(strings.NewReader(list), uid)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("user %d: got %q, %v, want %q", uid, got, err, want)
		}
	}
}
