package settings

import (
	"math"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// hooks lists all hooks of the document, in its order. A shape outside Claude Code's documentation
// is an error: the client's reading of it is unknown.
func (d *document) hooks() ([]Hook, error) {
	all := []Hook{}
	err := d.eachHandler(func(h handler) error {
		hook, err := d.hook(h)
		all = append(all, hook)
		return err
	})
	return all, err
}

// handler is where one hook stands.
type handler struct {
	event         string
	group, at     int
	inGroup, node *node
}

// eachHandler walks hooks.EVENT[].hooks[].
func (d *document) eachHandler(do func(handler) error) error {
	events := d.root.member("hooks")
	if events == nil {
		return nil
	}
	if err := d.want(events, '{', "hooks"); err != nil {
		return err
	}
	for _, ev := range events.items {
		if err := d.want(ev.value, '[', "hooks."+ev.name); err != nil {
			return err
		}
		for g, group := range ev.value.items {
			if err := d.group(ev.name, g, group.value, do); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *document) group(event string, g int, group *node, do func(handler) error) error {
	where := "hooks." + event + "." + strconv.Itoa(g)
	if err := d.want(group, '{', where); err != nil {
		return err
	}
	list := group.member("hooks")
	if list == nil {
		return nil // the client finds nothing to run
	}
	if err := d.want(list, '[', where+".hooks"); err != nil {
		return err
	}
	for i, h := range list.items {
		if err := d.want(h.value, '{', where+".hooks."+strconv.Itoa(i)); err != nil {
			return err
		}
		if err := do(handler{event: event, group: g, at: i, inGroup: group, node: h.value}); err != nil {
			return err
		}
	}
	return nil
}

func (d *document) want(n *node, kind jsontext.Kind, name string) error {
	if n.kind != kind {
		return d.fault(n.start, name+" is "+kindName(n.kind)+", want "+kindName(kind))
	}
	return nil
}

// hook reads one handler.
func (d *document) hook(h handler) (Hook, error) {
	out := Hook{Event: h.event, Line: d.fault(h.node.start, "").Line}
	var err error
	text := func(n *node, name string) string {
		v := n.member(name)
		s, ok := d.str(v)
		if v != nil && !ok && err == nil {
			err = d.fault(v.start, name+" is "+kindName(v.kind)+", want a string")
		}
		return s
	}
	flag := func(name string) bool {
		v := h.node.member(name)
		if v != nil && v.kind != 't' && v.kind != 'f' && err == nil {
			err = d.fault(v.start, name+" is "+kindName(v.kind)+", want true or false")
		}
		return v != nil && v.kind == 't'
	}
	out.Matcher = text(h.inGroup, "matcher")
	out.Type, out.Command, out.URL = text(h.node, "type"), text(h.node, "command"), text(h.node, "url")
	out.If, out.OnFailure, out.StatusMessage = text(h.node, "if"), text(h.node, "onFailure"), text(h.node, "statusMessage")
	out.Async, out.Once = flag("async") || flag("asyncRewake"), flag("once")
	if err != nil {
		return out, err
	}
	if out.Args, out.Exec, err = d.args(h.node.member("args")); err != nil {
		return out, err
	}
	out.Timeout, err = d.seconds(h.node.member("timeout"))
	return out, err
}

func (d *document) args(n *node) (args []string, given bool, err error) {
	if n == nil {
		return nil, false, nil
	}
	if err := d.want(n, '[', "args"); err != nil {
		return nil, false, err
	}
	args = make([]string, len(n.items))
	for i, it := range n.items {
		s, ok := d.str(it.value)
		if !ok {
			return nil, false, d.fault(it.start, "args holds "+kindName(it.value.kind)+", want strings")
		}
		args[i] = s
	}
	return args, true, nil
}

// seconds reads a time-out.
func (d *document) seconds(n *node) (time.Duration, error) {
	if n == nil {
		return 0, nil
	}
	f, err := strconv.ParseFloat(string(d.raw(n)), 64)
	if n.kind != '0' || err != nil || f <= 0 || f > math.MaxInt32 {
		return 0, d.fault(n.start, "timeout is "+string(d.raw(n))+", want a number of seconds")
	}
	return time.Duration(f * float64(time.Second)), nil
}
