package transaction

// Held is which of a Table's statements a backend has, of those used last. The
// zero value holds none, at most HeldDefault. It belongs to the backend and is
// used by one loop at a time.
type Held struct {
	// Max is the most names that it holds; 0 is HeldDefault.
	Max int

	by map[string]*held
	// ring leads to the name used last and, backwards, to the one not used for
	// longest. It is made by the first Add.
	ring *held
}

// HeldDefault is how many statements a backend keeps unless said otherwise.
const HeldDefault = 200

type held struct {
	name             string
	previous, follow *held
}

// Len is how many names there are.
func (h *Held) Len() int { return len(h.by) }

// Has reports whether the backend has the statement, which counts as a use.
func (h *Held) Has(name string) bool {
	e := h.by[name]
	if e == nil {
		return false
	}
	if h.ring.follow != e {
		e.unlink()
		h.push(e)
	}
	return true
}

// Add notes that the backend gets the statement, and names one that must be
// closed on it first, if that would be one too many. To add what is there is a
// use.
func (h *Held) Add(name string) (evict string) {
	h.Keep(name)
	return h.Evict()
}

// Keep is Add without making room: for a statement whose Close was skipped, so
// that the backend still has it. Evict makes the room later.
func (h *Held) Keep(name string) {
	if h.Has(name) {
		return
	}
	if h.by == nil {
		h.Clear()
	}
	e := &held{name: name}
	h.by[name] = e
	h.push(e)
}

// Evict forgets the statement that was not used for longest and names it, if
// there are too many; it is to be closed on the backend.
func (h *Held) Evict() string {
	most := h.Max
	if most == 0 {
		most = HeldDefault
	}
	if len(h.by) <= most {
		return ""
	}
	name := h.ring.previous.name
	h.Drop(name)
	return name
}

// Drop notes that the backend doesn't have the statement.
func (h *Held) Drop(name string) {
	if e := h.by[name]; e != nil {
		e.unlink()
		delete(h.by, name)
	}
}

// Clear notes that the backend has none: after DISCARD ALL or DEALLOCATE ALL.
func (h *Held) Clear() {
	h.by = map[string]*held{}
	h.ring = &held{}
	h.ring.previous, h.ring.follow = h.ring, h.ring
}

// push makes e the one used last.
func (h *Held) push(e *held) {
	e.previous, e.follow = h.ring, h.ring.follow
	e.previous.follow, e.follow.previous = e, e
}

func (e *held) unlink() {
	e.previous.follow, e.follow.previous = e.follow, e.previous
}
