package planner

import (
	"testing"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
)

// bikeTypes are the column types of the fixture.
var bikeTypes = map[string]catalog.Type{
	"int":  {OID: 23, Schema: "pg_catalog", Name: "int4", SQL: "integer", Category: 'N'},
	"num":  {OID: 1700, Schema: "pg_catalog", Name: "numeric", SQL: "numeric", Category: 'N'},
	"text": {OID: 25, Schema: "pg_catalog", Name: "text", SQL: "text", Category: 'S'},
	"date": {OID: 1082, Schema: "pg_catalog", Name: "date", SQL: "date", Category: 'D'},
	"time": {OID: 1184, Schema: "pg_catalog", Name: "timestamptz", SQL: "timestamp with time zone", Category: 'D'},
}

// bikeTable makes a table; columns alternate name and type.
func bikeTable(name string, columns ...string) *catalog.Table {
	t := &catalog.Table{Name: catalog.Name{Schema: "public", Table: name}, Kind: catalog.KindTable, Rows: 1000, PrimaryKey: []string{"id"}}
	for i := 0; i < len(columns); i += 2 {
		t.Columns = append(t.Columns, &catalog.Column{Name: columns[i], Type: bikeTypes[columns[i+1]], Attnum: i/2 + 1, NotNull: true})
	}
	return t
}

func values(t *catalog.Table, column string, all bool, vs ...string) {
	c := t.Column(column)
	c.Values, c.AllValues = vs, all
}

func points(t *catalog.Table, column string, to *catalog.Table) {
	t.ForeignKeys = append(t.ForeignKeys, &catalog.ForeignKey{Name: t.Name.Table + "_" + column + "_fkey",
		Columns: []string{column}, Ref: to.Name, RefColumns: []string{"id"}})
}

// bikeCatalog is a bicycle rental: what questions about it must become is in
// testdata/builtin.golden.
func bikeCatalog() *catalog.Snapshot {
	stations := bikeTable("stations", "id", "int", "name", "text", "city", "text", "district", "text", "capacity", "int", "opened_on", "date")
	values(stations, "name", true, "Main Square", "Harbour", "Old Mill", "St. Anne's Gate")
	values(stations, "city", true, "Lisbon", "Porto", "New Haven")
	values(stations, "district", true, "North", "South", "Harbour")
	riders := bikeTable("riders", "id", "int", "first_name", "text", "last_name", "text", "home_city", "text", "plan", "text", "gender", "text", "age", "int", "signed_up_at", "time")
	values(riders, "home_city", true, "Lisbon", "Porto", "Braga")
	values(riders, "plan", true, "basic", "plus", "family")
	values(riders, "gender", true, "M", "F")
	values(riders, "last_name", false, "Moreau", "Silva")
	models := bikeTable("bike_models", "id", "int", "name", "text", "maker", "text", "kind", "text", "weight_kg", "num", "price", "num")
	values(models, "name", true, "Falcon", "City One", "Cargo Max")
	values(models, "kind", true, "road", "cargo", "electric")
	values(models, "maker", true, "Velora", "Nordic Cycles")
	bikes := bikeTable("bikes", "id", "int", "serial", "text", "model_id", "int", "station_id", "int", "bought_on", "date")
	points(bikes, "model_id", models)
	points(bikes, "station_id", stations)
	rentals := bikeTable("rentals", "id", "int", "rider_id", "int", "bike_id", "int", "started_at", "time", "minutes", "int", "fee", "num", "status", "text")
	values(rentals, "status", true, "finished", "cancelled", "running")
	points(rentals, "rider_id", riders)
	points(rentals, "bike_id", bikes)
	repairs := bikeTable("repairs", "id", "int", "bike_id", "int", "mechanic", "text", "cost", "num", "reported_on", "date", "done_on", "date")
	values(repairs, "mechanic", true, "Ruth Vale", "Omar Diaz")
	points(repairs, "bike_id", bikes)
	transfers := bikeTable("transfers", "id", "int", "from_station_id", "int", "to_station_id", "int", "bikes_moved", "int", "moved_at", "time")
	points(transfers, "from_station_id", stations)
	points(transfers, "to_station_id", stations)
	stock := bikeTable("station_stock", "station_id", "int", "day", "date", "free_bikes", "int")
	stock.PrimaryKey = []string{"station_id", "day"}
	points(stock, "station_id", stations)
	return catalog.NewSnapshot("bikes", 150000, []*catalog.Table{models, bikes, rentals, repairs, riders, stock, stations, transfers}, nil)
}

const bikeSemantic = `
tables:
  - {table: public.rentals, synonyms: [trips, hires]}
  - {table: public.repairs, synonyms: [fixes]}
metrics:
  - {name: income, table: public.rentals, expr: sum(fee), filter: {public.rentals: "status = 'finished'"}, unit: EUR, additivity: {kind: additive}, synonyms: [rental income], owner: finance}
  - {name: free_bikes, table: public.station_stock, expr: sum(free_bikes), grain: [station_id, day], additivity: {kind: semi, not_over: [day], time: last}, synonyms: [available bikes], owner: operations}
  - {name: rentals, table: public.rentals, expr: count(*), additivity: {kind: additive}, owner: finance}
dimensions:
  - {name: trip class, table: public.rentals, expr: "case when minutes >= 60 then 'excursion' else 'commute' end", synonyms: [kind of trip]}
  - {name: hour started, table: public.rentals, expr: "extract(hour from started_at)::int"}
  - {name: night ride, table: public.rentals, expr: "extract(hour from started_at) > 21"}
  - {name: fleet class, table: public.station_stock, expr: "case when free_bikes > 10 then 'well stocked' else 'short' end"}
entities:
  - {name: rider, table: public.riders, key: [id], synonyms: [customer, member]}
  - {name: model, table: public.bike_models, key: [id], synonyms: [bike type]}
`

func bikeInput(t *testing.T, question string) Input {
	t.Helper()
	c := bikeCatalog()
	file, faults := configs.DecodeSemantic("semantic.yaml", []byte(bikeSemantic))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	m, faults := semantic.Build(*file, c)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	m = m.WithSamples([]catalog.Sample{{Table: catalog.Name{Schema: "public", Table: "rentals"}, Column: "trip class", Values: []string{"commute", "excursion"}, All: true}})
	return Input{Question: question, Database: "bikes", Catalog: c, Semantic: m, Today: "2026-11-29",
		Hidden: []catalog.Name{{Schema: "public", Table: "wages"}}}
}
