package merge

import "github.com/chibi-host/chibi/internal/strictjson"

// valid reports whether text is JSON of a bounded depth: nothing else is taken
// apart here, as the parser would recurse into it.
func valid(text []byte) bool { return strictjson.Valid(text) }
