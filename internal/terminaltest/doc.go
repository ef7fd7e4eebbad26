// Package terminaltest simulates a terminal and the person who uses it, for tests. It works
// on Linux; without pseudo-terminals, tests are skipped.
package terminaltest
