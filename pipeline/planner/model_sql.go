package planner

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/stmt"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// codeSQL says that SQL of a model is no SELECT that could run.
const codeSQL plan.Code = "INVALID_SQL"

// sqlQualifier goes with every answer that a model wrote as SQL: the walls hold,
// but what plans are checked for besides isn't checked.
const sqlQualifier = "the SQL was written by a model: joins, measures and conclusions from missing rows are not checked"

// sqlReplySchema is the form of a reply in mode sql.
var sqlReplySchema = json.RawMessage(`{"type": "object", "additionalProperties": false, "required": ["answerable", "missing", "sql"],
	"properties": {"answerable": {"type": "boolean"}, "missing": {"type": ["string", "null"]}, "sql": {"type": ["string", "null"]}}}`)

// acceptSQL takes a reply's SELECT as the proposal, if it is one that could run.
func (a *attempts) acceptSQL(ctx context.Context, answer modelAnswer) (detail string, err error) {
	var text string
	if err := json.Unmarshal(answer.body, &text); err != nil {
		return "", rejection(plan.CodeWrongShape, "/sql", "sql must be a text")
	}
	st, err := a.parse(text)
	if err != nil {
		return "", err
	}
	names, err := a.in.SQL.Judge(ctx, st)
	if err != nil {
		return "", mistake(err)
	}
	if names != nil {
		columns := make([]plan.Column, len(names))
		for i, name := range names {
			columns[i].Name = name
		}
		if err := demanded(columns, a.in.Columns); err != nil {
			return "", err
		}
	}
	a.proposal.Query, a.proposal.Qualifiers = st.Tree, []string{sqlQualifier}
	return "one SELECT that may run", nil
}

// parse reads one SELECT over tables that the asker can see. It may hold neither a
// question, which would ask a model again, nor a parameter, which nobody would fill.
func (a *attempts) parse(text string) (stmt.Statement, error) {
	fault := func(message string) error { return rejection(codeSQL, "/sql", message) }
	all, err := stmt.Parse(text, stmt.DefaultLimits())
	switch {
	case err != nil:
		return stmt.Statement{}, fault("PostgreSQL can't parse it: " + err.Error())
	case len(all) != 1:
		return stmt.Statement{}, fault("it must be one statement")
	case all[0].Ask != nil || all[0].Tag != stmt.Tag{}:
		return stmt.Statement{}, fault("it must be SQL that asks nothing")
	case all[0].Tree.GetSelectStmt() == nil:
		return stmt.Statement{}, fault("it must be a SELECT")
	}
	if calls, err := stmt.Asks(all[0].Tree); err != nil || len(calls) > 0 {
		return stmt.Statement{}, fault("it must be SQL that asks nothing")
	}
	return all[0], a.names(all[0].Tree)
}

// names compares the relations of a SELECT with those that the asker can see.
func (a *attempts) names(tree *pg_query.Node) error {
	var r plan.Rejections
	with := map[string]bool{}
	var read []*pg_query.RangeVar
	_ = stmt.Walk(tree, func(m protoreflect.Message, _ stmt.Path) error { // the function gives no error
		switch n := m.Interface().(type) {
		case *pg_query.CommonTableExpr:
			with[n.Ctename] = true
		case *pg_query.IntoClause:
			return stmt.ErrSkip // it is no table that is read: the policy refuses it
		case *pg_query.RangeVar:
			read = append(read, n)
		case *pg_query.ParamRef:
			r.All = append(r.All, &plan.Rejection{Code: codeSQL, Path: "/sql", Message: "it must have no parameters: write values as literals"})
		}
		return nil
	})
	for _, n := range read {
		switch {
		case n.Catalogname != "":
			r.All = append(r.All, &plan.Rejection{Code: codeSQL, Path: "/sql", Message: "references to other databases are not possible: name a table by schema.table"})
		case n.Schemaname == "" && with[n.Relname]:
		case !slices.ContainsFunc(a.in.Catalog.Tables, func(t *catalog.Table) bool {
			return t.Name.Table == n.Relname && (n.Schemaname == "" || n.Schemaname == t.Name.Schema)
		}):
			name := plan.Ident(n.Relname)
			if n.Schemaname != "" {
				name = plan.Ident(n.Schemaname) + "." + name
			}
			r.All = append(r.All, &plan.Rejection{Code: plan.CodeTable, Path: "/sql", Message: "there is no table " + name})
		}
	}
	if len(r.All) > 0 {
		return &r
	}
	return nil
}

// mistake tells what a better SELECT mends from a refusal, which is final: names
// that aren't there, forms that can't be proven safe, and what Postgres finds wrong.
func mistake(err error) error {
	var coded interface{ SQLState() string }
	if !errors.As(err, &coded) {
		return err
	}
	var absent interface{ Absent() bool }
	state := coded.SQLState()
	switch {
	case errors.As(err, &absent) && absent.Absent():
	case state == "42501":
		return err
	case slices.Contains([]string{"0A", "21", "22", "42", "54"}, state[:2]):
	default:
		return err
	}
	message := err.Error()
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) && hinted.Hint() != "" {
		message += " (" + hinted.Hint() + ")"
	}
	return rejection(codeSQL, "/sql", message)
}
