package natsstore

import (
	"testing"

	"github.com/chibi-host/chibi/store"
)

// TestThreeLeadersAreTold: each stream chooses its leader, so that three servers can lead one each.
func TestThreeLeadersAreTold(t *testing.T) {
	role := func(leaders ...string) (roles string) {
		servers, leads := map[string]store.Server{}, map[string]int{}
		for _, leader := range leaders {
			info := streamInfo{Cluster: &clusterInfo{Leader: leader}}
			for _, name := range []string{"n1", "n2", "n3"} {
				if name != leader {
					info.Cluster.Replicas = append(info.Cluster.Replicas, replica{Name: name, Current: true})
				}
			}
			addServers(servers, info)
			leads[leader]++
		}
		nameLeaders(servers, leads, len(leaders))
		for _, name := range []string{"n1", "n2", "n3"} {
			roles += servers[name].Role + ", "
		}
		return roles
	}
	for _, test := range []struct {
		leaders []string
		want    string
	}{
		{[]string{"n1", "n1", "n1"}, "leader, follower, follower, "},
		{[]string{"n1", "n3", "n1"}, "leader of 2 of 3 streams, follower, leader of 1 of 3 streams, "},
	} {
		if got := role(test.leaders...); got != test.want {
			t.Errorf("%q lead: %s; want %s", test.leaders, got, test.want)
		}
	}
}
