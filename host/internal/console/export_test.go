package console

import (
	"net/http"
	"strings"
)

// Operations are all operations that want a session, as "METHOD PATH", with values for what is in
// braces.
func Operations(ask string) (all []string) {
	values := strings.NewReplacer("{$}", "", "/asks/{id}", "/asks/"+ask, "{id}", "x", "{seq}", "1", "{file}", "deploy.wasm")
	for _, rt := range routes {
		all = append(all, rt.method+" "+values.Replace(rt.path))
	}
	return all
}

// Changes reports whether an operation is a form's.
func Changes(operation string) bool { return strings.HasPrefix(operation, http.MethodPost) }
