package plan

// windowNames are the functions that only a window has.
var windowNames = []string{"row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lag", "lead", "first_value", "last_value"}
