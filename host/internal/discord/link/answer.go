package link

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"sync"

	"github.com/bwmarrin/discordgo"
)

// answer is the answer to an interaction over HTTP: in the response to that call, or, when it
// is later or has files, by REST.
type answer struct {
	client *Client
	i      *discordgo.Interaction

	mu     sync.Mutex
	body   *callback                         // nil: the call is answered with nothing
	taken  bool                              // the call is answered, or is about to be
	defers discordgo.InteractionResponseType // 0: it was not deferred

	given   chan struct{} // closed with the answer
	written chan struct{} // closed when the call was answered, with failed
	failed  error
}

func newAnswer(client *Client, i *discordgo.Interaction) *answer {
	return &answer{client: client, i: i, given: make(chan struct{}), written: make(chan struct{})}
}

// respond is Interaction.Respond.
func (a *answer) respond(ctx context.Context, r Response) error {
	c, err := r.callback()
	if err != nil {
		return unsound("answer an interaction", err)
	}
	a.mu.Lock()
	late, byREST := a.taken, len(r.files()) > 0
	if !late {
		a.taken = true
		if !byREST {
			a.body = &c
		}
		close(a.given)
	}
	defers := a.defers
	a.mu.Unlock()
	switch {
	case late && defers != 0:
		return a.after(ctx, r, defers)
	case late: // the call was answered with nothing: Discord still waits for this
		return a.client.Respond(ctx, a.i, r)
	}
	select {
	case <-a.written:
	case <-ctx.Done():
		return &Error{What: "answer an interaction", Err: ctx.Err()}
	}
	if byREST {
		return a.client.Respond(ctx, a.i, r)
	}
	return a.failed
}

var errLate = errors.New("it is too late for this kind of answer")

// after sends an answer behind a deferral.
func (a *answer) after(ctx context.Context, r Response, defers discordgo.InteractionResponseType) error {
	switch r.Type {
	case discordgo.InteractionResponseDeferredChannelMessageWithSource, discordgo.InteractionResponseDeferredMessageUpdate:
		return nil
	case discordgo.InteractionResponseUpdateMessage:
		_, err := a.client.EditOriginal(ctx, a.i, *r.Message)
		return err
	case discordgo.InteractionResponseChannelMessageWithSource:
		if defers == discordgo.InteractionResponseDeferredMessageUpdate {
			_, err := a.client.FollowUp(ctx, a.i, *r.Message)
			return err
		}
		_, err := a.client.EditOriginal(ctx, a.i, *r.Message)
		return err
	}
	return &Error{What: "answer an interaction", Err: errLate}
}

// deferNow takes the place of the answer, unless it is there by now.
func (a *answer) deferNow() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.taken {
		return
	}
	a.taken = true
	if a.defers = deferral(a.i); a.defers == 0 {
		return
	}
	if c, err := (Response{Type: a.defers}).callback(); err == nil {
		a.body = &c
	}
}

// deferral is how an interaction can be deferred: 0 where it cannot.
func deferral(i *discordgo.Interaction) discordgo.InteractionResponseType {
	switch {
	case i.Type == discordgo.InteractionApplicationCommand:
		return discordgo.InteractionResponseDeferredChannelMessageWithSource
	case i.Type == discordgo.InteractionMessageComponent, i.Type == discordgo.InteractionModalSubmit && i.Message != nil:
		return discordgo.InteractionResponseDeferredMessageUpdate
	case i.Type == discordgo.InteractionModalSubmit:
		return discordgo.InteractionResponseDeferredChannelMessageWithSource
	}
	return 0
}

// write answers the call. Without a body it is 202: Discord then waits for an answer by REST,
// and informs the person when none comes.
func (a *answer) write(w http.ResponseWriter) {
	a.mu.Lock()
	a.taken = true
	body := a.body
	a.mu.Unlock()
	if body == nil {
		w.WriteHeader(http.StatusAccepted)
	} else {
		a.failed = writeCallback(w, *body)
	}
	if err := http.NewResponseController(w).Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		a.failed = &Error{What: "answer an interaction", Err: errors.New("the call from Discord was cut")}
	}
	close(a.written)
}

func writeCallback(w http.ResponseWriter, c callback) error {
	body, err := json.Marshal(c)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, err = w.Write(body)
	return err
}
