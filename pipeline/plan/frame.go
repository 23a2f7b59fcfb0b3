package plan

import pg_query "github.com/pganalyze/pg_query_go/v5"

// The bits of a frame clause, as in Postgres's nodes/parsenodes.h.
const (
	frameNondefault         = 0x00001
	frameRange              = 0x00002
	frameRows               = 0x00004
	frameGroups             = 0x00008
	frameBetween            = 0x00010
	frameUnboundedPreceding = 0x00020 // of the start
	frameUnboundedFollowing = 0x00100 // of the end
	frameStartCurrent       = 0x00200
	frameStartPreceding     = 0x00800
	frameStartFollowing     = 0x02000
	frameEndCurrent         = 0x00400
	frameEndPreceding       = 0x01000
	frameEndFollowing       = 0x04000

	frameDefault = frameRange | frameUnboundedPreceding | frameEndCurrent
)

// frameClause sets a window's frame; nil leaves the default.
func frameClause(def *pg_query.WindowDef, f *Frame) {
	if f == nil {
		return
	}
	options := frameNondefault | frameBetween | frameRows
	if f.Unit == "groups" {
		options = frameNondefault | frameBetween | frameGroups
	}
	start, startOffset := frameEnd(f.Start, frameUnboundedPreceding, frameStartPreceding, frameStartCurrent, frameStartFollowing)
	end, endOffset := frameEnd(f.End, frameUnboundedFollowing, frameEndPreceding, frameEndCurrent, frameEndFollowing)
	def.FrameOptions = int32(options | start | end)
	def.StartOffset, def.EndOffset = startOffset, endOffset
}

// frameEnd is one end of a frame: its bit and how many rows away it is.
func frameEnd(rows *int, unbounded, preceding, current, following int) (int, *pg_query.Node) {
	switch {
	case rows == nil:
		return unbounded, nil
	case *rows < 0:
		return preceding, intNode(int64(-*rows))
	case *rows == 0:
		return current, nil
	}
	return following, intNode(int64(*rows))
}
