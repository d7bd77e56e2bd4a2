package ask

import "slices"

// crowd are the waiting asks of a broker. Thousands may wait, so none is looked for among all. The
// caller holds Broker.mu.
type crowd struct {
	all      []*entry // in the order of their creation
	byID     map[string]*entry
	sessions map[string][]*entry // in the order of their creation
	agents   map[string]int
}

func newCrowd() crowd {
	return crowd{byID: map[string]*entry{}, sessions: map[string][]*entry{}, agents: map[string]int{}}
}

func (c *crowd) add(e *entry) {
	c.all = append(c.all, e)
	c.byID[e.ask.ID] = e
	c.sessions[e.ask.Session] = append(c.sessions[e.ask.Session], e)
	c.agents[e.ask.Agent]++
}

// remove does nothing for an entry that is not there.
func (c *crowd) remove(e *entry) {
	if c.byID[e.ask.ID] != e {
		return
	}
	is := func(other *entry) bool { return other == e }
	c.all = slices.DeleteFunc(c.all, is)
	delete(c.byID, e.ask.ID)
	session, agent := e.ask.Session, e.ask.Agent
	if c.sessions[session] = slices.DeleteFunc(c.sessions[session], is); len(c.sessions[session]) == 0 {
		delete(c.sessions, session)
	}
	if c.agents[agent]--; c.agents[agent] == 0 {
		delete(c.agents, agent)
	}
}
