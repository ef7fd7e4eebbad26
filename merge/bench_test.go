package merge_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/merge"
)

// BenchmarkChain1MB is a plugin of a chain that changes 20 keys of a request of 1 MB: its
// reply, the payload for the next plugin, and the answer. The floor is validating the
// payload once; x-floor is the ratio to that.
func BenchmarkChain1MB(b *testing.B) {
	payload := append(append([]byte(`{"context_name":"c","request_body":`), request()...), '}')
	info := hookpoints.PreAPIRequest.Info()
	for _, plugins := range []int{1, 10} {
		var replies []merge.Reply
		for p := range plugins {
			var keys []string
			for k := range 20 {
				keys = append(keys, fmt.Sprintf(`"key%d_%d":%d`, p, k, p+k))
			}
			body := []byte(`{"request_body":{` + strings.Join(keys, ",") + `}}`)
			replies = append(replies, merge.Reply{From: fmt.Sprint("p", p), Body: body})
		}
		b.Run(fmt.Sprintf("plugins=%d", plugins), func(b *testing.B) {
			var spent, floor time.Duration
			for b.Loop() {
				begin := time.Now()
				if !strictjson.Valid(payload) {
					b.Fatal("not JSON")
				}
				floor += time.Since(begin)
				begin = time.Now()
				a := merge.New(info, payload)
				for _, r := range replies {
					a.Add(r)
					a.Next()
				}
				if len(a.Result().Answer) < len(payload)/2 {
					b.Fatal("the answer is not the request")
				}
				spent += time.Since(begin)
			}
			b.ReportMetric(float64(spent)/float64(floor), "x-floor")
		})
	}
}

// BenchmarkFilters combines the filters of 100 plugins that each name 1,000 tools. x-linear
// is its time divided by ten times that of 100 tools: 1 if the time is in proportion to
// the names.
func BenchmarkFilters(b *testing.B) {
	combine := func(tools int) time.Duration {
		var names []string
		for i := range tools {
			names = append(names, fmt.Sprintf("tool_%d", i))
		}
		var offers []merge.Offer[[]string]
		for i := range 100 {
			offers = append(offers, merge.Offer[[]string]{From: fmt.Sprint(i), Value: names})
		}
		begin := time.Now()
		merge.Intersect(offers)
		merge.Unite(offers)
		merge.Filter(names, offers, nil)
		return time.Since(begin)
	}
	var small, large time.Duration
	for b.Loop() {
		small += combine(100)
		large += combine(1000)
	}
	b.ReportMetric(float64(large)/float64(small)/10, "x-linear")
}
