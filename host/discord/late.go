package discord

// noCard refuses an answer to what is no open card of the ask, or not known as one yet.
func (s *Surface) noCard(at *attempt) *refusal {
	if at.card == nil && s.early.expects(at.channel) {
		return &refusal{noCard: true, text: "The card is still being posted: press again in a moment."}
	}
	return &refusal{noCard: true, text: "This is no card of an ask that waits."}
}
