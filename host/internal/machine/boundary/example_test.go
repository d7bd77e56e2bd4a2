package boundary_test

import (
	"fmt"

	"github.com/callgate/callgate/host/internal/machine/boundary"
)

// Facts come from Gather; Assess is a function of them alone.
func ExampleAssess() {
	report := boundary.Assess(boundary.Facts{
		Supported: true, OS: "linux",
		Agent:  boundary.Account{Name: "alice", UID: 1001, Groups: []boundary.Group{{GID: 27, Name: "sudo"}}},
		Daemon: boundary.Account{Name: "callgate", UID: 990},
		Grants: []boundary.Grant{{By: "sudo", Where: "/etc/sudoers:12", Text: "%sudo ALL=(ALL:ALL) ALL"}},
	})
	fmt.Println("level", report.Level)
	for _, reason := range report.Reasons {
		fmt.Println(reason.Code)
	}
	// Output:
	// level A
	// group
	// grant
}
