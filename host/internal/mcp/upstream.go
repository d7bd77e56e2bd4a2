package mcp

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"
	"golang.org/x/net/http/httpguts"
)

// ParseEntry reads a server of HTTP as a client lists it: an object with url or httpUrl, and headers;
// other members do not matter. Its errors hold no value, because each may be a secret.
func ParseEntry(entry string) (Upstream, http.Header, error) {
	plain, err := hujson.Standardize([]byte(entry))
	if err != nil {
		return Upstream{}, nil, errors.New("the server's entry cannot be read: want a JSON object")
	}
	all, err := members(plain)
	if err != nil {
		return Upstream{}, nil, errors.New("the server's entry cannot be read: want a JSON object with each name once")
	}
	address := find(all, "httpUrl").value
	if address == nil {
		address = find(all, "url").value
	}
	at, err := text(address)
	if err != nil {
		return Upstream{}, nil, errors.New("the server's entry has no url")
	}
	up, err := ParseUpstream(at)
	if err != nil {
		return Upstream{}, nil, err
	}
	header, err := entryHeaders(find(all, "headers").value)
	return up, header, err
}

func entryHeaders(object jsontext.Value) (http.Header, error) {
	header := http.Header{}
	if object == nil {
		return header, nil
	}
	all, err := members(object)
	if err != nil {
		return nil, errors.New("the headers of the server's entry: want an object of texts")
	}
	for _, m := range all {
		value, err := text(m.value)
		if err != nil || !httpguts.ValidHeaderFieldName(m.name) || !httpguts.ValidHeaderFieldValue(value) {
			return nil, fmt.Errorf("the header %.40q of the server's entry is not valid", m.name)
		}
		header.Add(m.name, value)
	}
	return header, nil
}
