// Package archtest checks the rules of the architecture: the rooms that docs/internals/ARCHITECTURE.md
// draws, which packages may not reach which and why, who may start processes, print, or write
// files, and how large functions, files, types and packages may be. It has only tests.
package archtest
