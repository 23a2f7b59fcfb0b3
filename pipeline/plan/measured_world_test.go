package plan_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
	"pgregory.net/rapid"
)

// world is a random star schema with its rows: dimensions that may point to each
// other, facts that point to dimensions and to facts, and measures of every additivity.
type world struct {
	tables  []*worldTable
	metrics []configs.Metric
	dims    []configs.Dimension
	derived []*worldDerived
	c       plan.Context
}

type worldTable struct {
	name string
	fact bool
	refs []worldRef
	rows []worldRow
}

// worldRef points to a table by <its name>_id; once tells that no two rows point
// to the same one, which the schema declares.
type worldRef struct {
	to   *worldTable
	once bool
}

func (r worldRef) column() string              { return r.to.name + "_id" }
func (r worldRef) key(from *worldTable) string { return from.name + "_" + r.column() + "_fkey" }
func (t *worldTable) isOf(name string) bool    { return t.name == name }
func (w *world) table(name string) (t *worldTable) {
	for _, t = range w.tables {
		if t.isOf(name) {
			return t
		}
	}
	return nil
}

// worldRow holds nil, int or string by column.
type worldRow map[string]any

// columns are a table's own, with their types.
func (t *worldTable) columns() [][2]string {
	if t.fact {
		return [][2]string{{"id", "int PRIMARY KEY"}, {"day", "date NOT NULL"}, {"amount", "numeric"}, {"level", "numeric"}}
	}
	return [][2]string{{"id", "int PRIMARY KEY"}, {"kind", "text"}, {"size", "int NOT NULL"}}
}

// computed are a table's dimensions: of its columns, of its time, and of both.
func (t *worldTable) computed() map[string]string {
	if t.fact {
		return map[string]string{"band": "case when amount > 2 then 'big' else 'small' end",
			"half": "case when extract(month from day) < 2 then 'H1' else 'H2' end", "odd": "case when amount > 2 then day end"}
	}
	return map[string]string{"class": "coalesce(kind, 'none') || coalesce(size, 0)"}
}

// at is the value of a column, or of a dimension.
func (r worldRow) at(column string) any {
	switch column {
	case "band":
		if amount, ok := r["amount"].(int); ok && amount > 2 {
			return "big"
		}
		return "small"
	case "half":
		if r["day"].(string) < "2026-02-01" {
			return "H1"
		}
		return "H2"
	case "odd":
		if r.at("band") == "big" {
			return r["day"]
		}
		return nil
	case "class":
		if r["kind"] == nil {
			return fmt.Sprint("none", r["size"])
		}
		return fmt.Sprint(r["kind"], r["size"])
	}
	return r[column]
}

// spelled is a column or a dimension in the plan language.
func (t *worldTable) spelled(column string) plan.Expr {
	if t.computed()[column] != "" {
		return plan.Expr{Dimension: plan.ColumnName(t.name, t.name+" "+column)}
	}
	return plan.Expr{Column: t.name + "." + column}
}

func randomWorld(t *rapid.T) *world {
	w := &world{}
	number := func(label string, low, high int) int { return rapid.IntRange(low, high).Draw(t, label) }
	for i := range number("dimensions", 1, 3) {
		w.add(t, &worldTable{name: fmt.Sprintf("d%d", i)}, 25)
	}
	for i := range number("facts", 1, 3) {
		w.add(t, &worldTable{name: fmt.Sprintf("f%d", i), fact: true}, 60)
	}
	for _, table := range w.tables {
		for id := range number("rows", 0, 9) {
			w.row(t, table, id+1)
		}
		if table.fact {
			w.measures(t, table)
		}
		for name, expr := range table.computed() {
			w.dims = append(w.dims, configs.Dimension{Name: table.name + " " + name, Table: cname(table.name), Expr: expr})
		}
	}
	w.derive(t)
	return w
}

// add gives a table references to those before it.
func (w *world) add(t *rapid.T, table *worldTable, percent int) {
	for _, to := range w.tables {
		if to.fact && rapid.IntRange(0, 99).Draw(t, "of a fact") >= 30 || rapid.IntRange(0, 99).Draw(t, "ref") >= percent {
			continue
		}
		table.refs = append(table.refs, worldRef{to: to, once: rapid.IntRange(0, 99).Draw(t, "once") < 20})
	}
	w.tables = append(w.tables, table)
}

func (w *world) row(t *rapid.T, table *worldTable, id int) {
	row := worldRow{"id": id}
	if table.fact {
		row["day"] = rapid.SampledFrom([]string{"2026-01-01", "2026-01-15", "2026-02-01", "2026-04-01"}).Draw(t, "day")
		row["amount"] = maybe(t, rapid.IntRange(-3, 9).Draw(t, "amount"))
		row["level"] = maybe(t, rapid.IntRange(1, 9).Draw(t, "level"))
	} else {
		row["kind"] = maybe(t, rapid.SampledFrom([]string{"a", "b"}).Draw(t, "kind"))
		row["size"] = rapid.IntRange(1, 3).Draw(t, "size")
	}
	for _, ref := range table.refs {
		row[ref.column()] = nil
		if len(ref.to.rows) == 0 {
			continue
		}
		to := ref.to.rows[rapid.IntRange(0, len(ref.to.rows)-1).Draw(t, "to")]["id"]
		if value := maybe(t, to); value != nil && !(ref.once && pointsTo(table.rows, ref.column(), to)) {
			row[ref.column()] = value
		}
	}
	table.rows = append(table.rows, row)
}

// maybe is the value, or nil one time in eight.
func maybe(t *rapid.T, value any) any {
	if rapid.IntRange(0, 7).Draw(t, "null") == 0 {
		return nil
	}
	return value
}

func pointsTo(rows []worldRow, column string, id any) bool {
	for _, r := range rows {
		if r[column] == id {
			return true
		}
	}
	return false
}

// measures registers a measure of each additivity over a fact.
func (w *world) measures(t *rapid.T, f *worldTable) {
	add := func(name, expr string, a configs.Additivity) {
		m := configs.Metric{Name: f.name + " " + name, Table: cname(f.name), Expr: expr, Additivity: a, Filter: map[string]string{}}
		if rapid.IntRange(0, 99).Draw(t, "own filter") < 20 {
			m.Filter["public."+f.name] = "amount > 2"
		}
		for _, ref := range f.refs {
			if !ref.to.fact && rapid.IntRange(0, 99).Draw(t, "filter") < 15 && w.ways(f, ref.to) == 1 {
				m.Filter["public."+ref.to.name] = "size < 3"
				break
			}
		}
		w.metrics = append(w.metrics, m)
	}
	add("total", "sum(amount)", configs.Additivity{Kind: "additive"})
	add("number", "count(*)", configs.Additivity{Kind: "additive"})
	add("mean", "avg(amount)", configs.Additivity{Kind: "non"})
	add("rate", "sum(amount) / count(amount)", configs.Additivity{Kind: "non"})
	add("days", "count(DISTINCT day)", configs.Additivity{Kind: "non"})
	add("stock", "sum(level)", configs.Additivity{Kind: "semi", NotOver: []string{"day"}, Time: rapid.SampledFrom([]string{"last", "first", "avg"}).Draw(t, "time")})
}

// ways counts the many-to-one ways from one table to another.
func (w *world) ways(from, to *worldTable) (n int) {
	for _, ref := range from.refs {
		if ref.to == to {
			n++
			continue
		}
		n += w.ways(ref.to, to)
	}
	return n
}

// load makes the world in the database, in the place of the one before.
func (w *world) load(t fatal, conn *pgx.Conn) {
	sql := "DROP SCHEMA public CASCADE; CREATE SCHEMA public;"
	for _, table := range w.tables {
		var columns, names []string
		for _, c := range table.columns() {
			columns, names = append(columns, c[0]+" "+c[1]), append(names, c[0])
		}
		for _, ref := range table.refs {
			unique := map[bool]string{true: " UNIQUE"}[ref.once]
			columns, names = append(columns, ref.column()+" int"+unique+" REFERENCES "+ref.to.name), append(names, ref.column())
		}
		sql += "CREATE TABLE " + table.name + " (" + strings.Join(columns, ", ") + ");"
		for _, row := range table.rows {
			var values []string
			for _, n := range names {
				value := "NULL"
				if row[n] != nil {
					value = fmt.Sprintf("'%v'", row[n])
				}
				values = append(values, value)
			}
			sql += "INSERT INTO " + table.name + " VALUES (" + strings.Join(values, ", ") + ");"
		}
	}
	ctx := context.Background()
	if _, err := conn.Exec(ctx, sql); err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	s, err := catalog.Read(ctx, conn, catalog.Options{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	var all []configs.Metric
	for _, d := range slices.Backward(w.derived) {
		all = append(all, d.config())
	}
	m, faults := semantic.Build(configs.Semantic{Metrics: append(all, w.metrics...), Dimensions: w.dims}, s)
	if len(faults) > 0 {
		t.Fatalf("%v", faults)
	}
	w.c = plan.Context{Catalog: s, Semantic: m, Today: "2026-06-30"}
}
