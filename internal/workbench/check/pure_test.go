package check_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAPurePluginIsCalledTwice: what contradicts "pure" is found where it can be seen, in
// its answers and in chibi's home.
func TestAPurePluginIsCalledTwice(t *testing.T) {
	const keys = `"name":"p","tool":false,"hooks":["pre_tool"]`
	pure := schema(`{` + keys + `,"pure":true}`)
	stays := schema(`{`+keys+`,"pure":true,"resident":true}`) + `
		[ "$1" = --resident ] || { echo '{"block":true,"message":"1"}'; exit; }
		n=0; while read -r line; do id=${line#*'"id":'}; id=${id%%,*}; n=$((n+1))
		printf '{"jsonrpc":"2.0","id":%s,"result":{"block":true,"message":"%s"}}\n' $id $n; done`
	const count = `calls=$CHIBI_HOME/calls; echo x >> $calls; n=$(wc -l < $calls); `
	const remove = `is not pure: remove "pure"`
	const wrote = "warning pure: its hooks wrote files in chibi's home; if it matters how often chibi calls them, the " +
		"plugin " + remove
	for _, test := range []struct {
		name, script string
		want         []string
	}{
		{"it is pure", pure + `echo '{"block":true,"message":"no"}'`, nil},
		{"it counts its calls", pure + count + `echo '{"block":true,"message":"'$((n))'"}'`, []string{
			`warning pure pre_tool: its answers to the same payload differ, first {"block":true,"message":"1"}, then ` +
				`{"block":true,"message":"2"}; if that is because it counts or remembers calls, it ` + remove,
			wrote}},
		{"it answers the first call only", pure + count + "[ $n = 1 ]", []string{
			"error pure pre_tool: called again with the same payload it failed: exit status 1", wrote}},
		{"it writes a log", pure + count, []string{wrote}},
		{"it delivers", schema(`{"name":"p","tool":false,"hooks":["pre_send_message"],"pure":true}`) +
			`[ ! -e $CHIBI_HOME/sent ] && : > $CHIBI_HOME/sent && echo '{"delivered":true,"via":"p"}'`, []string{wrote}},
		{"it says nothing of it", schema(`{`+keys+`}`) + count, nil},
		{"its process counts", stays, []string{
			`warning pure resident pre_tool: its answers to the same payload differ, first {"block":true,"message":"1"}, then ` +
				`{"block":true,"message":"2"}; if that is because it counts or remembers calls, it ` + remove}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, checked(t, test.script, 0o755)); diff != "" {
				t.Errorf("found (-want +got):\n%s", diff)
			}
		})
	}
}
