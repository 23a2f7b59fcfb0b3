package cube

import (
	"errors"
	"strings"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/semantic/foreign"
)

// join takes over a join of two columns.
func (im *importer) join(c *cube, j join) {
	what := "join " + c.Name + " to " + j.Name
	other := im.cubes[j.Name]
	if other == nil {
		im.Note(j.At, what, "there is no such cube, or it wasn't taken over")
		return
	}
	from, to, err := im.joined(c, other, j.SQL)
	if err != nil {
		im.Note(j.At, what, "%v", err)
		return
	}
	cardinality := j.Relationship
	switch cardinality {
	case "belongs_to", "belongsTo":
		cardinality = "many_to_one"
	case "has_one", "hasOne":
		cardinality = "one_to_one"
	case "has_many", "hasMany":
		cardinality = "one_to_many"
	}
	im.Relate(j.At, what, foreign.Relationship{From: c.table + "." + from, To: other.table + "." + to, Cardinality: cardinality})
}

// joined are the two columns that a join holds equal: one of the cube, one of the other.
func (im *importer) joined(c, other *cube, sql string) (from, to string, err error) {
	sides := strings.Split(sql, "=")
	wrong := errors.New("it isn't one column of each side, held equal; a foreign key in the database says more")
	if len(sides) != 2 {
		return "", "", wrong
	}
	for _, side := range sides {
		r, err := im.resolve(c, side, false)
		if err != nil {
			return "", "", err
		}
		column, plain := foreign.Plain(r.n)
		switch {
		case !plain || len(r.of) != 1:
			return "", "", wrong
		case r.of[0] == c && from == "":
			from = configs.Spell(column)
		case r.of[0] == other && to == "":
			to = configs.Spell(column)
		default:
			return "", "", wrong
		}
	}
	if from == "" || to == "" {
		return "", "", wrong
	}
	return from, to, nil
}
