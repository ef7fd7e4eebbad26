//go:build unix

package faults

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/chibi-host/chibi/cluster/internal/natstest"
)

// healthyAgain bounds how long three servers need after a fault.
const healthyAgain = 2 * time.Minute

// natsServers are three servers.
type natsServers struct {
	*natstest.Cluster
	home string
}

func startNATS(t *testing.T) servers {
	c := natstest.StartCluster(t, natstest.Always)
	return &natsServers{c, natstest.NewHome(t, c.URL(), 3)}
}

func (s *natsServers) url() string { return s.home }

func (s *natsServers) saveLogs(dir string) { s.SaveLogs(dir) }

func (s *natsServers) faults() []fault {
	killed := fault{"one server is killed", s.after(func() { kill(upTo(5*time.Second), s.any()) })}
	return []fault{
		killed,
		killed,
		{"two servers are killed", s.after(func() {
			one := rand.IntN(3)
			kill(upTo(8*time.Second), s.Nodes[one], s.Nodes[(one+1)%3])
		})},
		{"all servers are killed", s.after(func() { kill(0, s.Nodes...) })},
		{"a server hangs", s.after(func() {
			n := s.any()
			n.Pause()
			time.Sleep(3*time.Second + upTo(9*time.Second))
			n.Resume()
		})},
	}
}

func (s *natsServers) any() *natstest.Node { return s.Nodes[rand.IntN(3)] }

// after makes a fault that waits until the servers are healthy again.
func (s *natsServers) after(do func()) func() error {
	return func() error {
		do()
		if !s.Healthy(healthyAgain) {
			return fmt.Errorf("the servers are not healthy after %v", healthyAgain)
		}
		return nil
	}
}

// kill kills servers, and starts them again.
func kill(gone time.Duration, nodes ...*natstest.Node) {
	for _, n := range nodes {
		n.Kill()
	}
	time.Sleep(gone)
	for _, n := range nodes {
		n.Start()
	}
}
