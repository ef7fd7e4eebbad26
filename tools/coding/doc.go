// Package coding holds the tools with which a model works on a project: it runs commands,
// reads, writes, changes, finds and searches files.
//
// It promises that each call can be judged before it does anything: all tools are
// [tools.Planner]s. It decides nothing about permissions by itself. What was judged is what is
// used: a plan for a file holds the opened file or directory, at the path without links that
// [tools.Access].Real shows; no link is followed after that, and what was replaced in the
// meantime is an error. Chibi's own private files and those of running processes are never
// read, whatever was judged. All that is read is bounded in size and time, see docs/TOOLS.md.
package coding
