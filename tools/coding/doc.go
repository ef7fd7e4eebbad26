// Package coding holds the tools with which a model works on a project: it runs commands.
//
// It promises that each call can be judged before it does anything: all tools are
// [tools.Planner]s. It decides nothing about permissions by itself.
package coding
