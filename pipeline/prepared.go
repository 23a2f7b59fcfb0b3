package pipeline

// prepared is what Bind needs of the Parse that made a statement.
type prepared struct {
	text string
	oids []uint32
}
