package api

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/callgate/callgate/host/gate"
)

// params are the parameters of a request's query, each at most once.
type params map[string]string

// query reads the parameters of r. One that is not allowed, or comes twice, is
// an error: a filter that is misspelt must not choose everything.
func query(r *http.Request, allowed ...string) (params, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, failure(http.StatusBadRequest, CodeBadRequest, "the query does not parse: "+err.Error())
	}
	p := params{}
	for name, texts := range values {
		switch {
		case !slices.Contains(allowed, name):
			return nil, badField(name, fmt.Sprintf("there is no such parameter: want %s", orNone(allowed)))
		case len(texts) > 1:
			return nil, badField(name, "it is given twice")
		case !utf8.ValidString(texts[0]) || len(texts[0]) > 4096:
			return nil, badField(name, "want UTF-8 text of at most 4096 bytes")
		}
		p[name] = texts[0]
	}
	return p, nil
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// duration reads a time like "30s"; absent is 0.
func (p params) duration(name string) (time.Duration, error) {
	if p[name] == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(p[name])
	if err != nil || d <= 0 {
		return 0, badField(name, fmt.Sprintf("%q: want a duration above 0, such as 30s", p[name]))
	}
	return d, nil
}

// time reads a point in time; absent is the zero time.
func (p params) time(name string) (time.Time, error) {
	if p[name] == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, p[name])
	if err != nil {
		return time.Time{}, badField(name, fmt.Sprintf("%q: want a time such as 2026-01-31T15:04:05Z", p[name]))
	}
	return t, nil
}

// number reads a whole number from 0 to most; absent is fallback.
func (p params) number(name string, fallback, most int64) (int64, error) {
	if p[name] == "" {
		return fallback, nil
	}
	n, err := strconv.ParseInt(p[name], 10, 64)
	if err != nil || n < 0 || n > most {
		return 0, badField(name, fmt.Sprintf("%q: want a whole number from 0 to %d", p[name], most))
	}
	return n, nil
}

// flag reads true or false; absent is false.
func (p params) flag(name string) (bool, error) {
	switch p[name] {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	}
	return false, badField(name, fmt.Sprintf("%q: want true or false", p[name]))
}

// maxPerson bounds the name of who answers or changes something.
const maxPerson = 128

// person checks a name that goes into the audit; empty becomes fallback.
func person(field, name, fallback string) (string, error) {
	if name == "" {
		return fallback, nil
	}
	if len(name) > maxPerson || !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return "", badField(field, fmt.Sprintf("want a printable name of at most %d bytes", maxPerson))
	}
	return name, nil
}

// inNameOf is the name of who answers or changes something: the one given, else
// the token's. An approver's token is a person's, so what it does is done in its
// own name, whatever is given.
func inNameOf(field, name string, caller gate.Caller) (string, error) {
	name, err := person(field, name, caller.Token)
	if err == nil && caller.Standing == gate.Approver {
		name = caller.Token
	}
	return name, err
}
