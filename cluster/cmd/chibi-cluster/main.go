// Chibi-cluster is chibi with the engines that keep contexts, mail and tool outputs for
// many machines. See docs/operating/CLUSTER.md.
package main

import (
	"os"

	"github.com/chibi-host/chibi/cluster/natsstore"
	"github.com/chibi-host/chibi/cluster/pgstore"
	"github.com/chibi-host/chibi/internal/cli"
	"github.com/chibi-host/chibi/store"
)

func main() { os.Exit(cli.Main(cli.Share(drivers()))) }

// drivers are the engines that this program has, by the schemes of their URLs.
func drivers() store.Drivers {
	nats, postgres := natsstore.Driver(), pgstore.Driver()
	return store.Drivers{"nats": nats, "tls": nats, "postgres": postgres, "postgresql": postgres}
}
