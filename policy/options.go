package policy

// Options say how a statement is going to be run.
type Options struct {
	// ParamTypes are the type oids of the Parse message, 0 where the client
	// leaves the type to Postgres.
	ParamTypes []uint32
	// Cap limits the statement's rows to the role's cap plus one. It is off
	// only for queries of our own that bound themselves.
	Cap bool
	// OnTruncateError is the planted word that Postgres must raise, in a 22P02
	// that quotes it, once more rows than the cap are read. Empty for roles whose
	// truncation is a notice.
	OnTruncateError string
	// Watched is the number of rows of an answer whose statement gives one more where that
	// ties with the last of them; 0 for others. Where the cap is less, the cap holds.
	Watched int64
	// Gather is the column of the one row that a query's rows are gathered into, for
	// an answer that is told in words or as a chart: see gathered. Nil for none.
	Gather *ToldColumn
	// CleanUp: the statement is part of a message by which a pool cleans a session
	// up, so RESET ALL and pg_advisory_unlock_all() pass.
	CleanUp bool
}
