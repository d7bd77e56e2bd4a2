// Command recorder stands in for every program of a shelltest.Lab: it logs how it
// was started. It is a program of its own, not the test binary, because it starts
// some thousand times per test.
package main

import "github.com/callgate/callgate/plugins/internal/testkit/shelltest"

func main() { shelltest.Record() }
