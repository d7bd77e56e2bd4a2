package wire

// CardStyle is how a line of a card should look; the text says everything without it.
type CardStyle string

// The styles: what would happen, a piece of the call as a block, what a person should not
// overlook, small print, and all else.
const (
	CardHeadline CardStyle = "headline"
	CardCall     CardStyle = "call"
	CardWarning  CardStyle = "warning"
	CardSmall    CardStyle = "small"
	CardPlain    CardStyle = "plain"
)

// CardLine is a line of an ask's card as Callgate's own surfaces draw it. Only Text of a
// CardCall has line feeds. Characters that hide or mislead are written out, as ‹U+202E›.
type CardLine struct {
	Style CardStyle `json:"style"`
	// Name is the parameter's, of a CardCall; empty where the headline says what it is.
	Name string `json:"name,omitempty"`
	Text string `json:"text"`
}
