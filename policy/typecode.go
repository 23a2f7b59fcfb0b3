package policy

import (
	"slices"

	"github.com/pgask/pgask/pipeline/catalog"
)

// typeCode finds the functions that Postgres would call by itself for values of
// a type, by a cast or a domain's CHECK, and that the policy doesn't admit: a
// statement needs no name to reach one, so columns of such types are denied.
type typeCode struct {
	objects *catalog.Objects
	// foreign are the functions that aren't admitted, by type.
	foreign map[uint32]*catalog.TypeCode
	// holders are the types whose values are made of values of a type without
	// naming them: arrays and multiranges.
	holders map[uint32][]uint32
	known   map[uint32]*catalog.TypeCode
}

func newTypeCode(o *catalog.Objects, f functionRules) *typeCode {
	t := &typeCode{objects: o, foreign: map[uint32]*catalog.TypeCode{}, holders: map[uint32][]uint32{}, known: map[uint32]*catalog.TypeCode{}}
	admitted := f.admitted(o)
	for i := range o.Code {
		c := &o.Code[i]
		if admitted[c.Function] {
			continue
		}
		for _, oid := range c.Types {
			if o.TypeObject(oid) != nil { // built-in types are everybody's
				t.foreign[oid] = c
			}
		}
	}
	for _, x := range o.Types {
		of := x.Parts
		if x.Kind != 'm' {
			of = []uint32{x.Element}
		}
		for _, oid := range of {
			t.holders[oid] = append(t.holders[oid], x.OID)
		}
	}
	return t
}

// of is one such function, nil where there is none.
func (t *typeCode) of(oid uint32) *catalog.TypeCode {
	if len(t.foreign) == 0 {
		return nil
	}
	c, ok := t.known[oid]
	if !ok {
		c = t.below(oid, map[uint32]bool{})
		t.known[oid] = c
	}
	return c
}

// below looks at a type, at those that hold it, and at those that it is made of.
func (t *typeCode) below(oid uint32, seen map[uint32]bool) *catalog.TypeCode {
	x := t.objects.TypeObject(oid)
	if x == nil || seen[oid] {
		return nil
	}
	seen[oid] = true
	if c := t.above(oid); c != nil {
		return c
	}
	for _, part := range slices.Concat(x.Parts, []uint32{x.Element, x.Base}) {
		if c := t.below(part, seen); c != nil {
			return c
		}
	}
	return nil
}

func (t *typeCode) above(oid uint32) *catalog.TypeCode {
	if c := t.foreign[oid]; c != nil {
		return c
	}
	for _, h := range t.holders[oid] {
		if c := t.above(h); c != nil {
			return c
		}
	}
	return nil
}
