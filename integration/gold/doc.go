// Package gold reads sets of questions with the SQL that answers them, and
// says that SQL as plans: the proof that the plan language can say it, and a
// model's replies that are always right. It is for tests only.
package gold
