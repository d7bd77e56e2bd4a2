package pin_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/callgate/callgate/host/internal/approval/pin"
)

// A PIN typed in one terminal says nothing about another.
func ExampleKeeper() {
	ctx := context.Background()
	k := pin.New(pin.Config{Store: &memory{}})
	here := pin.Who{By: "ann", Token: "admin", Terminal: "tty1/100/5"}
	elsewhere := pin.Who{By: "ann", Token: "admin", Terminal: "tty2/200/6"}

	fmt.Println("at first:", errors.Is(k.Require(ctx, here), pin.ErrNoPIN))
	if err := k.Set(ctx, "", "4711 0815", here); err != nil {
		fmt.Println(err)
	}
	if _, err := k.Unlock(ctx, "4711 0815", here); err != nil {
		fmt.Println(err)
	}
	fmt.Println("here:", k.Require(ctx, here))
	fmt.Println("elsewhere:", errors.Is(k.Require(ctx, elsewhere), pin.ErrLocked))
	// Output:
	// at first: true
	// here: <nil>
	// elsewhere: true
}
