package push

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"syscall"
	"time"

	webpush "github.com/SherClockHolmes/webpush-go"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/store"
)

// The bounds of sending.
const (
	sendPatience = 10 * time.Second
	parallel     = 8
	// longest is how long a push service keeps a message for a device that is off.
	longest = time.Hour
)

// message is what a device gets: no part of the call.
type message struct {
	Ask string `json:"ask,omitempty"`
	// Alarm: a hook does not judge its client's calls.
	Alarm bool `json:"alarm,omitempty"`
}

// Sender sends messages to the devices of a Keeper.
type Sender struct {
	keeper *Keeper
	// listed reports whether a person may still be told.
	listed func(person string) bool
	client *http.Client
	log    *slog.Logger
	places chan struct{}
}

// NewSender returns a sender. listed says whether a person may still get messages; a nil client means
// one that reaches public hosts alone.
func NewSender(k *Keeper, listed func(person string) bool, client *http.Client, log *slog.Logger) *Sender {
	if client == nil {
		client = public()
	}
	return &Sender{keeper: k, listed: listed, client: client, log: log, places: make(chan struct{}, parallel)}
}

// Run tells of each ask shown, until events ends; then it waits for the messages under way.
func (s *Sender) Run(ctx context.Context, events <-chan ask.Event) {
	var sending sync.WaitGroup
	defer sending.Wait()
	for e := range events {
		if e.Kind != ask.EventShown {
			continue
		}
		keep := longest
		if !e.Ask.Deadline.IsZero() {
			keep = min(keep, e.Ask.Deadline.Sub(s.keeper.now()))
		}
		s.all(ctx, message{Ask: e.Ask.ID}, keep, &sending)
	}
}

// Alarm tells of a hook that does not judge its client's calls, and waits for the messages.
func (s *Sender) Alarm(ctx context.Context) {
	var sending sync.WaitGroup
	s.all(ctx, message{Alarm: true}, longest, &sending)
	sending.Wait()
}

// all sends a message to each device; its service keeps it for a time.
func (s *Sender) all(ctx context.Context, m message, keep time.Duration, sending *sync.WaitGroup) {
	r, err := s.keeper.load(ctx)
	if err != nil {
		s.log.Error("nobody gets a push message", "error", err)
		return
	}
	for _, d := range r.Devices {
		if s.listed(d.Person) {
			sending.Go(func() { s.tell(ctx, r, d, m, keep) })
		}
	}
}

// tell sends one message. A device that its service no longer knows is removed.
func (s *Sender) tell(ctx context.Context, r record, d kept, m message, keep time.Duration) {
	select {
	case s.places <- struct{}{}:
		defer func() { <-s.places }()
	case <-ctx.Done():
		return
	}
	ctx, cancel := context.WithTimeout(ctx, sendPatience)
	defer cancel()
	status, err := s.send(ctx, r, d, m, keep)
	switch {
	case err != nil && ctx.Err() == nil:
		s.log.Warn("a push message was not sent", "service", d.Service, "person", d.Person, "error", err)
	case status == http.StatusNotFound || status == http.StatusGone:
		if _, err := s.keeper.Remove(ctx, d.ID, "", "callgate"); err != nil && !errors.Is(err, store.ErrNotFound) {
			s.log.Warn("a device that its push service no longer knows stays listed", "service", d.Service, "error", err)
		}
	case status/100 != 2:
		s.log.Warn("a push service refused a message", "service", d.Service, "person", d.Person, "status", status)
	}
}

func (s *Sender) send(ctx context.Context, r record, d kept, m message, keep time.Duration) (status int, err error) {
	text, err := json.Marshal(m)
	if err != nil {
		return 0, err
	}
	res, err := webpush.SendNotificationWithContext(ctx, text, &webpush.Subscription{
		Endpoint: d.Subscription.Endpoint, Keys: webpush.Keys{P256dh: d.Subscription.P256dh, Auth: d.Subscription.Auth},
	}, &webpush.Options{
		HTTPClient: s.client, Subscriber: "https://github.com/callgate/callgate", TTL: max(0, int(keep.Seconds())), Urgency: webpush.UrgencyHigh,
		VAPIDPublicKey: r.Public, VAPIDPrivateKey: r.Private,
	})
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) // so that the connection can be used again
	return res.StatusCode, nil
}

// public is a client for hosts of the internet.
func public() *http.Client {
	dialer := &net.Dialer{Timeout: sendPatience, Control: publicOnly}
	return &http.Client{
		Timeout:       sendPatience,
		Transport:     &http.Transport{DialContext: dialer.DialContext, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 2, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// publicOnly refuses each address that is not one of the internet, after the name was resolved.
func publicOnly(_, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	ip := ap.Addr().Unmap()
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || shared.Contains(ip) || ap.Port() != 443 {
		return fmt.Errorf("%s is no public address: a push service is on the internet", ip)
	}
	return nil
}

// shared are addresses between a provider and its customers (RFC 6598).
var shared = netip.MustParsePrefix("100.64.0.0/10")
