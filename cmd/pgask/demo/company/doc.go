// Package company makes the sample company that the demo, the tests and the
// sample files in configs/demo speak of: two tenants' accounts, their orders,
// recurring revenue and support conversations, and a payroll that no analyst
// may read. It is deterministic: the same seed and reference date give the same
// bytes on every machine, which is why nothing in it computes with floats.
// Companies and products are invented, and no person appears.
package company
