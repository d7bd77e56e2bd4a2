package doctor

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"slices"
	"time"

	"github.com/callgate/callgate/host/internal/approval/webhook"
)

// reachPatience is how long an address may take to answer a connection.
const reachPatience = 3 * time.Second

// endpoints checks the callbacks and webhooks of the configuration: whether their secrets are
// usable, and whether a server listens. Nothing is posted.
func (d *examination) endpoints(ctx context.Context) {
	if d.Config == nil {
		return
	}
	type endpoint struct{ check, url, secret, without string }
	var list []endpoint
	add := func(e endpoint) {
		if e.url != "" && !slices.Contains(list, e) {
			list = append(list, e)
		}
	}
	const denied = "all asks of its agents are denied"
	add(endpoint{"callback", d.Config.Agent("").Callback.URL, d.Config.Agent("").Callback.SecretFile, denied})
	for name := range d.Config.Agents {
		c := d.Config.Agent(name).Callback
		add(endpoint{"callback", c.URL, c.SecretFile, denied})
	}
	for _, h := range d.Config.EventHooks() {
		add(endpoint{"webhook", h.URL, h.SecretFile, "it receives no events"})
	}
	slices.SortFunc(list, func(a, b endpoint) int { return slices.Compare([]string{a.check, a.url}, []string{b.check, b.url}) })
	for _, e := range list {
		u, err := url.Parse(e.url)
		if err != nil {
			continue // the configuration has refused it
		}
		if _, err := webhook.Secret(e.secret); err != nil {
			d.bad(e.check+".secret", fmt.Sprintf("%s: %v; %s", u.Host, err, e.without), "write `openssl rand -hex 32` to a file with mode 0600 that the daemon's account owns")
			continue
		}
		if err := reach(ctx, u); err != nil {
			d.bad(e.check+".reachable", fmt.Sprintf("%s does not answer: %v; %s", u.Host, err, e.without), "start the server there, or correct its url in the configuration")
			continue
		}
		d.ok(e.check+".reachable", u.Host+" accepts connections, and its secret is private.")
	}
}

// reach opens a connection and closes it.
func reach(ctx context.Context, u *url.URL) error {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	ctx, cancel := context.WithTimeout(ctx, reachPatience)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return err
	}
	return conn.Close()
}
