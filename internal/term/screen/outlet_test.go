package screen

import (
	"io"
	"testing"
	"testing/synctest"
	"time"
)

func TestAReaderThatPausesIsWaitedForUntilTheRunIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		defer in.Close()
		ended := make(chan struct{})
		o := &outlet{to: out, ended: ended, stall: stallTime}
		go func() {
			time.Sleep(time.Hour)
			io.ReadFull(in, make([]byte, 5))
			time.Sleep(time.Hour)
			close(ended)
		}()
		begin := time.Now()
		if n, err := o.Write([]byte("hello")); n != 5 || err != nil || time.Since(begin) != time.Hour {
			t.Errorf("a reader who pauses for an hour: %d, %v after %s", n, err, time.Since(begin))
		}
		if _, err := o.Write([]byte("more")); err != errStalled || time.Since(begin) != 2*time.Hour+stallTime {
			t.Errorf("at the end of the run: %v after %s", err, time.Since(begin))
		}
		if _, err := o.Write([]byte("and more")); err != errStalled || time.Since(begin) != 2*time.Hour+stallTime {
			t.Errorf("afterwards: %v after %s", err, time.Since(begin))
		}
	})
}
