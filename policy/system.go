package policy

import (
	"fmt"
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
)

// systemRule says what of a relation of pg_catalog or information_schema is
// shown. Expressions name the view's sets as :name (system_sets.go). A relation
// without a rule is refused, as if it weren't there.
type systemRule struct {
	// where keeps rows; empty keeps all.
	where string
	// columns are expressions in the place of columns' values.
	columns map[string]string
	// withheldColumns are null beside other relations, since tools join them, but
	// refused to who reads this one alone: nulls would pass for an answer.
	withheldColumns []string
	// withheld relations are empty beside others, since tools join them, but
	// refused to who asks for them alone.
	withheld bool
}

// system is what the view may read of a system relation, made when it is first
// asked for; nil where it may read nothing.
func (v *View) system(n catalog.Name) *grant {
	v.systemMutex.Lock()
	defer v.systemMutex.Unlock()
	if g, ok := v.systemGrants[n]; ok {
		return g
	}
	g := v.makeSystem(n)
	if v.systemGrants == nil {
		v.systemGrants = map[catalog.Name]*grant{}
	}
	v.systemGrants[n] = g
	return g
}

func (v *View) makeSystem(n catalog.Name) *grant {
	t := v.snapshot.SystemTable(n)
	r, ok := findSystemRule(n)
	if t == nil || !ok {
		return nil
	}
	g := &grant{table: t, denied: map[string]bool{}, system: true, withheld: r.withheld, withheldColumns: map[string]bool{}}
	if r.where != "" {
		where, err := v.systemExpression(r.where)
		if err != nil {
			return nil
		}
		g.scope = where
	}
	for _, c := range t.Columns {
		mask, err := v.systemMask(t, c, r)
		if err != nil {
			return nil
		}
		g.columns = append(g.columns, grantColumn{column: c, mask: mask})
		if slices.Contains(r.withheldColumns, c.Name) {
			g.withheldColumns[c.Name] = true
		}
	}
	return g
}

// findSystemRule looks through the lists of rules. Statistics views are known
// by their names: each version has others.
func findSystemRule(n catalog.Name) (systemRule, bool) {
	rules, empty, withheld := catalogRules, emptyCatalogs(), withheldCatalogs()
	if n.Schema == informationSchema {
		rules, empty, withheld = informationRules, emptyInformation(), nil
	} else if n.Schema != builtinSchema {
		return systemRule{}, false
	}
	if r, ok := rules()[n.Table]; ok {
		return r, true
	}
	if slices.Contains(empty, n.Table) {
		return systemRule{where: "false"}, true
	}
	counted := n.Schema == builtinSchema && (strings.HasPrefix(n.Table, "pg_stat_") || strings.HasPrefix(n.Table, "pg_statio_"))
	return systemRule{where: "false", withheld: true}, counted || slices.Contains(withheld, n.Table)
}

const informationSchema = "information_schema"

// systemMask is what stands in the place of a column's value; nil for the
// value itself. A column that its rule doesn't name is shown only if it is of
// a type that can't carry definitions, privileges or samples.
func (v *View) systemMask(t *catalog.Table, c *catalog.Column, r systemRule) (*pg_query.Node, error) {
	text, named := r.columns[c.Name]
	if !named {
		text = commonMask(t, c, r)
	}
	if text == "" {
		return nil, nil
	}
	n, err := v.systemExpression(text)
	if err != nil {
		return nil, err
	}
	typ, err := stmt.ParseType(shownType(c.Type))
	if err != nil {
		return nil, err
	}
	return stmt.Cast(n, typ), nil
}

// shownType is the type under which a column is shown: its own, but for those
// whose literals Postgres looks up. A literal that is compared with a regproc
// or an aclitem would tell which functions and roles exist.
func shownType(t catalog.Type) string {
	element, array := cutPrefix(t.Name, "_")
	switch {
	case element == "aclitem":
		return "text[]"
	case !lookedUpName(element):
		return t.SQL
	case array:
		return "oid[]"
	}
	return "oid"
}

// commonMask are the masks that go for every relation: by type, owners and the
// database's name.
func commonMask(t *catalog.Table, c *catalog.Column, r systemRule) string {
	owner := strings.HasSuffix(c.Name, "owner") || c.Name == "datdba"
	switch {
	case r.where == "false":
		return "NULL" // without naming the column, which the login may not be allowed to read
	case owner && c.Type.Name == "oid":
		return ":ownerid"
	case owner:
		return ":user"
	case t.Name.Schema == informationSchema && (strings.HasSuffix(c.Name, "_catalog") || c.Name == "catalog_name"):
		return fmt.Sprintf("CASE WHEN %s IS NOT NULL THEN :database END", c.Name)
	case c.Type.Name == "regproc":
		return fmt.Sprintf("CASE WHEN %[1]s::oid < :builtin OR %[1]s::oid = ANY (:functions) THEN %[1]s END", c.Name)
	case !plainSystemType(c.Type):
		return "NULL"
	}
	return ""
}

// plainSystemType tells whether a catalog's column of the type is a name, a
// number, a flag or the like.
func plainSystemType(t catalog.Type) bool {
	return t.Schema == informationSchema || strings.Contains(" bool int2 int4 int8 oid char name text float4 float8 oidvector int2vector "+
		"_bool _int2 _oid _char _name _text _float4 _float8 timestamptz interval ", " "+t.Name+" ")
}

// systemExpression parses an expression of a rule and puts the view's sets in
// as constants.
func (v *View) systemExpression(text string) (*pg_query.Node, error) {
	n, names, err := stmt.ParseExpr(text)
	if err != nil {
		return nil, err
	}
	return stmt.Rewrite(n, func(n *pg_query.Node) (*pg_query.Node, error) {
		if p := n.GetParamRef(); p != nil {
			return v.systemSet(names[p.Number-1])
		}
		return n, nil
	})
}
