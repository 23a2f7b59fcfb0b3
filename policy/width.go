package policy

// maxWidth bounds how many columns the parts of one statement bring along
// without naming them. Each *, * doubles the columns of the sub-select below
// it: without a bound, thirty of them in a thousand bytes fill any memory long
// before Postgres could say that it takes 1664.
const maxWidth = 100_000

// spread counts n such columns, before they are copied.
func (j *judge) spread(n int) error {
	j.width += n
	if j.width > maxWidth {
		return deny(stateTooDeep, "statement is too wide: its parts have more than %d columns", maxWidth).withHint("Name the columns you need instead of *.")
	}
	return nil
}

// spreadItems counts the columns of items that can be named alone.
func (j *judge) spreadItems(items []*item) error {
	for _, it := range items {
		if !it.byColumn {
			continue
		}
		if err := j.spread(len(it.columns)); err != nil {
			return err
		}
	}
	return nil
}
