package record_test

import (
	"fmt"
	"os"

	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/record"
)

// A record names no place of the machine it was made on.
func ExampleWrite() {
	rows := []store.Row{{Event: store.EventDecision, Tool: "Read", CallID: "toolu_01", Decision: "allow", Input: `{"file_path":"/home/ann/shop/main.go"}`}}
	source := record.Source{Session: store.Session{ID: "s1", ProjectRoot: "/home/ann/shop"}, Mode: "default", Home: "/home/ann"}
	report, err := record.Write(os.Stdout, source, func(yield func(store.Row, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	})
	fmt.Println(report.Calls, report.Skipped, err)
	// Output:
	// {"id":"toolu_01","op":"decide","note":"allow","mode":"default","tool":"Read","input":{"file_path":"/project/main.go"},"context":{"home":"/home/user"}}
	// 1 0 <nil>
}
