package link

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/bwmarrin/discordgo"
)

// session is a session at Discord; it outlives its connections.
type session struct {
	inner     *discordgo.Session
	first     *url.URL
	resumeAt  *url.URL
	resumable bool      // it was begun: the next connection goes on with it
	began     time.Time // when the last connection worked
	tries     int       // to connect, without success
}

func newGatewaySession(token string, intents discordgo.Intent, address *url.URL, in *inbox) (*session, error) {
	inner, err := newSession(token, &http.Client{Transport: inside{}})
	if err != nil {
		return nil, err
	}
	inner.Identify.Intents = intents
	inner.SyncEvents = true // a pool processes the events
	inner.AddHandler(func(_ *discordgo.Session, e *discordgo.Event) {
		contained(in.log, func() { in.dispatch(e.Type, e.RawData) })
	})
	return &session{inner: inner, first: address}, nil
}

func (s *session) address() string {
	if s.resumable && s.resumeAt != nil {
		return s.resumeAt.String()
	}
	return s.first.String()
}

// lived is how long the last connection worked, 0 when it did not.
func (s *session) lived() time.Duration {
	if s.began.IsZero() {
		return 0
	}
	lived := max(time.Since(s.began), 1)
	s.began = time.Time{}
	return lived
}

// elsewhere gives up an unreachable address for resuming.
func (s *session) elsewhere() { s.resumeAt = nil }

// open starts the discordgo session, which reads from the stream. It returns at the latest when
// the stream is cut.
func (s *session) open(st *stream) <-chan error {
	s.inner.Dialer = st.dialer()
	opened := make(chan error, 1)
	go func() {
		var err error
		if !contained(slog.New(slog.DiscardHandler), func() { err = s.inner.Open() }) {
			err = errInside
		}
		opened <- err
	}()
	return opened
}

// close waits until neither the stream nor discordgo does anything.
func (s *session) close(st *stream) {
	st.cut(errInside)
	_ = s.inner.CloseWithCode(closeResumable) // the stream is cut already
	st.wait()
}

// lost reports whether the session cannot go on after a connection ended with err.
func (s *session) lost(err error) bool {
	return !s.resumable || errors.Is(err, errInvalid) || sessionOver(err) || s.tries > maxResumes
}

// maxResumes is how often one session is resumed without success.
const maxResumes = 5
