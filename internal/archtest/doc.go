// Package archtest holds the architecture: who may import whom, who may start
// processes, print, or write files, and how large things may grow. It has only
// tests; docs/ARCHITECTURE.md says why.
package archtest
