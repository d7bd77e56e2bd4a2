package card_test

import (
	"fmt"

	"github.com/callgate/callgate/host/internal/approval/card"
)

func ExampleVisible() {
	fmt.Println(card.Visible("rm -rf /\rls"))
	fmt.Println(card.Visible("echo \u202Etxt.exe"))
	fmt.Println(card.Visible("/usr/bin/c\u0430t ‹›"))
	// Output:
	// rm -rf /‹U+000D›ls
	// echo ‹U+202E›txt.exe
	// /usr/bin/c‹U+0430›t ‹U+2039›‹U+203A›
}
