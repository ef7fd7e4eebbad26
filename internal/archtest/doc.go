// Package archtest checks the rules of the architecture: who may import whom, who may
// start processes, print, or write files, and how large functions and files may be. It has
// only tests; docs/ARCHITECTURE.md describes the architecture.
package archtest
