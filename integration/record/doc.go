// Package record listens in between a client and a server: a relay passes on
// what each says and keeps it frame by frame, so that two sessions can be
// compared and one be played again. Connections must not be encrypted.
package record
