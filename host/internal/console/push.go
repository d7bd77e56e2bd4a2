package console

import (
	"encoding/json"
	"net/http"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client/protocol/view"
)

// workerPath is where the script of push messages is: its place bounds the pages that it may open.
const workerPath = "/worker.js"

// worker serves the script that shows push messages.
func (s *Server) worker(w http.ResponseWriter, _ *http.Request) error {
	text, err := assets.ReadFile("assets/worker.js")
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	_, _ = w.Write(text) // the browser has left
	return nil
}

// manifest lets a phone install the console: some show messages of installed pages alone.
func (s *Server) manifest(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/manifest+json")
	_, _ = w.Write([]byte(`{"name":"Callgate","short_name":"Callgate","start_url":"/","scope":"/","display":"standalone","background_color":"#ffffff","theme_color":"#1f2430",` +
		`"icons":[{"src":"/assets/icon.svg","sizes":"any","type":"image/svg+xml"}]}` + "\n"))
	return nil
}

// messages are the person's devices for push messages.
func (s *Server) messages(w http.ResponseWriter, r *http.Request, of *session) error {
	if err := only(r.URL.Query()); err != nil {
		return err
	}
	devices, err := of.client.Push(r.Context(), of.by)
	if err != nil {
		return err
	}
	f := framed(r, of, "Messages", "/messages", devices)
	f.Pushes = true
	return s.render(w, http.StatusOK, "messages", f)
}

// addMessages subscribes this browser.
func (s *Server) addMessages(w http.ResponseWriter, r *http.Request, of *session) error {
	form, err := formOf(w, r, of)
	if err != nil {
		return err
	}
	var made struct {
		Endpoint string `json:"endpoint"`
		Keys     struct {
			P256dh string `json:"p256dh"`
			Auth   string `json:"auth"`
		} `json:"keys"`
	}
	if err := json.Unmarshal([]byte(form.Get("subscription")), &made); err != nil {
		return refuse(http.StatusBadRequest, "the browser made no subscription; begin again")
	}
	n := view.NewPush{Name: form.Get("name")}
	n.Subscription.Endpoint, n.Subscription.P256dh, n.Subscription.Auth = made.Endpoint, made.Keys.P256dh, made.Keys.Auth
	added, err := of.client.AddPush(r.Context(), of.by, n)
	if err != nil {
		return err
	}
	of.say(card.Line(added.Name) + " gets a message when a call waits.")
	http.Redirect(w, r, "/messages", http.StatusSeeOther)
	return nil
}

// removeMessages ends the messages to a device.
func (s *Server) removeMessages(w http.ResponseWriter, r *http.Request, of *session) error {
	if _, err := formOf(w, r, of); err != nil {
		return err
	}
	gone, err := of.client.RemovePush(r.Context(), of.by, r.PathValue("id"))
	if err != nil {
		return err
	}
	of.say(card.Line(gone.Name) + " gets no more messages.")
	http.Redirect(w, r, "/messages", http.StatusSeeOther)
	return nil
}
