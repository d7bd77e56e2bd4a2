package daemon

import (
	"bytes"
	"context"
	"fmt"

	"github.com/callgate/callgate/host/internal/approval/passkey"
	"github.com/callgate/callgate/host/internal/console"
	"github.com/callgate/callgate/host/internal/machine/securedir"
)

// mostSecret bounds the file of a provider's secret, in bytes.
const mostSecret = 4096

// beyond is the console for browsers of other machines, as accepted; nil for none.
func (d *Daemon) beyond() *console.Beyond {
	c := d.Host.Accepted().Console
	if c.Listen == "" {
		return nil
	}
	b := &console.Beyond{Listen: c.Listen, Origin: c.Origin, CertFile: c.TLS.CertFile, KeyFile: c.TLS.KeyFile}
	if c.Passkeys {
		b.Keys = &console.Keys{
			Challenge: d.Host.Passkeys.SignIn, Verify: d.Host.Passkeys.SignedIn, Lend: d.Tokens.LendPerson,
			Stands: func(ctx context.Context, c passkey.Credential) bool {
				_, named := d.Host.Settings().People[c.Person]
				return named && d.Host.Passkeys.Stands(ctx, c)
			},
		}
	}
	if c.OIDC.Issuer == "" {
		return b
	}
	b.Provider = &console.Provider{
		Issuer: c.OIDC.Issuer, ClientID: c.OIDC.ClientID, Lend: d.Tokens.LendPerson,
		Person: func(subject string) string { return d.Host.Settings().OIDCPerson(subject) },
	}
	if file := c.OIDC.ClientSecretFile; file != "" {
		b.Provider.Secret = func() (string, error) {
			text, err := securedir.ReadFile(file, mostSecret)
			if err != nil {
				return "", fmt.Errorf("console.oidc.client_secret_file: %w", err)
			}
			return string(bytes.TrimRight(text, "\r\n")), nil
		}
	}
	return b
}

// isListed reports whether a person may still get messages: where the configuration names people, it
// must name them.
func (d *Daemon) isListed(person string) bool {
	people := d.Host.Settings().People
	_, listed := people[person]
	return listed || len(people) == 0
}
