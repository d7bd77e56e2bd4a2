package push

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	webpush "github.com/SherClockHolmes/webpush-go"

	"github.com/callgate/callgate/host/internal/store"
)

// Store keeps the devices, and the audit row of every change to them.
type Store interface {
	Setting(ctx context.Context, name string) ([]byte, error)
	SaveSetting(ctx context.Context, name string, value []byte, row store.Row) error
}

// setting is the record's name in the store.
const setting = "push"

// The bounds of the record.
const (
	maxDevices  = 200
	maxOfPerson = 20
	maxName     = 60
	maxEndpoint = 1000
)

// Device is a browser that gets messages.
type Device struct {
	ID      string    `json:"id"`
	Person  string    `json:"person"`
	Name    string    `json:"name"`
	AddedAt time.Time `json:"added_at"`
	// Service is the host of the browser's push service.
	Service string `json:"service"`
}

// Subscription is the browser's word for one: PushSubscription.toJSON.
type Subscription struct {
	Endpoint string `json:"endpoint"`
	// P256dh and Auth are the browser's public key and secret, in base64url.
	P256dh string `json:"p256dh"`
	Auth   string `json:"auth"`
}

// kept is a device with its subscription.
type kept struct {
	Device
	Subscription Subscription `json:"subscription"`
}

// record is all that is kept.
type record struct {
	// Public and Private are the VAPID key, in base64url.
	Public  string `json:"public"`
	Private string `json:"private"`
	Devices []kept `json:"devices"`
}

// ErrBadSubscription marks a subscription that cannot be used.
var ErrBadSubscription = errors.New("the browser's subscription cannot be used")

// Keeper keeps the devices. It is safe for concurrent use.
type Keeper struct {
	store Store
	now   func() time.Time

	saving sync.Mutex
}

// New returns a Keeper over a store; nil now means time.Now.
func New(s Store, now func() time.Time) *Keeper {
	if now == nil {
		now = time.Now
	}
	return &Keeper{store: s, now: now}
}

// Key is the public key for a browser's subscription, in base64url. It is made when it is first needed.
func (k *Keeper) Key(ctx context.Context) (string, error) {
	k.saving.Lock()
	defer k.saving.Unlock()
	r, err := k.load(ctx)
	if err != nil || r.Public != "" {
		return r.Public, err
	}
	if r.Private, r.Public, err = webpush.GenerateVAPIDKeys(); err != nil {
		return "", fmt.Errorf("make the key for push messages: %w", err)
	}
	return r.Public, k.save(ctx, r, store.Row{Event: store.EventPushKey, DecidedBy: "callgate", Detail: "made the key that signs push messages"})
}

// Add subscribes a browser of a person, under their name for it.
func (k *Keeper) Add(ctx context.Context, person, name, by string, s Subscription) (Device, error) {
	service, err := check(s)
	switch {
	case err != nil:
		return Device{}, fmt.Errorf("%w: %w", ErrBadSubscription, err)
	case person == "" || name == "" || len(name) > maxName || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }):
		return Device{}, fmt.Errorf("%w: want a name for the device of at most %d bytes", ErrBadSubscription, maxName)
	}
	k.saving.Lock()
	defer k.saving.Unlock()
	r, err := k.load(ctx)
	if err != nil {
		return Device{}, err
	}
	r.Devices = slices.DeleteFunc(r.Devices, func(d kept) bool { return d.Subscription.Endpoint == s.Endpoint }) // the same browser again
	own := 0
	for _, d := range r.Devices {
		if d.Person == person {
			own++
		}
	}
	if own >= maxOfPerson || len(r.Devices) >= maxDevices {
		return Device{}, fmt.Errorf("%w: too many devices get messages; remove one first", ErrBadSubscription)
	}
	d := Device{ID: rand.Text(), Person: person, Name: name, AddedAt: k.now().UTC(), Service: service}
	r.Devices = append(r.Devices, kept{d, s})
	return d, k.save(ctx, r, k.row(store.EventPushAdded, d, by))
}

// Remove ends a device's messages, in the name of by. person limits it to theirs; empty means anybody's.
// store.ErrNotFound for none such.
func (k *Keeper) Remove(ctx context.Context, id, person, by string) (Device, error) {
	k.saving.Lock()
	defer k.saving.Unlock()
	r, err := k.load(ctx)
	if err != nil {
		return Device{}, err
	}
	i := slices.IndexFunc(r.Devices, func(d kept) bool { return d.ID == id && (person == "" || d.Person == person) })
	if i < 0 {
		return Device{}, fmt.Errorf("device %q: %w", id, store.ErrNotFound)
	}
	gone := r.Devices[i].Device
	r.Devices = slices.Delete(r.Devices, i, i+1)
	return gone, k.save(ctx, r, k.row(store.EventPushRemoved, gone, by))
}

// List returns the devices; person limits it to theirs.
func (k *Keeper) List(ctx context.Context, person string) ([]Device, error) {
	r, err := k.load(ctx)
	var out []Device
	for _, d := range r.Devices {
		if person == "" || d.Person == person {
			out = append(out, d.Device)
		}
	}
	return out, err
}

func (k *Keeper) row(event store.Event, d Device, by string) store.Row {
	return store.Row{Event: event, User: d.Person, DecidedBy: by, Detail: fmt.Sprintf("messages to %q of %s through %s", d.Name, d.Person, d.Service)}
}

// load reads the record. One changed outside Callgate is an error: no message goes out by it.
func (k *Keeper) load(ctx context.Context) (record, error) {
	var r record
	if err := store.ReadSetting(ctx, k.store, setting, &r); err != nil {
		return record{}, fmt.Errorf("read the devices for push messages: %w", err)
	}
	return r, nil
}

func (k *Keeper) save(ctx context.Context, r record, row store.Row) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	row.Time = k.now()
	return k.store.SaveSetting(ctx, setting, text, row)
}

// check returns the host of a subscription's service. Its address must be a public host's over TLS,
// because a browser, or who speaks for one, chooses it.
func check(s Subscription) (string, error) {
	u, err := url.Parse(s.Endpoint)
	switch {
	case err != nil || len(s.Endpoint) > maxEndpoint || u.Scheme != "https" || u.User != nil || u.Fragment != "" || u.Opaque != "":
		return "", errors.New("endpoint: want an https address")
	case u.Port() != "" && u.Port() != "443":
		return "", errors.New("endpoint: want the port 443")
	case !strings.Contains(u.Hostname(), ".") || strings.HasSuffix(u.Hostname(), ".") || strings.HasSuffix(strings.ToLower(u.Hostname()), ".localhost"):
		return "", errors.New("endpoint: want a public host")
	}
	if _, err := netip.ParseAddr(u.Hostname()); err == nil {
		return "", errors.New("endpoint: want a host's name, not an address")
	}
	if key, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(s.P256dh, "=")); err != nil || len(key) != 65 || key[0] != 4 {
		return "", errors.New("p256dh: want an uncompressed point of P-256 in base64url")
	}
	if auth, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(s.Auth, "=")); err != nil || len(auth) != 16 {
		return "", errors.New("auth: want 16 bytes in base64url")
	}
	return strings.ToLower(u.Hostname()), nil
}
