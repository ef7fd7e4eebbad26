package main

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"syscall"
	"time"
)

// outcome is how a program ended.
type outcome struct {
	status         int // -1 if it was ended at the deadline
	took           time.Duration
	stdout, stderr string
}

// run runs a program, and ends its whole process group at the deadline and when it is done.
func run(dir string, env []string, deadline time.Duration, name string, args ...string) (outcome, error) {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	start := time.Now()
	err := cmd.Run()
	if cmd.Process != nil {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it left behind
	}
	result := outcome{took: time.Since(start), stdout: stdout.String(), stderr: stderr.String()}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		result.status = -1
	case errors.As(err, &exit):
		result.status = exit.ExitCode()
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return result, err
	}
	return result, nil
}
