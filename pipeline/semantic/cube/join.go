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
	out := foreign.Relationship{From: c.table + "." + from, To: other.table + "." + to, Cardinality: "many_to_one"}
	switch j.Relationship {
	case "many_to_one", "belongs_to", "belongsTo":
	case "one_to_one", "has_one", "hasOne":
		out.Cardinality = "one_to_one"
	case "one_to_many", "has_many", "hasMany":
		out.From, out.To = out.To, out.From
	default:
		im.Note(j.At, what, "a join of type %q has no counterpart", j.Relationship)
		return
	}
	if out.From == out.To {
		im.Note(j.At, what, "it joins a column with itself")
		return
	}
	im.Relationship(out)
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
