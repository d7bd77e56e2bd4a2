package wasmgen

import (
	"slices"
	"strconv"
)

// probes adds functions for the state. They are not counted.
func (g *gen) probes() {
	for i, v := range g.globals {
		get := slices.Concat([]byte{opGlobalGet}, u32(uint32(i)))
		name := "probe_global" + strconv.Itoa(i)
		g.module.Probes = append(g.module.Probes, name)
		switch v.typ {
		case funcref:
			g.probe(name, signature{out: []valType{i32}}, append(get, opRefIsNull))
		case v128:
			g.probe(name, signature{out: []valType{i64, i64}}, slices.Concat(get, []byte{0xfd, 29, 0}, get, []byte{0xfd, 29, 1}))
		default:
			g.probe(name, signature{out: []valType{v.typ}}, get)
		}
	}
	for i, typ := range g.tables {
		index := u32(uint32(i))
		size, at := "probe_size"+strconv.Itoa(i), "probe_table"+strconv.Itoa(i)
		g.module.Probes = append(g.module.Probes, size)
		g.probe(size, signature{out: []valType{i32}}, slices.Concat([]byte{0xfc, 16}, index))
		g.module.TableProbes = append(g.module.TableProbes, at)
		get := slices.Concat([]byte{opLocalGet, 0, opTableGet}, index)
		out := typ
		if typ == funcref {
			get, out = append(get, opRefIsNull), i32
		}
		g.probe(at, signature{[]valType{i32}, []valType{out}}, get)
	}
}

func (g *gen) probe(name string, s signature, code []byte) {
	g.functions = append(g.functions, s)
	g.export(name, 0, len(g.functions)-1)
	g.code = append(g.code, bytesOf(slices.Concat([]byte{0}, code, []byte{opEnd})))
}
