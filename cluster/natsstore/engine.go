package natsstore

import "github.com/chibi-host/chibi/store"

type engine struct {
	c       *connection
	docs    documents
	options store.Options
}

func newEngine(c *connection, o store.Options) *engine {
	return &engine{c: c, docs: documents{stream{c, c.layout.docs()}}, options: o}
}

func (e *engine) engine() *store.Engine {
	return &store.Engine{
		Docs:   e.docs,
		Log:    logs{stream{e.c, e.c.layout.logs()}},
		Blobs:  &blobs{docs: e.docs, outs: stream{e.c, e.c.layout.outs()}},
		Leases: &leases{docs: e.docs, ttl: leaseTime(e.options.Lease), now: e.options.Now},
		Watch:  e.watch,
		Now:    e.options.Now,
		Time:   e.docs.time,
		Status: e.status,
		Close: func() error {
			e.c.nc.Close()
			return nil
		},
	}
}
