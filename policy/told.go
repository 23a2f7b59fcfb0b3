package policy

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/stmt"
)

// ToldColumn is one column of an answer that is text rather than data.
type ToldColumn struct {
	Name string
	// Type is the Postgres spelling of its type, such as text, int8 or text[]:
	// a base type or an array of one.
	Type string
}

// Told is a statement that shows rows of our own: they come as one parameter,
// $1, a JSON array of objects whose keys are the columns' names. An error means
// that a column's type isn't one of the base types.
func Told(cols []ToldColumn) (Approved, error) {
	json := &pg_query.Node{Node: &pg_query.Node_ParamRef{ParamRef: &pg_query.ParamRef{Number: 1}}}
	a, err := told(cols, json)
	a.facts.Params = 1
	return a, err
}

// ToldLiteral is Told with the JSON inside the statement, for the simple
// protocol, which has no parameters.
func ToldLiteral(cols []ToldColumn, json string) (Approved, error) {
	return told(cols, stmt.StringConst(json))
}

// told builds SELECT t."a", … FROM json_to_recordset(json::json) AS t("a" type, …).
func told(cols []ToldColumn, json *pg_query.Node) (Approved, error) {
	var targets, defs []*pg_query.Node
	f := Facts{Tag: "SELECT"}
	for _, c := range cols {
		t, err := stmt.ParseType(c.Type)
		if err != nil {
			return Approved{}, err
		}
		if name, ok := builtinType(t); !ok {
			return Approved{}, deny(stateNoType, "type %s can't be told", name)
		}
		defs = append(defs, &pg_query.Node{Node: &pg_query.Node_ColumnDef{ColumnDef: &pg_query.ColumnDef{
			Colname: c.Name, TypeName: t, IsLocal: true}}})
		targets = append(targets, stmt.Target(stmt.Column("t", c.Name), ""))
		f.Columns = append(f.Columns, c.Name)
	}
	jsonType := &pg_query.TypeName{Names: stmt.Names("json"), Typemod: -1}
	call := stmt.Call([]string{builtinSchema, "json_to_recordset"}, stmt.Cast(json, jsonType))
	from := &pg_query.Node{Node: &pg_query.Node_RangeFunction{RangeFunction: &pg_query.RangeFunction{
		Functions: []*pg_query.Node{pg_query.MakeListNode([]*pg_query.Node{call, {}})}, Alias: stmt.AliasOf("t"), Coldeflist: defs}}}
	n := stmt.SelectNode(&pg_query.SelectStmt{TargetList: targets, FromClause: []*pg_query.Node{from}})
	text, _, err := roundTrip(n)
	if err != nil {
		return Approved{}, err
	}
	return Approved{sql: text, facts: f}, nil
}
