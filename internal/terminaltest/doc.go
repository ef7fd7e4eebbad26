// Package terminaltest gives tests a terminal and the person who sits at it. It
// works on Linux; where there are no pseudo-terminals, tests are skipped.
package terminaltest
