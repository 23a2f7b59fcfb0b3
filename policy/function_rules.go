package policy

import (
	"fmt"
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
)

// functionRules are a role's additions to and removals from the built-ins.
type functionRules struct {
	allow, deny []functionRule
}

// functionRule is one entry of functions: a name, a pattern, or a signature.
type functionRule struct {
	configs.Pattern
	// signed tells that takes are the argument types that are meant.
	signed bool
	takes  []catalog.Name
}

// compileFunctions reads functions: of a role. A name without a schema is a
// built-in.
func compileFunctions(r *configs.Role, key string) (functionRules, []configs.Fault) {
	var out functionRules
	var faults []configs.Fault
	read := func(list []string, sub string, to *[]functionRule) {
		for _, text := range list {
			p, err := readFunctionRule(text)
			if err != nil {
				faults = append(faults, configs.Fault{Pos: r.Pos, Key: key + "." + sub, Msg: err.Error()})
				continue
			}
			*to = append(*to, p)
		}
	}
	read(r.Functions.Allow, "allow", &out.allow)
	read(r.Functions.Deny, "deny", &out.deny)
	never := neverAllowed()
	for _, f := range out.allow {
		if never.MatchString(f.Table) || f.TableWild && (f.SchemaWild || f.Schema == builtinSchema) {
			faults = append(faults, configs.Fault{Pos: r.Pos, Key: key + ".allow",
				Msg: f.String() + " could read or change what the policy protects; it can't be allowed"})
		}
	}
	return out, faults
}

const builtinSchema = "pg_catalog"

// readFunctionRule reads a function's name, which is a built-in's without a
// schema, or what GRANT … ON FUNCTION takes: schema.name(type, …).
func readFunctionRule(text string) (functionRule, error) {
	if strings.Contains(text, "(") {
		return readSignature(text)
	}
	if !strings.Contains(text, ".") {
		text = builtinSchema + "." + text
	}
	p, err := configs.ParsePattern(text)
	return functionRule{Pattern: p}, err
}

// readSignature lets the parser read it where SQL has one.
func readSignature(text string) (functionRule, error) {
	wrong := fmt.Errorf("%q is no signature; write schema.name(type, …) with the schemas of types that aren't built in", text)
	n, err := stmt.ParseOne("COMMENT ON FUNCTION "+text+" IS NULL", stmt.DefaultLimits())
	if err != nil {
		return functionRule{}, wrong
	}
	f := n.GetCommentStmt().GetObject().GetObjectWithArgs()
	schema, name, ok := nameParts(f.GetObjname())
	if !ok || schema == "" || f.ArgsUnspecified || n.GetCommentStmt().Comment != "" {
		return functionRule{}, wrong
	}
	if schema == builtinSchema {
		return functionRule{}, fmt.Errorf("%q: built-in functions are named without their argument types", text)
	}
	r := functionRule{signed: true, takes: []catalog.Name{}, Pattern: configs.Pattern{Text: text, Schema: schema, Table: name}}
	for _, a := range f.Objargs {
		t, ok := typeIdentity(a.GetTypeName())
		if !ok {
			return functionRule{}, wrong
		}
		r.takes = append(r.takes, t)
	}
	return r, nil
}

// typeIdentity is a type as pg_type names it. A name without a schema is a
// built-in's, as everywhere in a statement that was judged.
func typeIdentity(t *pg_query.TypeName) (catalog.Name, bool) {
	schema, name, ok := nameParts(t.GetNames())
	if !ok || t.Setof || t.PctType {
		return catalog.Name{}, false
	}
	if schema == "" {
		schema = builtinSchema
	}
	if len(t.ArrayBounds) > 0 {
		name = "_" + name
	}
	return catalog.Name{Schema: schema, Table: name}, true
}

// anyFunction tells whether one of the rules names the function, of whatever
// signature.
func anyFunction(list []functionRule, schema, name string) bool {
	return slices.ContainsFunc(list, func(r functionRule) bool { return r.Match(schema, name) })
}

// admitted are the functions that people made and that the rules name. A name
// alone stands for the only function that has it, as in GRANT: which of several
// is meant has to be said, so that one that is added later is never called by
// surprise. A pattern stands for all that it matches.
func (r functionRules) admitted(o *catalog.Objects) map[uint32]bool {
	of := map[catalog.Name]int{}
	for i := range o.Functions {
		of[routineName(&o.Functions[i])]++
	}
	out := map[uint32]bool{}
	for i := range o.Functions {
		f := &o.Functions[i]
		only := of[routineName(f)] == 1
		allowed := slices.ContainsFunc(r.allow, func(x functionRule) bool { return x.names(f, only || x.TableWild) })
		if allowed && !slices.ContainsFunc(r.deny, func(x functionRule) bool { return x.names(f, true) }) {
			out[f.OID] = true
		}
	}
	return out
}

// names tells whether the rule means the function; alone tells whether a name
// without a signature does.
func (r functionRule) names(f *catalog.Function, alone bool) bool {
	if !r.Match(f.Schema, f.Name) {
		return false
	}
	if r.signed {
		return slices.Equal(r.takes, f.Takes)
	}
	return alone
}

func routineName(f *catalog.Function) catalog.Name {
	return catalog.Name{Schema: f.Schema, Table: f.Name}
}

// signature spells a function as a rule does.
func signature(f *catalog.Function) string {
	list := make([]string, len(f.Takes))
	for i, t := range f.Takes {
		element, array := cutPrefix(t.Table, "_")
		list[i] = configs.Spell(element)
		if t.Schema != builtinSchema {
			list[i] = configs.Spell(t.Schema) + "." + list[i]
		}
		if array {
			list[i] += "[]"
		}
	}
	return spell(routineName(f)) + "(" + strings.Join(list, ", ") + ")"
}
