// Package hook asks commands and URLs of whoever runs pgask about plans and SQL: JSON
// in, allow, modify or deny out. What doesn't answer in time, or not as it should, denies.
package hook
