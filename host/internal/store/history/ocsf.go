package history

import (
	"cmp"
	"strconv"

	"github.com/callgate/callgate/host/internal/store"
)

// OCSF is a row in the Open Cybersecurity Schema Framework, version 1.6: class 6003, API Activity,
// with the profile security_control. Its fields are those of the schema; what the schema has no
// place for is in Unmapped.
type OCSF struct {
	Category     int    `json:"category_uid"`
	Class        int    `json:"class_uid"`
	ClassName    string `json:"class_name"`
	Activity     int    `json:"activity_id"`
	ActivityName string `json:"activity_name"`
	Type         int    `json:"type_uid"`
	// Time is in milliseconds since 1970.
	Time       int64  `json:"time"`
	Severity   int    `json:"severity_id"`
	Status     int    `json:"status_id"`
	StatusText string `json:"status_detail,omitempty"`
	Message    string `json:"message,omitempty"`
	// Action and Disposition are 1 for allowed and 2 for denied; absent from a row that is no
	// decision.
	Action      int `json:"action_id,omitempty"`
	Disposition int `json:"disposition_id,omitempty"`

	Metadata ocsfMetadata      `json:"metadata"`
	Actor    ocsfActor         `json:"actor"`
	API      ocsfAPI           `json:"api"`
	Source   ocsfName          `json:"src_endpoint"`
	Unmapped map[string]string `json:"unmapped"`
}

type ocsfMetadata struct {
	Version string `json:"version"`
	// UID is the row's hash, the same in the proof of the row.
	UID      string      `json:"uid"`
	Sequence int64       `json:"sequence"`
	LogName  string      `json:"log_name"`
	Profiles []string    `json:"profiles"`
	Product  ocsfProduct `json:"product"`
}

type ocsfProduct struct {
	Name   string `json:"name"`
	Vendor string `json:"vendor_name"`
}

type ocsfActor struct {
	App     string    `json:"app_name"`
	User    *ocsfName `json:"user,omitempty"`
	Session *ocsfUID  `json:"session,omitempty"`
}

type ocsfName struct {
	Name string `json:"name"`
}

type ocsfUID struct {
	UID string `json:"uid"`
}

type ocsfAPI struct {
	Operation string    `json:"operation"`
	Service   ocsfName  `json:"service"`
	Request   *ocsfUID  `json:"request,omitempty"`
	Response  *ocsfCode `json:"response,omitempty"`
}

type ocsfCode struct {
	Message string `json:"message"`
}

// The numbers of the schema.
const (
	ocsfCategory = 6
	ocsfClass    = 6003
	ocsfOther    = 99 // of activities: a check is none of create, read, update and delete

	ocsfInformational, ocsfLow, ocsfHigh = 1, 2, 4
)

// serious are the events for a person to look at.
var serious = map[store.Event]bool{store.EventCallMismatch: true, store.EventSessionPaused: true, store.EventModuleUndone: true, store.EventHookUnjudged: true}

// ToOCSF writes a row in the schema. Texts are the audit's, with their secrets masked.
func ToOCSF(r store.Row) OCSF {
	app := cmp.Or(r.Agent, "callgate")
	o := OCSF{
		Category: ocsfCategory, Class: ocsfClass, ClassName: "API Activity",
		Activity: ocsfOther, ActivityName: string(r.Event), Type: ocsfClass*100 + ocsfOther,
		Time: r.Time.UnixMilli(), Severity: ocsfInformational, Status: 1, StatusText: r.Detail, Message: r.Action,
		Metadata: ocsfMetadata{
			Version: "1.6.0", UID: r.Hash.String(), Sequence: r.Seq, LogName: "audit", Profiles: []string{"security_control"},
			Product: ocsfProduct{Name: "Callgate", Vendor: "Callgate"},
		},
		Actor:  ocsfActor{App: app},
		API:    ocsfAPI{Operation: cmp.Or(r.Tool, string(r.Event)), Service: ocsfName{"callgate"}},
		Source: ocsfName{app},
		Unmapped: map[string]string{
			"prev": r.Prev.String(),
		},
	}
	if user := cmp.Or(r.User, r.DecidedBy); user != "" {
		o.Actor.User = &ocsfName{user}
	}
	if r.Session != "" {
		o.Actor.Session = &ocsfUID{r.Session}
	}
	if r.CallID != "" {
		o.API.Request = &ocsfUID{r.CallID}
	}
	switch {
	case serious[r.Event]:
		o.Severity = ocsfHigh
	case r.Event == store.EventDecision:
		o.API.Response = &ocsfCode{string(r.Decision)}
		o.Action, o.Disposition = 1, 1
		if r.Decision != store.Allowed && r.Decision != store.AskApproved {
			o.Status, o.Severity, o.Action, o.Disposition = 2, ocsfLow, 2, 2
		}
	}
	for name, text := range map[string]string{
		"decision": string(r.Decision), "decided_by": r.DecidedBy, "stage": r.Stage, "code": r.Code, "rule_id": r.RuleID, "rule_text": r.RuleText,
		"rule_source": r.RuleSource, "module": r.Module, "module_digest": r.ModuleDigest, "ask_id": r.AskID, "digest": r.Digest, "input": r.Input,
	} {
		if text != "" {
			o.Unmapped[name] = text
		}
	}
	if r.Latency > 0 {
		o.Unmapped["latency_ns"] = strconv.FormatInt(int64(r.Latency), 10)
	}
	return o
}
