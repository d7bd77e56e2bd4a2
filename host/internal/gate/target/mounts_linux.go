package target

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// readMounts reads the kernel's list, without touching a mounted file system.
func readMounts() (map[string]string, error) {
	data, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, fmt.Errorf("list mounts: %w", err)
	}
	return parseMountinfo(string(data)), nil
}

// parseMountinfo reads proc_pid_mountinfo(5): the fifth field is the mount
// point, the first after " - " the type. A later line covers an earlier one.
func parseMountinfo(text string) map[string]string {
	mounts := map[string]string{}
	for line := range strings.Lines(text) {
		front, back, ok := strings.Cut(line, " - ")
		fields, kinds := strings.Fields(front), strings.Fields(back)
		if ok && len(fields) >= 5 && len(kinds) >= 1 {
			mounts[unescapeMount(fields[4])] = kinds[0]
		}
	}
	return mounts
}

// unescapeMount undoes the kernel's octal escapes of blank, tab, line feed and
// backslash.
func unescapeMount(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+4 <= len(s) {
			if c, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(c))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
