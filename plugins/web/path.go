package web

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/plugins/internal/paths"
)

// readPath splits a URL's path into decoded segments. It is canonical when no server could read it
// as another path: no segment is "." or ".." or, but for the last, empty, and no escaped or written
// character means a slash, a dot segment, a parameter (";"), another escape or a control character.
func readPath(path string) (segments []string, canonical bool) {
	canonical = true
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, part := range parts {
		decoded, whole := unescape(part)
		if !whole || decoded == "" && i < len(parts)-1 || decoded == "." || decoded == ".." || strings.ContainsAny(decoded, `/\;%`) ||
			strings.ContainsFunc(decoded, func(r rune) bool { return r < 0x20 || r == 0x7f || r == '\uFFFD' }) {
			canonical = false
		}
		segments = append(segments, decoded)
	}
	return segments, canonical
}

// unescape decodes the percent escapes of text once. whole means every "%" begins an escape; others
// stay.
func unescape(text string) (decoded string, whole bool) {
	var out strings.Builder
	whole = true
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			out.WriteByte(text[i])
			continue
		}
		if i+2 >= len(text) || !isHex(text[i+1]) || !isHex(text[i+2]) {
			whole = false
			out.WriteByte('%')
			continue
		}
		out.WriteByte(hexValue(text[i+1])<<4 | hexValue(text[i+2]))
		i += 2
	}
	return out.String(), whole
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

func hexValue(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// maxDecoding bounds how often a path is decoded: more layers than servers and
// proxies have.
const maxDecoding = 6

// pathReadings are the folded segments of a path in every server's possible reading: decoded as
// often as possible, with and without its dot segments resolved and its parameters cut off. settled
// is false when there are more layers of escapes than decoded. RATIONALE.md, "Why is a path in a
// web rule exact for allow and wide for deny?".
func pathReadings(path string) (readings [][]string, settled bool) {
	for range maxDecoding {
		slashes := strings.ReplaceAll(path, `\`, "/")
		for _, form := range []string{slashes, withoutParameters(slashes)} {
			segments := strings.FieldsFunc(paths.Fold(form), func(r rune) bool { return r == '/' })
			readings = append(readings, segments, resolveDots(segments))
		}
		next, _ := unescape(path)
		if next == path {
			return readings, true
		}
		path = next
	}
	return readings, false
}

// withoutParameters cuts ";jsessionid=1" and its like off every segment.
func withoutParameters(path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		segments[i], _, _ = strings.Cut(s, ";")
	}
	return strings.Join(segments, "/")
}

// withoutDots resolves a path's dot segments as a browser does.
func withoutDots(path string) string {
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	ends := ""
	for i, s := range segments {
		if plain := strings.ReplaceAll(strings.ToLower(s), "%2e", "."); plain == "." || plain == ".." {
			segments[i] = plain
			if i == len(segments)-1 {
				ends = "/"
			}
		}
	}
	resolved := "/" + strings.Join(resolveDots(segments), "/")
	return strings.TrimSuffix(resolved, ends) + ends
}

func resolveDots(segments []string) []string {
	out := slices.Clone(segments)[:0]
	for _, s := range segments {
		switch s {
		case ".":
		case "..":
			out = out[:max(0, len(out)-1)]
		default:
			out = append(out, s)
		}
	}
	return out
}
