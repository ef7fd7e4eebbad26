// Package terminaltest gives tests a terminal, the person who sits at it, and
// what that person sees. It works on Linux; where there are no pseudo-terminals,
// tests are skipped.
package terminaltest
