package check_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAResidentIsCheckedBothWays: as an ordinary plugin and as one that stays.
func TestAResidentIsCheckedBothWays(t *testing.T) {
	const loop = `if [ "$1" = --resident ]; then
while read -r line; do id=${line#*'"id":'}; id=${id%%,*}; REPLY; done
exit; fi
echo '{"block": true, "message": "no"}'`
	guard := schema(`{"name":"p","tool":false,"hooks":["pre_tool"],"resident":true}`)
	reply := func(result string) string {
		return `printf '{"jsonrpc":"2.0","id":%s,"result":` + result + `}\n' $id`
	}
	for _, test := range []struct {
		name, reply string
		want        []string
	}{
		{"the same answers", reply(`{"message":"no","block":true}`), nil},
		{"another answer", reply("null"), []string{
			`warning resident pre_tool: its answers differ: started for the event {"block":true,"message":"no"}, started with ` +
				`--resident none; they may differ if they depend on the time or on earlier events`}},
		{"a log line", "echo loaded", []string{
			`error resident pre_tool: started with --resident it failed, started for the event it did not: its resident ` +
				`process: it wrote a line that is not JSON: "loaded"; write everything except answers to standard error`}},
		{"no process that stays", "exit 3", []string{
			`error resident pre_tool: started with --resident it failed, started for the event it did not: its resident ` +
				`process: connection closed: exit status 3`}},
		{"an answer of another type", reply("[]"), []string{
			`error resident pre_tool: started with --resident its answer cannot be read: its answer is an array, not an ` +
				"object"}},
		{"it does not end", "trap 'exec sleep 600' EXIT; " + reply(`{"block":true,"message":"no"}`), []string{
			"warning resident: it does not end when its standard input is closed; every session ends 2 seconds later because " +
				"of that"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			script := guard + strings.Replace(loop, "REPLY", test.reply, 1)
			if diff := cmp.Diff(test.want, checked(t, script, 0o755)); diff != "" {
				t.Errorf("found (-want +got):\n%s", diff)
			}
		})
	}
	after := guard + strings.Replace(loop, "REPLY", reply(`{"block":true,"message":"no"}`)+"; echo answered", 1)
	if found := checked(t, after, 0o755); len(found) == 0 || !strings.Contains(found[0], `is not JSON: "answered"`) {
		t.Errorf("a line after each answer: %q", found)
	}
	// An ordinary start answers in the place of a process of a pure plugin.
	pure := schema(`{"name":"p","tool":false,"hooks":["pre_tool"],"resident":true,"pure":true}`)
	want := []string{"error resident pre_tool: its resident process: connection closed: exit status 3; asked again by " +
		"an ordinary start"}
	const once = `[ -n "$again" ] && exit 3; again=yes; `
	for _, dies := range []string{"exit 3", once + reply(`{"block":true,"message":"no"}`)} {
		if diff := cmp.Diff(want, checked(t, pure+strings.Replace(loop, "REPLY", dies, 1), 0o755)); diff != "" {
			t.Errorf("%q: found (-want +got):\n%s", dies, diff)
		}
	}
	got := checked(t, schema(`{"name":"p","description":"d","concurrent":true}`), 0o755)
	if diff := cmp.Diff([]string{
		`warning schema: its --schema has "concurrent" without "resident": true, which has no effect`}, got); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
}

// TestAResidentIsAskedAsInSeveralRuns: a guard that blocks outside of prompts. As a process that stays
// it reads "meta", or it does not, or it remembers what an earlier event had.
func TestAResidentIsAskedAsInSeveralRuns(t *testing.T) {
	const blocks = `{"block":true,"message":"no"}`
	const script = `if [ "$1" = --resident ]; then
while read -r line; do
	id=${line#*'"id":'} id=${id%%,*} result='{"block":true,"message":"no"}'
	LOOK
	printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "${inside:-$result}"
done
exit; fi
[ -n "$CHIBI_PROMPT_ID" ] || echo '{"block":true,"message":"no"}'`
	const differs, remedy = "warning resident pre_tool: its answers differ ", `; they may differ if they depend on the ` +
		`time or on earlier events; else it must set the variables in "meta" for each event and remove those that are ` +
		`not there`
	for look, want := range map[string][]string{
		`case $line in *PROMPT_ID*) inside=null ;; *) inside='' ;; esac`: nil,
		`: nothing`: {differs + `in the context "elsewhere": started for the event none, started with --resident ` + blocks +
			remedy},
		`case $line in *PROMPT_ID*) inside=null ;; esac`: {differs + "after a run in another context: started for the " +
			"event " + blocks + ", started with --resident none" + remedy},
	} {
		guard := schema(`{"name":"p","tool":false,"hooks":["pre_tool"],"resident":true}`)
		got := checked(t, guard+strings.Replace(script, "LOOK", look, 1), 0o755)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: found (-want +got):\n%s", look, diff)
		}
	}
}

// TestADeliveryIsNotRepeatedInFurtherRuns: it is asked by an ordinary start and once in a process that
// stays, an observer also as in two further runs.
func TestADeliveryIsNotRepeatedInFurtherRuns(t *testing.T) {
	for point, want := range map[string]int{"pre_send_message": 2, "post_message": 5} {
		log := filepath.Join(t.TempDir(), "log")
		script := schema(`{"name":"p","tool":false,"hooks":["`+point+`"],"resident":true}`) + "LOG=" + log + `
[ "$1" = --resident ] || { echo asked >> $LOG; exit; }
while read -r line; do
	id=${line#*'"id":'}; echo asked >> $LOG
	printf '{"jsonrpc":"2.0","id":%s,"result":null}\n' "${id%%,*}"
done`
		if found := checked(t, script, 0o755); found != nil {
			t.Errorf("found %q", found)
		}
		if asked, err := os.ReadFile(log); err != nil || strings.Count(string(asked), "asked") != want {
			t.Errorf("%s: it was asked so, want %d: %q, %v", point, want, asked, err)
		}
	}
}
