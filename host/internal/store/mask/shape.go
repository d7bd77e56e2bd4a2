package mask

import "strings"

// shape is a kind of token with a known beginning.
type shape struct {
	prefix string
	least  int    // bytes after the prefix
	extra  string // allowed beside letters and digits
}

// shapes are tokens of well-known issuers, from their documentation and the
// rules of public secret scanners.
var shapes = []shape{
	{"AKIA", 16, ""}, {"ASIA", 16, ""}, {"AIza", 30, "_-"}, {"SG.", 30, "_-."}, {"dop_v1_", 20, ""},
	{"eyJ", 20, "_-."}, {"ghp_", 20, ""}, {"gho_", 20, ""}, {"ghu_", 20, ""}, {"ghs_", 20, ""}, {"ghr_", 20, ""},
	{"github_pat_", 20, "_"}, {"glpat-", 15, "_-"}, {"hf_", 20, ""}, {"npm_", 30, ""}, {"pypi-", 30, "_-"},
	{"rk_live_", 10, ""}, {"rk_test_", 10, ""}, {"sk-", 16, "_-"}, {"sk_live_", 10, ""}, {"sk_test_", 10, ""},
	{"xoxa-", 8, "-"}, {"xoxb-", 8, "-"}, {"xoxe-", 8, "-"}, {"xoxp-", 8, "-"}, {"xoxr-", 8, "-"}, {"xoxs-", 8, "-"}, {"xapp-", 8, "-"},
}

// shaped returns the length of the known token at the start of s, or 0.
func shaped(s string) int {
	for _, sh := range shapes {
		if s[0] != sh.prefix[0] || !strings.HasPrefix(s, sh.prefix) {
			continue
		}
		if n := token(s, len(sh.prefix), sh.extra); n-len(sh.prefix) >= sh.least {
			return n
		}
	}
	if strings.IndexByte("MNO", s[0]) >= 0 {
		return discordToken(s)
	}
	return 0
}

// token returns the end of the letters, digits and extra bytes from i on.
func token(s string, i int, extra string) int {
	for i < len(s) && (alnum(s[i]) || strings.IndexByte(extra, s[i]) >= 0) {
		i++
	}
	return i
}

// discordToken returns the length of a bot token: an id, a time and a signature,
// in base64, with points between.
func discordToken(s string) int {
	s = s[:min(len(s), maxNameLen)]
	id := token(s, 0, "_-")
	if id < 23 || id > 28 || id >= len(s) || s[id] != '.' {
		return 0
	}
	at := token(s, id+1, "_-")
	if at-id != 7 || at >= len(s) || s[at] != '.' {
		return 0
	}
	if end := token(s, at+1, "_-"); end-at > 27 {
		return end
	}
	return 0
}

// webhooks are addresses with a secret path.
var webhooks = []string{"/api/webhooks/", "hooks.slack.com/services/"}

// webhook returns where the secret path begins if a webhook's address stands at
// the start of s, or 0.
func webhook(s string) int {
	for _, w := range webhooks {
		if strings.HasPrefix(s, w) {
			return len(w)
		}
	}
	return 0
}

const (
	pemBegin = "-----BEGIN "
	pemEnd   = "-----END "
)

// pem finds the lines of a private key at the start of s, and the end of the block. Only long mixed
// runs are lines: a block's text could be commands.
func pem(s string) (spans []span, end int) {
	line, _, ok := strings.Cut(s[len(pemBegin):min(len(s), maxNameLen)], "-----")
	if !ok || !strings.HasSuffix(line, "PRIVATE KEY") && !strings.HasSuffix(line, "PRIVATE KEY BLOCK") {
		return nil, 0
	}
	start := len(pemBegin) + len(line) + len("-----")
	end = len(s)
	if i := strings.Index(s[start:], pemEnd); i >= 0 {
		end = start + i
	}
	for i := start; i < end; i++ {
		if s[i-1] == '\\' && (s[i] == 'n' || s[i] == 'r') {
			continue // a line's end, as JSON writes it
		}
		stop := token(s[:end], i, "+/=")
		if stop-i >= 16 && mixed(s[i:stop]) && s[i-1] != '$' && (!evaluated(s, stop) || escapedEnd(s[stop:end])) {
			spans = append(spans, span{i, stop})
		}
		i = stop
	}
	return spans, end
}

// escapedEnd reports whether s begins with JSON's form of the end of a line or text. No shell
// evaluates it.
func escapedEnd(s string) bool {
	rest := strings.TrimLeft(s, "\\")
	return len(rest) < len(s) && rest != "" && strings.IndexByte(`nrt"`, rest[0]) >= 0
}

// mixed reports whether s has capitals and small letters, as base64 does and
// programs' names seldom do.
func mixed(s string) bool {
	var capital, small bool
	for i := range len(s) {
		capital = capital || upper(s[i])
		small = small || 'a' <= s[i] && s[i] <= 'z'
	}
	return capital && small
}
