package policy

import "regexp"

// A plan in text form has a line for each node, headers for what is planned
// apart, and lines of the form "Key: value", in which row rules, masks and caps
// stand. A literal or name with a line break in it makes lines, too, the last of
// which goes on with what stands behind it. So a line is read to its end: none of
// the names here can span the end of a literal or of a quoted name.

const (
	planName = `(?:[a-z_][a-z0-9_]*|"[\pL\pN_][\pL\pN_ .$-]*"|"\*(?:VALUES|SELECT)\*[ _0-9]*")`
	planScan = `(?:Seq|Sample|Index|Index Only|Bitmap Index|Bitmap Heap|Tid|Tid Range|Subquery|Function|Table Function|Values|CTE|WorkTable) Scan` +
		`(?: Backward)?(?: using ` + planName + `)? on ` + planName + `(?: ` + planName + `)?`
	planJoin = `(?:Nested Loop|(?:Nested Loop|Hash|Merge)(?: (?:Left|Full|Right|Semi|Anti|Right Semi|Right Anti))? Join|Merge Append|Hash)`
	planSets = `(?:Hash)?SetOp(?: (?:Intersect|Except)(?: All)?)?`
	planRest = `Result|ProjectSet|Append|Recursive Union|BitmapAnd|BitmapOr|Materialize|Memoize|Sort|Incremental Sort|Group|` +
		`(?:Group|Hash|Mixed)?Aggregate|WindowAgg|Unique|Gather|Gather Merge|LockRows|Limit`
	planNode = `(?:(?:Parallel|Partial|Finalize) )?(?:` + planScan + `|` + planJoin + `|` + planSets + `|` + planRest + `)`
	planHead = `(?:InitPlan|SubPlan) (?:[a-z]+_)?[0-9]+(?: \(returns \$[0-9]+(?:,\$[0-9]+)*\))?|CTE ` + planName
)

var (
	planRoot = regexp.MustCompile(`^` + planNode + `$`)
	planLine = regexp.MustCompile(`^ +(?:->  ` + planNode + `|` + planHead + `)$`)
)

// maxPlanLine is the longest line of a plan that may be shown, in bytes: names
// have 63, and the rest of them is how deep the node stands.
const maxPlanLine = 16 << 10

// ShowsPlanLine tells whether a line of a plan, the first one or a later one, is
// nothing but the plan's structure: a node with the names of what it reads, or a
// header. What isn't known isn't.
func ShowsPlanLine(line []byte, first bool) bool {
	if len(line) > maxPlanLine {
		return false
	}
	if first {
		return planRoot.Match(line)
	}
	return planLine.Match(line)
}

// planTells tells whether the plan of what was judged holds expressions that
// aren't the client's.
func (j *judge) planTells(f Facts) bool {
	if f.Cap > 0 && j.opts.OnTruncateError != "" {
		return true
	}
	for n := range j.used {
		if g := j.view.grants[n]; g.scope != nil || len(g.masked()) > 0 {
			return true
		}
	}
	return false
}
