package store

import (
	"context"
	"time"
)

// Drivers are the engines that a program has, by the schemes of their URLs, such as "nats".
type Drivers map[string]Driver

// Driver opens and makes stores of one engine.
type Driver struct {
	// Open connects to a store that Init has made. The error is ErrNotFound if there is no
	// such store, a *[FormatError] if its format is not known, ErrDenied if a permission is
	// missing, and ErrUnavailable if it does not answer within Options.Timeout.
	Open func(ctx context.Context, o Options) (*Engine, error)
	// Init makes the store, and says in one sentence each what it made and what differs
	// from what it would have made. It changes nothing that exists, except that it raises the
	// format number, see [RaiseFormat].
	Init func(ctx context.Context, o InitOptions) (said []string, err error)
}

// Options say how to reach a store.
type Options struct {
	// URL is the store's URL; its scheme is one of the driver's.
	URL string
	// Credentials is the path of a file with credentials; "": none. The file must not be
	// readable for others.
	Credentials string
	// CA is the path of a PEM file with the certificates that are trusted; "": the system's.
	CA string
	// Timeout is how long an operation is repeated; default 30 s.
	Timeout time.Duration
	// Lease is how long a lease lasts without renewal, in whole seconds; default 30 s.
	Lease time.Duration
	// Program names the program and its version, for the store's list of connections.
	Program string
	// Formats are the formats that the program knows; the zero value is the formats of this version.
	Formats Formats
	// Monitor is the URL of the server's monitoring port, for Status; "": none.
	Monitor string
	// Report gets a sentence about why an operation waits although the store answers: the server has
	// no connection left. It gets one at once and then every five seconds; nil: nobody does.
	Report func(string)
	// Now is the clock of this machine; nil: time.Now. Leases use the store's clock and this
	// machine's monotonic one instead.
	Now func() time.Time
}

// The defaults of [Options].
const (
	DefaultTimeout = 30 * time.Second
	DefaultLease   = 30 * time.Second
)

// WithDefaults returns the options with the defaults filled in.
func (o Options) WithDefaults() Options {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Lease <= 0 {
		o.Lease = DefaultLease
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// InitOptions say how a store is made.
type InitOptions struct {
	Options
	// Replicas is on how many servers each value is kept, for engines that copy values
	// themselves; default 3.
	Replicas int
	// OutputAge is the age at which the engine removes blobs of tool outputs by itself; 0:
	// never.
	OutputAge time.Duration
	// OutputBytes bounds the blobs together; 0: the engine's own bound.
	OutputBytes int64
}

// Status describes a store for people.
type Status struct {
	// Engine is the name and version of the server, such as "NATS 2.15.2".
	Engine string
	// URL is the store's URL without credentials.
	URL string
	// Home is the name of the home within the store.
	Home string
	// RoundTrip is how long a small linearizable read took.
	RoundTrip time.Duration
	// Skew is how far the store's clock is ahead of this machine's, if HasSkew is true.
	Skew    time.Duration
	HasSkew bool
	// Push is true if the store reports arriving mail at once; if not, WhyNot says why.
	Push   bool
	WhyNot string
	// Servers are the servers, Parts what is kept there.
	Servers []Server
	Parts   []Part
	// Warnings say, in a sentence each, what endangers the data, and what to do.
	Warnings []string
	// Format is the format of the store.
	Format int
}

// Server is one server of a store.
type Server struct {
	Name string
	// Role is "leader", "follower", "primary" or "standby", or the parts that it leads.
	Role string
	// Current is true if it has everything that was acknowledged.
	Current bool
	// Lag is how many operations it is behind, if that is known.
	Lag uint64
	// Silent is for how long the others have not heard from it, 0 if it answers or that is not known.
	Silent time.Duration
}

// Part is a part of a store: a stream or a table.
type Part struct {
	Name    string
	Records uint64
	Bytes   int64
	// Limit bounds Bytes; 0: no bound.
	Limit int64
	// Replicas is on how many servers it is kept, 0 if the engine does not say.
	Replicas int
}
