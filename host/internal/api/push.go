package api

import (
	"net/http"

	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/client/protocol/view"
)

var errNoPush = failure(http.StatusServiceUnavailable, protocol.CodeUnavailable, "this daemon has no web console, and so no push messages; start it with callgate serve")

// listPush lists the devices of the caller's person, with the key for a further one.
func (s *Server) listPush(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	by, err := byParam(r, caller)
	if err != nil {
		return err
	}
	whose, err := s.deviceOwner(by, caller, s.c.Push != nil, errNoPush)
	if err != nil {
		return err
	}
	key, err := s.c.Push.Key(r.Context())
	if err != nil {
		return err
	}
	devices, err := s.c.Push.List(r.Context(), whose)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, view.PushDevices{Key: key, Devices: append([]view.PushDevice{}, devices...)})
}

// addPush subscribes a browser of the caller's person. A message answers nothing and shows nothing of
// a call, so it takes no PIN.
func (s *Server) addPush(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	by, err := byParam(r, caller)
	if err != nil {
		return err
	}
	var body view.NewPush
	release, err := s.readJSON(w, r, caller, &body)
	if err != nil {
		return err
	}
	defer release()
	whose, err := s.deviceOwner(by, caller, s.c.Push != nil, errNoPush)
	if err != nil {
		return err
	}
	added, err := s.c.Push.Add(r.Context(), whose, body.Name, caller.Token, body.Subscription)
	if err != nil {
		return err
	}
	return reply(w, http.StatusCreated, added)
}

// removePush ends the messages to a device.
func (s *Server) removePush(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	gone, err := removeDevice(s, r, caller, s.c.Push != nil, errNoPush, s.c.Push.Remove)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, gone)
}
