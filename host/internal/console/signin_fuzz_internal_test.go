package console

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// FuzzSignedIn: no words of a provider's way back make a session or markup, even with the right state
// and the right browser, unless the provider itself confirms the code.
func FuzzSignedIn(f *testing.F) {
	for _, query := range []string{
		"state=s&code=c", "state=s&code=c&code=d", "state=s", "error=access_denied", "error=%3Cscript%3Ealert(1)%3C/script%3E", "state=x&code=c", "state=s;code=c", "%zz", "",
	} {
		f.Add(query, "b")
		f.Add(query, "other")
	}
	f.Fuzz(func(t *testing.T, query, browser string) {
		const origin = "https://gate.example.org"
		s := New(Config{Beyond: &Beyond{Origin: origin, Provider: &Provider{
			Issuer: "http://127.0.0.1:1", ClientID: "callgate",
			Person: func(string) string { return "ann" },
			Lend: func(string, time.Duration) (string, context.Context, func(), error) {
				t.Error("rights were lent without the provider's word")
				return "", nil, nil, errors.New("none")
			},
		}}})
		defer s.Close()
		if browser == "b" { // the right one
			browser = s.signIns.sealed(signIn{State: "s", Nonce: "n", Verifier: "v", Expires: time.Now().Add(time.Hour)})
		}
		r := httptest.NewRequest(http.MethodGet, origin+signedInPath, nil)
		r.URL.RawQuery = query
		r.Header.Set("Cookie", signInCookie+"="+browser)
		w := httptest.NewRecorder()
		err := s.signedIn(w, r)
		if err == nil {
			t.Fatalf("%q signed in", query)
		}
		s.fail(w, r, nil, err)
		if page := w.Body.String(); w.Code < 400 || len(w.Header().Values("Set-Cookie")) > 0 || strings.Contains(page, "<script>") || strings.Contains(page, "<img src=x") {
			t.Errorf("%q: %d %v\n%s", query, w.Code, w.Header(), page)
		}
	})
}
