package process_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/chibi-host/chibi/plugin/process"
)

// BenchmarkRun runs a script that answers with {}, and compares this package with os/exec,
// which passes the same input and keeps the same output, and with the least that does so:
// fork, exec and reads that block. They take turns. Of each it reports the time that a
// tenth of the runs is quicker than, and the median; x-exec and x-bare are ratios of these.
func BenchmarkRun(b *testing.B) {
	script := filepath.Join(b.TempDir(), "hook")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho {}\n"), 0o755); err != nil {
		b.Fatal(err)
	}
	input := bytes.Repeat([]byte("x"), 500)
	ways := map[string]func() (string, error){
		"run": func() (string, error) {
			out, err := process.Runner{}.Run(b.Context(), process.Command{Path: script, Stdin: input, Timeout: time.Minute})
			return string(out.Stdout), err
		},
		"exec": func() (string, error) {
			var stdout, stderr bytes.Buffer
			cmd := exec.CommandContext(b.Context(), script)
			cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &stdout, &stderr
			err := cmd.Run()
			return stdout.String(), err
		},
		"bare": func() (string, error) { return bare(script, input) },
	}
	took := map[string][]time.Duration{}
	for b.Loop() {
		for name, run := range ways {
			begin := time.Now()
			if answer, err := run(); err != nil || answer != "{}\n" {
				b.Fatalf("%s answered %q, %v", name, answer, err)
			}
			took[name] = append(took[name], time.Since(begin))
		}
	}
	for name, list := range took {
		slices.Sort(list)
		b.ReportMetric(float64(list[len(list)/2].Microseconds()), name+"-us")
	}
	for what, at := range map[string]int{"tenth": b.N / 10, "median": b.N / 2} {
		own := float64(took["run"][at])
		b.ReportMetric(own/float64(took["exec"][at]), what+"-x-exec")
		b.ReportMetric(own/float64(took["bare"][at]), what+"-x-bare")
	}
}

// bare runs a program with three pipes.
func bare(path string, input []byte) (string, error) {
	var pipes [3][2]int
	for i := range pipes {
		if err := syscall.Pipe2(pipes[i][:], syscall.O_CLOEXEC); err != nil {
			return "", err
		}
	}
	ours := []int{pipes[0][1], pipes[1][0], pipes[2][0]}
	theirs := []int{pipes[0][0], pipes[1][1], pipes[2][1]}
	syscall.Write(ours[0], input)
	pid, err := syscall.ForkExec(path, []string{path}, &syscall.ProcAttr{Env: os.Environ(),
		Files: []uintptr{uintptr(theirs[0]), uintptr(theirs[1]), uintptr(theirs[2])}})
	for _, fd := range append(theirs, ours[0]) {
		syscall.Close(fd)
	}
	var answer []byte
	for buffer := make([]byte, 4<<10); err == nil; {
		n, _ := syscall.Read(ours[1], buffer)
		if n <= 0 {
			break
		}
		answer = append(answer, buffer[:n]...)
	}
	syscall.Read(ours[2], make([]byte, 1)) // to its end
	syscall.Close(ours[1])
	syscall.Close(ours[2])
	if err == nil {
		_, err = syscall.Wait4(pid, nil, 0, nil)
	}
	return string(answer), err
}
