// Package powers finds what a login of Postgres can do that a login which only
// reads for governed roles need not: the second wall, behind a policy, is as
// high as the login is weak. Each power comes with the SQL that takes it away.
package powers
