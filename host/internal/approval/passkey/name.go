package passkey

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"github.com/callgate/callgate/host/internal/store"
)

// nameSetting is the name's name in the store.
const nameSetting = "console_name"

// Name is the host name under which the console answers, and passkeys count: the operator's, or
// cg-RANDOM.localhost, made once for each store, when it is first needed. A name changed outside Callgate is replaced,
// and the passkeys of the old one no longer count.
// RATIONALE.md, "Why is the console's address a random name below .localhost?".
func (k *Keeper) Name(ctx context.Context) (string, error) {
	k.saving.Lock()
	defer k.saving.Unlock()
	if k.name = cmp.Or(k.name, k.c.Host); k.name != "" {
		return k.name, nil
	}
	text, err := k.c.Store.Setting(ctx, nameSetting)
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrForged) {
		text = []byte("cg-" + strings.ToLower(rand.Text()[:16]) + ".localhost")
		err = k.c.Store.SaveSetting(ctx, nameSetting, text, store.Row{
			Time: k.c.Now(), Event: store.EventConsoleNamed, DecidedBy: "callgate", Detail: "the console answers under a new name",
		})
	}
	if errors.Is(err, store.ErrStale) { // another daemon made one at the same time
		text, err = k.c.Store.Setting(ctx, nameSetting)
	}
	if err != nil {
		return "", fmt.Errorf("the console's name: %w", err)
	}
	k.name = string(text)
	return k.name, nil
}
