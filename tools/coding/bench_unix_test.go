//go:build unix

package coding_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/coding"
)

// tree makes files of 10,000 bytes of text, 100 in each directory: CHIBI_BENCH_FILES of
// them, or 2000. They stay below CHIBI_BENCH_DIR, if that is set.
func tree(b *testing.B) (dir string, files int) {
	b.Helper()
	files = 2000
	if n, err := strconv.Atoi(os.Getenv("CHIBI_BENCH_FILES")); err == nil {
		files = n
	}
	dir = os.Getenv("CHIBI_BENCH_DIR")
	if dir == "" {
		dir = b.TempDir()
	}
	dir = filepath.Join(dir, fmt.Sprint("tree-", files))
	if _, err := os.Stat(dir); err == nil {
		return dir, files
	}
	random := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("func return error string package import the value of a file is not what it was when err " +
		"!= nil " +
		"context Context := range for if else { } ( ) type struct interface map[string]any // comment test result")
	for i := range files {
		path := filepath.Join(dir, fmt.Sprintf("part-%d/dir-%03d/file-%02d.txt", i/10_000, i/100%100, i%100))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.Fatal(err)
		}
		var text strings.Builder
		for text.Len() < 10_000 {
			for range 4 + random.IntN(10) {
				text.WriteString(words[random.IntN(len(words))])
				text.WriteByte(' ')
			}
			text.WriteByte('\n')
		}
		if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return dir, files
}

// processor is the time that this process, or those that it started and that have ended, used
// of processors.
func processor(b *testing.B, who int) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(who, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// againstFloor measures a call and a program in turn, and reports the ratio of medians, and
// that of the time of processors.
func againstFloor(b *testing.B, name string, arguments map[string]any, floor ...string) {
	dir, files := tree(b)
	var set tools.Set
	if err := set.Add(coding.Tools(coding.Config{Root: dir})...); err != nil {
		b.Fatal(err)
	}
	tool, _ := set.Lookup(name)
	text, err := json.Marshal(arguments)
	if err != nil {
		b.Fatal(err)
	}
	var ours, theirs []time.Duration
	call := func() {
		if result, err := tool.Call(b.Context(), tools.Call{Arguments: text}); err != nil || result.Failed {
			b.Fatalf("%v %v", result, err)
		}
	}
	run := func() {
		out, err := osexec.Command(floor[0], append(floor[1:], dir)...).Output()
		if exit, ok := err.(*osexec.ExitError); err != nil && (!ok || exit.ExitCode() != 1) || len(out) > 0 {
			b.Fatalf("%v: %.100s %v", floor, out, err)
		}
	}
	call()
	run()
	own, started := processor(b, syscall.RUSAGE_SELF), processor(b, syscall.RUSAGE_CHILDREN)
	for b.Loop() {
		start := time.Now()
		run()
		theirs = append(theirs, time.Since(start))
		start = time.Now()
		call()
		ours = append(ours, time.Since(start))
	}
	own, started = processor(b, syscall.RUSAGE_SELF)-own, processor(b, syscall.RUSAGE_CHILDREN)-started
	b.ReportMetric(float64(own)/float64(started), "cpu-ratio")
	slices.Sort(ours)
	slices.Sort(theirs)
	us, them := ours[len(ours)/2], theirs[len(theirs)/2]
	b.ReportMetric(float64(us)/float64(them), "ratio")
	b.ReportMetric(float64(us.Microseconds())/1000, "ours-ms")
	b.ReportMetric(float64(them.Microseconds())/1000, "floor-ms")
	b.ReportMetric(float64(files), "files")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkGlobFiles finds nothing in all directories; the floor is find.
func BenchmarkGlobFiles(b *testing.B) {
	againstFloor(b, "glob_files", map[string]any{"pattern": "**/*.none"}, "sh", "-c", `find "$0" -name '*.none'`)
}

// BenchmarkGrepFiles searches for what is nowhere; the floor is grep.
func BenchmarkGrepFiles(b *testing.B) {
	for _, test := range []struct {
		name, pattern string
		ignoreCase    bool
		floor         []string
	}{
		{"literal", "absentLiteral", false, []string{"grep", "-rIF", "absentLiteral"}},
		{"prefilter", `func \w+absent`, false, []string{"grep", "-rIE", `func \w+absent`}},
		{"engine", `[a-z]+[0-9]{3}[a-z]`, false, []string{"grep", "-rIE", `[a-z]+[0-9]{3}[a-z]`}},
		{"ignore-case", "absentLiteral", true, []string{"grep", "-rIFi", "absentLiteral"}},
	} {
		b.Run(test.name, func(b *testing.B) {
			againstFloor(b, "grep_files", map[string]any{"pattern": test.pattern, "ignore_case": test.ignoreCase}, test.floor...)
		})
	}
}
