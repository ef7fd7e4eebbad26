package merge_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/merge"
	"github.com/google/go-cmp/cmp"
)

// object has n members of its own for a prefix.
func object(prefix string, n int) []byte {
	var b strings.Builder
	b.WriteString("{")
	for i := range n {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `"%s%d":%d`, prefix, i, i)
	}
	return []byte(b.String() + "}")
}

// names are n names.
func names(prefix string, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%s%d", prefix, i)
	}
	return list
}

// allocated is how many bytes a piece of work allocates.
func allocated(work func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	work()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

// TestLargeAnswersTakeLinearWork: what is ten times as large takes about ten times
// the memory. What took quadratic time would not end here.
func TestLargeAnswersTakeLinearWork(t *testing.T) {
	wrap := func(doc []byte) []byte { return []byte(`{"x":` + string(doc) + `}`) }
	offers := func(n int) []merge.Offer[[]string] {
		return []merge.Offer[[]string]{{From: "p", Value: names("a", n)}, {From: "q", Value: names("a", 2*n)}}
	}
	for _, test := range []struct {
		name string
		work func(n int)
	}{
		{"keys that a patch adds", func(n int) {
			merge.NewChain([]byte(`{"x":{}}`)).Patch("p", "x", object("a", n))
		}},
		{"keys that two patches set differently", func(n int) {
			c := merge.NewChain([]byte(`{"x":{}}`))
			c.Patch("p", "x", object("a", n))
			c.Patch("q", "x", []byte(strings.ReplaceAll(string(object("a", n)), ":", ":1")))
		}},
		{"a value that is replaced", func(n int) {
			c := merge.NewChain(wrap(object("a", n)))
			c.Replace("p", "x", object("b", n))
			c.Replace("q", "x", object("c", n))
			c.Replace("r", "x", []byte("1"))
		}},
		{"members below what another one set", func(n int) {
			c := merge.NewChain([]byte(`{"x":1}`))
			c.Replace("p", "x", object("a", n))
			c.Patch("q", "x", object("b", n))
		}},
		{"differences", func(n int) { merge.Diff(object("a", n), object("b", n)) }},
		{"lists that intersect", func(n int) { merge.Intersect(offers(n)) }},
		{"lists that unite", func(n int) { merge.Unite(offers(n)) }},
		{"filters", func(n int) { merge.Filter(names("a", n), offers(n), offers(n/2)) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			small := allocated(func() { test.work(5_000) })
			large := allocated(func() { test.work(50_000) })
			if large > 20*small {
				t.Errorf("50,000 take %.0f times the memory of 5,000", large/small)
			}
		})
	}
}

// TestAChangeDeepInAValueCostsItsDepthOnce: each object on the way down is looked at
// once, whoever set what lies around it.
func TestAChangeDeepInAValueCostsItsDepthOnce(t *testing.T) {
	change := func(depth int) func() {
		nested := func(leaf string) []byte {
			return []byte(strings.Repeat(`{"k":`, depth) + leaf + strings.Repeat("}", depth))
		}
		return func() {
			c := merge.NewChain([]byte(`{"x":{}}`))
			c.Patch("p", "x", nested(`{"list":[`+strings.Repeat("1,", 500)+`1],"z":1}`))
			c.Patch("q", "x", nested(`{"z":2}`))
		}
	}
	small, large := allocated(change(50)), allocated(change(500))
	if large > 30*small {
		t.Errorf("500 objects in each other take %.0f times the memory of 50", large/small)
	}
}

// TestANewValueCostsItsSizeOnce however deep in others it is.
func TestANewValueCostsItsSizeOnce(t *testing.T) {
	patch := func(depth int) func() {
		value := strings.Repeat(`{"k":`, depth) + `"` + strings.Repeat("x", 100_000) + `"` + strings.Repeat("}", depth)
		return func() { merge.NewChain([]byte(`{"x":{}}`)).Patch("p", "x", []byte(value)) }
	}
	small, large := allocated(patch(2)), allocated(patch(200))
	if large > 2*small {
		t.Errorf("100 KB below 200 objects take %.0f times the memory of those below 2", large/small)
	}
}

// TestAVeryLargeChangeIsAppliedAndToldByTheObjectsAroundIt: each place up to the
// bound, and what lies around them beyond it.
func TestAVeryLargeChangeIsAppliedAndToldByTheObjectsAroundIt(t *testing.T) {
	for _, test := range []struct {
		name, doc, patch string
		paths            int
		first            string
	}{
		{"as many as are told", `{"x":{}}`, string(object("a", merge.MaxPaths)), merge.MaxPaths, "/x/a0"},
		{"one more", `{"x":{}}`, string(object("a", merge.MaxPaths+1)), 1, "/x"},
		{"many in one of two members", `{"x":{"few":{"f0":9},"many":{}}}`, `{"few":{"f0":1},"many":` +
			string(object("a", 20_000)) + `}`, 2, "/x/few"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := merge.NewChain([]byte(test.doc))
			paths := c.Patch("p", "x", []byte(test.patch))
			if len(paths) != test.paths || paths[0] != test.first {
				t.Errorf("%d changes, the first %v; want %d, the first %s", len(paths), paths[:min(1, len(paths))],
					test.paths, test.first)
			}
			if got := c.Field("x"); !merge.Equal(got, []byte(test.patch)) {
				t.Errorf("the change was not applied: %.60s", got)
			}
		})
	}
}

func TestVeryManyConflictsAreToldByTheObjectAroundThem(t *testing.T) {
	c := merge.NewChain([]byte(`{"x":{}}`))
	mine, yours := object("a", merge.MaxPaths), object("b", merge.MaxPaths)
	both := string(mine[:len(mine)-1]) + "," + string(yours[1:])
	c.Patch("p", "x", mine)
	c.Patch("q", "x", yours)
	c.Patch("r", "x", []byte(strings.ReplaceAll(both, ":", ":1")))
	lost := c.Conflicts()
	if n := len(lost); n != merge.MaxPaths+1 || lost[n-1] != (merge.Conflict{Path: "/x", Winner: "r", Loser: "q"}) {
		t.Errorf("%d conflicts, the last %v", n, lost[n-1])
	}
}

func TestAVeryLargeChangeIsOwnedAsAWhole(t *testing.T) {
	c := merge.NewChain([]byte(`{"x":{}}`))
	c.Patch("p", "x", object("a", 2*merge.MaxPaths))
	c.Patch("q", "x", []byte(`{"a7":"other"}`))
	if diff := cmp.Diff([]merge.Conflict{{Path: "/x/a7", Winner: "q", Loser: "p"}}, c.Conflicts()); diff != "" {
		t.Errorf("conflicts (-want +got):\n%s", diff)
	}
}
