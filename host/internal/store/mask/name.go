package mask

import "strings"

// secretWords are parts of names for secrets.
var secretWords = map[string]bool{
	"auth": true, "authorization": true, "bearer": true, "cookie": true, "cookies": true, "credential": true, "credentials": true,
	"jwt": true, "pass": true, "passphrase": true, "passwd": true, "password": true, "passwords": true, "pat": true, "pin": true,
	"psk": true, "pwd": true, "secret": true, "secrets": true, "token": true, "tokens": true, "apikey": true, "totp": true, "otp": true,
}

// keyWords before "key" make it a secret one; a lone "key" is a map's.
var keyWords = map[string]bool{
	"access": true, "account": true, "api": true, "auth": true, "encryption": true, "license": true, "master": true, "private": true,
	"secret": true, "service": true, "session": true, "shared": true, "signing": true, "ssh": true, "storage": true, "webhook": true,
}

// countWords before tokens make them a language model's, to be counted: max_output_tokens.
var countWords = map[string]bool{"max": true, "min": true, "num": true, "total": true, "limit": true}

// secretEndings end names written as one word.
var secretEndings = []string{"token", "secret", "password", "passwd", "apikey", "accesskey", "secretkey", "privatekey"}

// maxNameLen bounds how far back a name is looked for.
const maxNameLen = 128

// secretName reports whether a name ("GITHUB_TOKEN", "apiKey", "x-api-key")
// speaks of a secret.
func secretName(name string) bool {
	if name == "PWD" || name == "OLDPWD" || len(name) > maxNameLen {
		return false
	}
	var room [8]string
	parts := split(room[:0], name)
	if n := len(parts); n > 1 && parts[n-1] == "tokens" && countWords[parts[0]] {
		return false
	}
	for i, p := range parts {
		if secretWords[p] || p == "key" && i > 0 && keyWords[parts[i-1]] {
			return true
		}
	}
	if len(parts) == 0 {
		return false
	}
	last := parts[len(parts)-1]
	for _, e := range secretEndings {
		if strings.HasSuffix(last, e) {
			return true
		}
	}
	return false
}

// split appends the words of a name, lower case: it is cut at anything but letters and
// digits and where a capital follows a small letter.
func split(parts []string, name string) []string {
	start := 0
	flush := func(end int) {
		if end > start {
			parts = append(parts, strings.ToLower(name[start:end]))
		}
	}
	for i := range len(name) {
		switch c := name[i]; {
		case !alnum(c):
			flush(i)
			start = i + 1
		case i > start && upper(c) && !upper(name[i-1]):
			flush(i)
			start = i
		}
	}
	flush(len(name))
	return parts
}

func upper(c byte) bool { return 'A' <= c && c <= 'Z' }

func digit(c byte) bool { return '0' <= c && c <= '9' }

func alnum(c byte) bool { return upper(c) || 'a' <= c && c <= 'z' || digit(c) }

// nameByte reports whether a byte may stand in a name.
func nameByte(c byte) bool { return alnum(c) || c == '_' || c == '-' || c == '.' }
