package policy

// maxNested bounds catalog access functions and casts to reg types within each
// other: what stands for one holds its argument more than once, so that thirty of
// them would fill any memory. Tools nest two or three.
const maxNested = 5

// maxObjectLists bounds the bytes of the lists of objects that a statement's
// guards and system relations bring along.
const maxObjectLists = 64 << 20

// nest counts one more such call around what is walked; the caller undoes it.
func (j *judge) nest() error {
	j.nested++
	if j.nested > maxNested {
		return deny(stateTooDeep, "catalog functions are nested more than %d deep", maxNested)
	}
	return j.charge(j.view.names().oidBytes)
}

// charge counts bytes before they are written.
func (j *judge) charge(n int) error {
	j.lists += n
	if j.lists > maxObjectLists {
		return deny(stateTooDeep, "statement asks for too many objects of the system catalogs").withHint("Ask in several statements.")
	}
	return nil
}
