package cli_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkFirstByte measures the time from starting the program, without
// plugins, to the arrival of its request at the model's server. Its floor is
// starting the same binary to print its version.
func BenchmarkFirstByte(b *testing.B) {
	dir := b.TempDir()
	binary := filepath.Join(dir, "chibi")
	if out, err := exec.Command("go", "build", "-o", binary, "../..").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	arrived := make(chan time.Time, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		arrived <- time.Now()
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\ndata: "+
			"[DONE]\n\n")
	}))
	defer server.Close()
	run := func(args ...string) {
		cmd := exec.Command(binary, args...)
		cmd.Env = append(os.Environ(), "CHIBI_HOME="+filepath.Join(dir, "home"))
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
	}
	var first, floor time.Duration
	for b.Loop() {
		begin := time.Now()
		run("--version")
		floor += time.Since(begin)
		begin = time.Now()
		run("--set", "base_url="+server.URL+"/v1", "--set", "model=m", "hello")
		first += (<-arrived).Sub(begin)
	}
	b.ReportMetric(float64(first.Microseconds())/float64(b.N)/1000, "ms-to-request")
	b.ReportMetric(float64(first)/float64(floor), "x-floor")
}
