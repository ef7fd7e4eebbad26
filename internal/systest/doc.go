// Package systest has what tests need from the system that they run on: the interpreters of scripts, files of kinds
// that not every system has, and how many cases a test tries. It is for tests only.
package systest
