package config

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Callback is a program that answers an agent's asks in place of people, over HTTP. Without url
// there is none. Where ask_approvers restrict who may answer, they must name it, as "callback
// HOST"; otherwise people are asked.
type Callback struct {
	// URL is where each ask is posted to: https, or http on this machine's loopback.
	URL string `yaml:"url"`
	// SecretFile holds the secret for the signatures of requests and answers: 16 to 4096 bytes,
	// readable by the daemon's account alone; absolute or ~/....
	SecretFile string `yaml:"secret_file"`
	// Timeout is the time for an answer; a late answer denies. The agent's own timeout caps it.
	// Built in: 30s.
	Timeout Duration `yaml:"timeout"`
}

// Webhook is a receiver of events.
type Webhook struct {
	// URL is where each event is posted to: https, or http on this machine's loopback.
	URL string `yaml:"url"`
	// Events are the names of the posted events: PermissionRequest, PermissionDenied, HookAlarm.
	// Left out: all.
	Events []string `yaml:"events"`
	// Agents are the agents with posted events. Left out: all.
	Agents []string `yaml:"agents"`
	// SecretFile holds the secret for signing posts, as for a callback.
	SecretFile string `yaml:"secret_file"`
	// Timeout is how long one attempt may take. Built in: 10s.
	Timeout Duration `yaml:"timeout"`
}

// The built-in time-outs.
const (
	callbackTimeout = Duration(30 * time.Second)
	webhookTimeout  = Duration(10 * time.Second)
)

// webhookEvents are the names of the possible events.
func webhookEvents() []string {
	return []string{"PermissionRequest", "PermissionDenied", "HookAlarm"}
}

// callbackOf is an agent's callback; one without a URL removes the callback of defaults.
func (c *Config) callbackOf(own Settings) Callback {
	choice := own.Callback
	if choice == nil {
		choice = c.Defaults.Callback
	}
	if choice == nil || choice.URL == "" {
		return Callback{}
	}
	out := *choice
	out.Timeout = Duration(out.Timeout.or(callbackTimeout))
	return out
}

// EventHooks are the webhooks with their time-outs filled in.
func (c *Config) EventHooks() []Webhook {
	out := slices.Clone(c.Webhooks)
	for i := range out {
		out[i].Timeout = Duration(out[i].Timeout.or(webhookTimeout))
	}
	return out
}

// SecretFiles are the files with secrets of callbacks, webhooks and the console, and the token for
// Discord, each once. From the next start on, no call may touch them.
func (c *Config) SecretFiles() []string {
	var out []string
	add := func(path string) {
		if path != "" && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	for _, name := range append([]string{""}, sortedKeys(c.Agents)...) {
		add(c.Agent(name).Callback.SecretFile)
	}
	for _, h := range c.Webhooks {
		add(h.SecretFile)
	}
	add(c.Discord.TokenFile)
	add(c.Console.TLS.KeyFile)
	add(c.Console.OIDC.ClientSecretFile)
	for _, path := range c.storeSecrets() {
		add(path)
	}
	return out
}

func (ck *checker) callback(c *Callback, field string) {
	switch {
	case c == nil:
		return
	case c.URL == "" && c.SecretFile != "":
		ck.add(field+".url", "missing: want the URL to post asks to")
		return
	case c.URL == "":
		return
	}
	ck.endpoint(c.URL, &c.SecretFile, c.Timeout, field)
}

func (ck *checker) webhooks(hooks []Webhook) {
	for i := range hooks {
		h, field := &hooks[i], fmt.Sprintf("webhooks[%d]", i)
		if h.URL == "" {
			ck.add(field+".url", "missing: want the URL to post events to")
			continue
		}
		ck.endpoint(h.URL, &h.SecretFile, h.Timeout, field)
		for j, name := range h.Events {
			if !slices.Contains(webhookEvents(), name) {
				ck.add(fmt.Sprintf("%s.events[%d]", field, j), "unknown event %q; want %s", name, strings.Join(webhookEvents(), " or "))
			}
		}
		for j, name := range h.Agents {
			if strings.TrimSpace(name) == "" {
				ck.add(fmt.Sprintf("%s.agents[%d]", field, j), "empty name; want the name of an agent")
			}
		}
	}
}

// endpoint checks the common settings of callbacks and webhooks.
func (ck *checker) endpoint(address string, secret *string, timeout Duration, field string) {
	if err := CheckEndpoint(address); err != nil {
		ck.add(field+".url", "%v", err)
	}
	if *secret == "" {
		ck.add(field+".secret_file", "missing: want the path of a file with a secret of at least 16 bytes (for example from `openssl rand -hex 32`) that only the daemon's account can read")
	}
	ck.path(secret, field+".secret_file")
	ck.wait(timeout, field+".timeout")
}

// maxURL bounds an address, in bytes.
const maxURL = 2048

// CheckEndpoint refuses an address unfit for reports about agents' calls: one without TLS outside
// this machine, and one with a password.
func CheckEndpoint(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || len(address) > maxURL || u.Host == "" || u.Opaque != "":
		return fmt.Errorf("%.80q is not a valid URL; want https://HOST/PATH, or http://127.0.0.1:PORT/PATH", address)
	case u.User != nil:
		return fmt.Errorf("it contains a user or a password; remove them (requests are signed with the secret file)")
	case u.Fragment != "":
		return fmt.Errorf("it contains a #fragment, which is never sent; remove it")
	case u.Scheme == "https":
		return nil
	case u.Scheme == "http" && isLoopback(u.Hostname()):
		return nil
	case u.Scheme == "http":
		return fmt.Errorf("%s is not on this machine; use https, or http with 127.0.0.1, [::1] or localhost", net.JoinHostPort(u.Hostname(), u.Port()))
	}
	return fmt.Errorf("scheme %q: want https, or http on this machine's loopback", u.Scheme)
}

// isLoopback reports whether a host's name is this machine's own.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback()
}
