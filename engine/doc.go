// Package engine decides whether a tool call may run: allow, deny, or ask a
// human. It is this table and nothing else:
//
//	step                    default      accept_edits  explore      bypass       dont_ask
//	1  deny rules           deny         deny          deny         deny         deny
//	2  ask rules            ask          ask           ask          ask          deny
//	3a check_read_only      -            yes: allow    allow, deny  -            -
//	3b check_permissions:
//	   allow, deny          allow, deny  allow, deny   -            allow, deny  allow, deny
//	   ask, bypass_immune   ask          ask           -            go on        deny
//	   ask                  go on        go on         -            go on        deny
//	   passthrough          go on        go on         -            go on        go on
//	3  an error             ask          ask           deny         ask          deny
//	4  allow rules          allow        allow         -            allow        allow
//	   trusted folder:
//	   only reads in it     allow        -             -            -            allow
//	   edits in it, trusted
//	   for that             allow        -             -            -            -
//	5  mode                 ask          ask           -            allow        deny
//
// [Decide] walks it from top to bottom for one [Request] and returns a [Decision]; its zero value
// denies. The mode trusted has bypass's column. In explore an ask rule of a project's file denies
// calls that are not read-only. The package is pure: no I/O, no goroutines, no clock. It sees a
// tool only through the four verbs of [Tool] and never interprets the content of a rule: it is in
// the tool's own language.
//
// Errors never widen. Any error of a verb, and any error of the caller while preparing the request,
// ends in deny or ask, in every mode.
package engine
