// Package configs holds the shape of every file a DBA writes: pgask.yaml,
// users.yaml, policy.yaml, semantic.yaml and curated.yaml. Files are decoded
// strictly, with positions, so that every fault can be named with file, line
// and key, all of them at once; unknown keys are faults that name the nearest
// known one. Nothing here knows a database.
package configs
