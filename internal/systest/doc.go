// Package systest has what tests need from the system that they run on: the interpreters of scripts,
// and files of kinds that not every system has. It is for tests only.
package systest
