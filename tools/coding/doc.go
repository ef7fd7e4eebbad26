// Package coding holds the tools with which a model works on a project: it runs commands,
// reads, writes, changes, finds and searches files.
//
// It promises that rules can decide about each call before it does anything: all tools are
// [tools.Planner]s. It decides nothing about permissions by itself. It uses exactly the things that
// the rules saw: a plan for a file holds the opened file or directory, at the path without links that
// [tools.Access].Real shows; no link is followed after that, and a file that was replaced in the
// meantime is an error. It never reads chibi's own private files and files of running processes,
// whatever the rules say. Everything that it reads is bounded in size and time, see docs/TOOLS.md.
package coding
