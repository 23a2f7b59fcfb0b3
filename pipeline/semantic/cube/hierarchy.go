package cube

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/semantic/foreign"
)

// hierarchy takes over a hierarchy, whose levels are columns or what is computed of them.
func (im *importer) hierarchy(c *cube, h hierarchy) error {
	out := foreign.Hierarchy{Name: h.Name, Synonyms: foreign.Words(h.Name, foreign.Spoken(h.Name), strings.ToLower(h.Title))}
	for _, level := range h.Levels {
		of, name := c, level
		if other, member, ok := strings.Cut(level, "."); ok {
			of, name = im.cube(c, other), member
		}
		if of == nil || of.dimensions[name] == nil {
			return fmt.Errorf("its level %s is no dimension of a cube that was taken over", level)
		}
		d := of.dimensions[name]
		n, err := im.dimension(of, d)
		if err == nil {
			err = foreign.Check(n, false)
		}
		if err != nil {
			return fmt.Errorf("its level %s: %w", level, err)
		}
		column, plain := foreign.Plain(n)
		if !plain { // a level may be a dimension, too
			column = d.called
		}
		out.Levels = append(out.Levels, of.table+"."+configs.Spell(column))
	}
	if len(out.Levels) < 2 || len(slices.Compact(slices.Sorted(slices.Values(out.Levels)))) < len(out.Levels) {
		return errors.New("it hasn't two levels or more, each another column")
	}
	im.Hierarchy(h.At, out)
	return nil
}
