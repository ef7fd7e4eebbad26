package merge

import (
	"cmp"
	"slices"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/tidwall/gjson"
)

// refuseInWordsOf makes of a reply that refuses, in any of [hookpoints.Words], the point's own
// refusal. That beats everything else in the reply, except what takes effect beside it.
func (r *reply) refuseInWordsOf(info hookpoints.Info) {
	no, why := info.Refusing()
	if !slices.ContainsFunc(no, func(word string) bool { return denies(r.field(word)) }) {
		return
	}
	var reason string
	for _, word := range why {
		reason = cmp.Or(reason, gjson.Parse(r.field(word)).String())
	}
	refusal := info.Refusal(reason)
	said := membersOf(string(refusal))
	for _, f := range info.Fields {
		_, isThere := said.last[f.Name]
		if value := r.field(f.Name); value != "" && !isThere && (isBeside(f.Rule) || f.Rule == hookpoints.RuleWith) {
			refusal = put(refusal, f.Name, value)
		}
	}
	r.body = membersOf(string(refusal))
}
