// Package webhook talks to the operator's own programs over HTTP: an approver that answers asks
// in place of people, and listeners for asks and denials.
//
// Every post is signed, and so is an approver's answer. The signatures are HMAC-SHA256 with a
// secret of the operator, hex, after "v1=":
//
//	request: "callgate-request-v1\n" ID "\n" TIMESTAMP "\n" BODY
//	answer:  "callgate-answer-v1\n" ID "\n" BODY
//
// ID is the header Callgate-Request, a random name of the one request; TIMESTAMP the header
// Callgate-Timestamp, in Unix seconds. An answer is bound to its request by the ID, so neither
// another program on the port nor an answer to another call counts.
//
// Source: docs/seeds.md, "`can_use_tool` callback contract".
package webhook
