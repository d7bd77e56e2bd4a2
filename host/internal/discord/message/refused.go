package message

import "strings"

// MayNot explains to a person, called name by the host, why their answer does not count. The
// reason is the host's sentence about them, as in the audit; anything but plain words in it
// stands in code.
func MayNot(name, reason string) string {
	if rest, ok := strings.CutPrefix(reason, name+" may not answer: "); ok {
		return "You may not answer this: " + sentence(rest)
	}
	if rest, ok := strings.CutPrefix(reason, name+" triggered the call and may not approve it"); ok {
		return "You triggered the call and may not approve it" + sentence(rest)
	}
	return "This does not count: " + sentence(reason)
}

// sentence shows a text with names of the configuration's in it.
func sentence(text string) string {
	text = strings.TrimSuffix(text, ".")
	if plainWords.MatchString(text) && !strings.Contains(text, "://") {
		return text + "."
	}
	return Code(text)
}
