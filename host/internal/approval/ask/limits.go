package ask

import "fmt"

// Limits says, a sentence each, which limits are near for the session and the agent of a
// waiting ask: how many may wait, and the pause after refusals; none where all are far.
func (b *Broker) Limits(id string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.find(NormalID(id))
	if e == nil {
		return nil
	}
	bySession, byAgent := b.counts(e.ask)
	var list []string
	if near(bySession, b.cfg.PerSession) {
		list = append(list, fmt.Sprintf("%d of at most %d asks of this session wait; further calls are denied without a card", bySession, b.cfg.PerSession))
	}
	if near(byAgent, b.cfg.PerAgent) {
		list = append(list, fmt.Sprintf("%d of at most %d asks of this agent wait; further calls are denied without a card", byAgent, b.cfg.PerAgent))
	}
	switch s := b.streaks[e.ask.Session]; {
	case !s.PausedAt.IsZero():
		list = append(list, "the session is paused; further calls are denied until an approver resumes it")
	case s.Refusals > 0 && b.cfg.PauseAfter-s.Refusals == 1:
		list = append(list, fmt.Sprintf("refused %d times in a row; one more denial or time-out pauses the session", s.Refusals))
	}
	return list
}

// near reports whether a fifth of a limit, at least one, is left.
func near(n, limit int) bool { return limit-n <= max(1, limit/5) }

// counts are the waiting asks of an ask's session and of its agent. The caller holds mu.
func (b *Broker) counts(a Ask) (bySession, byAgent int) {
	return len(b.waiting.sessions[a.Session]), b.waiting.agents[a.Agent]
}
