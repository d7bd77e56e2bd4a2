package terminal

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/card"
)

// Given is the answer to one ask.
type Given struct {
	ID     string
	Answer ask.Answer
}

// maxList is how many asks a list has: as many as there are digit keys.
const maxList = 9

// list shows asks of one session on one screen and takes an answer for all of them or for one;
// none when the person goes back to the card. The screen stands as it was drawn: no ask comes
// onto it while the person reads.
func (t *Terminal) list(ctx context.Context, asks []ask.Ask) ([]Given, error) {
	more := len(asks) - maxList
	asks = asks[:min(len(asks), maxList)]
	reached := card.Reached(asks)
	fmt.Fprint(t.out, "\n", card.List(asks, t.width(), t.color))
	if more > 0 {
		fmt.Fprintf(t.out, "%d more wait and are not on this list: they are shown after these.\n", more)
	}
	keys := []string{"n", "b"}
	if len(reached) > 1 {
		keys = append([]string{"a"}, keys...)
	}
	for i := range asks {
		keys = append(keys, strconv.Itoa(i+1))
	}
	key, err := t.pick(ctx, "Answer ["+joined(keys)+"]: ", keys)
	switch {
	case err != nil || key == "b":
		return nil, err
	case key == "a":
		return together(asks, ask.Approve, reached), nil
	case key == "n":
		return together(asks, ask.Deny, nil), nil
	}
	n, _ := strconv.Atoi(key)
	return t.one(ctx, asks, n)
}

// one takes the answer to the nth ask of a list; the first has its card.
func (t *Terminal) one(ctx context.Context, asks []ask.Ask, n int) ([]Given, error) {
	if n == 1 {
		return nil, nil
	}
	keys := []string{"y", "n", "b"}
	if !slices.Contains(card.Reached(asks), strconv.Itoa(n)) {
		keys = keys[1:]
	}
	key, err := t.pick(ctx, fmt.Sprintf("Ask %d, %s: [y] allow once, [n] deny, [b] back [%s]: ", n, asks[n-1].ID, joined(keys)), keys)
	switch {
	case err != nil || key == "b":
		return nil, err
	case key == "y":
		return together(asks[n-1:n], ask.Approve, []string{"1"}), nil
	}
	return together(asks[n-1:n], ask.Deny, nil), nil
}

// together gives one verdict to asks, those of these places or all; the card's own comes last,
// so that none of the others is shown meanwhile.
func together(asks []ask.Ask, verdict ask.Verdict, places []string) []Given {
	var list []Given
	for i, a := range asks {
		if places == nil || slices.Contains(places, strconv.Itoa(i+1)) {
			list = append(list, Given{ID: a.ID, Answer: ask.Answer{Verdict: verdict, Surface: Surface}})
		}
	}
	if len(list) > 1 && list[0].ID == asks[0].ID {
		list = append(list[1:], list[0])
	}
	for i := range list {
		list[i].Answer.Together = i + 1
	}
	return list
}
