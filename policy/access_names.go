package policy

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
)

// directory finds the objects that a view may know of by their names.
type directory struct {
	// relations are permitted ones and the shown indexes; functions are those
	// whose name is theirs alone.
	relations, types, functions map[catalog.Name]uint32
	schemas                     map[string]uint32
	// relationsAndIndexes, wholeTables (without a hidden column) and
	// plainFunctions (of types that the view may know) are sorted.
	relationsAndIndexes, wholeTables, plainFunctions []uint32
	// oidBytes and nameBytes are about what a list of all OIDs and one of all
	// names of objects and columns take as text.
	oidBytes, nameBytes int
	// hiddenTypes are the spellings of types that permitted columns have or are
	// made of, but that aren't shown, and of their arrays.
	hiddenTypes []string
}

// names is computed when it is first needed.
func (v *View) names() *directory {
	v.namesOnce.Do(func() { v.namesKnown = v.learn() })
	return v.namesKnown
}

func (v *View) learn() *directory {
	seen := v.visible()
	d := &directory{relations: map[catalog.Name]uint32{}, types: map[catalog.Name]uint32{}, functions: map[catalog.Name]uint32{}, schemas: map[string]uint32{}}
	schemaOf := map[uint32]string{}
	for n, g := range v.grants {
		if g.broken == nil {
			d.relations[n], schemaOf[g.table.OID] = g.table.OID, n.Schema
			if len(g.denied) == 0 {
				d.wholeTables = append(d.wholeTables, g.table.OID)
			}
		}
	}
	o := &v.snapshot.Objects
	for _, x := range o.Indexes {
		if within(seen.indexes, x.OID) {
			d.relations[catalog.Name{Schema: schemaOf[x.Table], Table: x.Name}] = x.OID
		}
	}
	for _, t := range o.Types {
		if within(seen.types, t.OID) {
			d.types[catalog.Name{Schema: t.Schema, Table: t.Name}] = t.OID
		}
	}
	for _, s := range o.Schemas {
		if within(seen.schemas, s.OID) {
			d.schemas[s.Name] = s.OID
		}
	}
	v.learnFunctions(d)
	d.relationsAndIndexes = sorted(slices.Concat(seen.relations, seen.indexes))
	d.wholeTables = sorted(d.wholeTables)
	d.hiddenTypes = v.learnHidden()
	objects := len(d.relations) + len(d.types) + len(d.functions) + len(d.schemas)
	d.oidBytes, d.nameBytes = 8*objects, 128*(objects+len(o.System))
	for _, t := range o.System {
		d.nameBytes += 24 * len(t.Columns)
	}
	for _, g := range v.grants {
		d.nameBytes += 24 * len(g.columns)
	}
	return d
}

func (v *View) learnHidden() []string {
	known, out := map[uint32]bool{}, map[string]bool{}
	var look func(oid uint32)
	look = func(oid uint32) {
		t := v.snapshot.Objects.TypeObject(oid)
		if t == nil || known[oid] {
			return
		}
		known[oid] = true
		if !within(v.visible().types, oid) && t.Element == 0 {
			for _, schema := range []string{configs.Spell(t.Schema), quoted(t.Schema)} { // Postgres quotes reserved words
				for _, name := range []string{configs.Spell(t.Name), quoted(t.Name)} {
					out[schema+"."+name], out[schema+"."+name+"[]"] = true, true
				}
			}
		}
		for _, part := range slices.Concat(t.Parts, []uint32{t.Element, t.Base}) {
			look(part)
		}
	}
	for _, g := range v.grants {
		for _, c := range g.columns {
			look(c.column.Type.OID)
		}
	}
	return slices.Sorted(maps.Keys(out))
}

func (v *View) learnFunctions(d *directory) {
	seen := v.visible()
	for _, f := range v.snapshot.Objects.Functions {
		if !within(seen.functions, f.OID) {
			continue
		}
		n := catalog.Name{Schema: f.Schema, Table: f.Name}
		if _, twice := d.functions[n]; twice {
			d.functions[n] = 0
			continue
		}
		d.functions[n] = f.OID
		hidden := func(t uint32) bool { return t >= seen.builtin && !within(seen.types, t) }
		if !slices.ContainsFunc(f.Args, hidden) {
			d.plainFunctions = append(d.plainFunctions, f.OID)
		}
	}
	d.plainFunctions = sorted(d.plainFunctions)
}

func sorted(list []uint32) []uint32 {
	slices.Sort(list)
	return slices.Compact(list)
}

func within(list []uint32, oid uint32) bool {
	_, ok := slices.BinarySearch(list, oid)
	return ok
}

// of is the part of the directory that a reg type looks up, with those of it
// that an unqualified name finds.
func (v *View) of(kind string) (names map[catalog.Name]uint32, onPath []uint32) {
	d, seen := v.names(), v.visible()
	switch kind {
	case "regclass":
		return d.relations, seen.onPath
	case "regtype":
		return d.types, seen.typesOnPath
	case "regproc":
		return d.functions, seen.functionsOnPath
	case "regnamespace":
		out := map[catalog.Name]uint32{}
		for n, oid := range d.schemas {
			out[catalog.Name{Table: n}] = oid
		}
		return out, nil
	}
	return nil, nil
}

// find looks one name up, as it is written in a literal; 0 when there is no
// such object that people made, or the view may not know it.
func (v *View) find(kind, text string) uint32 {
	names, onPath := v.of(kind)
	text = strings.TrimSpace(text)
	if n, err := configs.ParseName(text); err == nil {
		return names[catalog.Name{Schema: n.Schema, Table: n.Table}]
	}
	name, err := configs.ParseIdentifier(text)
	if err != nil {
		return 0
	}
	if kind == "regnamespace" {
		return names[catalog.Name{Table: name}]
	}
	for _, s := range v.role.SearchPath {
		if oid := names[catalog.Name{Schema: s, Table: name}]; oid != 0 && within(onPath, oid) {
			return oid
		}
	}
	return 0
}

// spelled is how Postgres writes an object that find found, under the role's
// search_path.
func (v *View) spelled(kind string, oid uint32) string {
	names, onPath := v.of(kind)
	for n, o := range names {
		switch {
		case o != oid:
		case n.Schema == "" || within(onPath, oid):
			return configs.Spell(n.Table)
		default:
			return spell(n)
		}
	}
	return ""
}

// dictionary is a JSON object that leads from every usual spelling of a name
// to its OID, built-in relations and types included.
func (v *View) dictionary(kind string) string {
	out := map[string]uint32{}
	names, onPath := v.of(kind)
	for n, oid := range names {
		if oid != 0 {
			enter(out, n, oid, within(onPath, oid))
		}
	}
	switch kind {
	case "regclass":
		for _, t := range v.snapshot.Objects.System {
			enter(out, t.Name, t.OID, t.Name.Schema == builtinSchema)
		}
	case "regtype":
		enterBaseTypes(out)
	case "regnamespace":
		out[builtinSchema], out[quoted(builtinSchema)] = 11, 11
	}
	return jsonText(out)
}

// jsonText is never an error: what is passed are strings and numbers.
func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(text)
}

// enter adds the spellings of one name.
func enter(out map[string]uint32, n catalog.Name, oid uint32, alone bool) {
	if alone || n.Schema == "" {
		out[configs.Spell(n.Table)], out[quoted(n.Table)] = oid, oid
	}
	if n.Schema != "" {
		out[spell(n)], out[quoted(n.Schema)+"."+quoted(n.Table)] = oid, oid
	}
}

// enterBaseTypes adds the built-in base types, under their SQL names too, and
// their arrays.
func enterBaseTypes(out map[string]uint32) {
	aliases := map[string][]string{"int4": {"integer", "int"}, "int8": {"bigint"}, "int2": {"smallint"}, "bool": {"boolean"},
		"float4": {"real"}, "float8": {"double precision"}, "varchar": {"character varying"}, "bpchar": {"character"},
		"numeric": {"decimal"}, "timestamptz": {"timestamp with time zone"}, "timestamp": {"timestamp without time zone"},
		"timetz": {"time with time zone"}, "time": {"time without time zone"}, "varbit": {"bit varying"}}
	arrays := baseArrays()
	for _, t := range baseTypes {
		array := uint32(0)
		if t.name != "unknown" {
			array, arrays = arrays[0], arrays[1:]
		}
		for _, n := range append(aliases[t.name], t.name, builtinSchema+"."+t.name, quoted(t.name)) {
			out[n] = t.oid
			if array != 0 {
				out[n+"[]"] = array
			}
		}
		if array != 0 {
			out["_"+t.name] = array
		}
	}
	// char without quotes is another type.
	out["char"] = baseType("bpchar")
}
