package agent

import "github.com/chibi-host/chibi/contexts"

// withResults adds a response that calls tools, and its results, to entries that
// may already have some of its calls: those get their results after them, the rest
// is appended.
func withResults(entries, latest []contexts.Entry) (all []contexts.Entry) {
	known, results := map[string]bool{}, map[string]contexts.Entry{}
	for _, e := range entries {
		known[e.CallID()] = known[e.CallID()] || e.Type == contexts.TypeToolCall
	}
	for _, e := range latest {
		if e.Type == contexts.TypeToolResult {
			results[e.CallID()] = e
		}
	}
	for i, e := range entries {
		all = append(all, e)
		if groupEnds(entries, i) {
			all = append(all, resultsOf(entries[:i+1], results)...)
		}
	}
	var rest []contexts.Entry
	missing := false
	for _, e := range latest {
		if known[e.CallID()] && e.CallID() != "" {
			continue
		}
		missing = missing || e.Type == contexts.TypeToolCall
		rest = append(rest, e)
	}
	if missing {
		all = append(all, rest...)
	}
	return all
}

// groupEnds reports whether the entry at i is the last of a group of calls.
func groupEnds(entries []contexts.Entry, i int) bool {
	return entries[i].Type == contexts.TypeToolCall && (i+1 == len(entries) || entries[i+1].Type != contexts.TypeToolCall)
}

// resultsOf returns the results of the calls at the end of the entries.
func resultsOf(entries []contexts.Entry, results map[string]contexts.Entry) (list []contexts.Entry) {
	begin := len(entries)
	for begin > 0 && entries[begin-1].Type == contexts.TypeToolCall {
		begin--
	}
	for _, call := range entries[begin:] {
		if result, ok := results[call.CallID()]; ok {
			list = append(list, result)
		}
	}
	return list
}
