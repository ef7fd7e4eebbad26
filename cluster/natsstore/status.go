package natsstore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/chibi-host/chibi/store"
)

func (e *engine) status(ctx context.Context) (store.Status, error) {
	p := e.c.place
	s := store.Status{Engine: "NATS " + e.c.nc.ConnectedServerVersion(), URL: p.String(), Home: p.home}
	start := time.Now()
	format, err := store.CheckFormat(ctx, e.docs, e.options)
	if err != nil {
		return s, err
	}
	s.RoundTrip, s.Format = time.Since(start), format
	if p.hasPassword() {
		s.Warnings = append(s.Warnings, "the URL has a password or a token, which lists of processes and histories show; "+
			"use a credentials file")
	}
	servers, leads := map[string]store.Server{}, map[string]int{}
	for _, name := range e.c.layout.streams() {
		info, err := stream{e.c, name}.infoRetried(ctx)
		if err != nil {
			return s, fmt.Errorf("stream %s: %w", name, err)
		}
		if !info.Now.IsZero() {
			s.Skew, s.HasSkew = time.Until(info.Now), true
		}
		s.Parts = append(s.Parts, store.Part{
			Name: name, Records: info.State.Messages, Bytes: int64(info.State.Bytes), Limit: max(0, info.Config.MaxBytes),
			Replicas: info.Config.Replicas,
		})
		s.Warnings = append(s.Warnings, warnings(info, e.c.layout)...)
		addServers(servers, info)
		if info.Cluster != nil {
			leads[info.Cluster.Leader]++
		}
	}
	nameLeaders(servers, leads, len(e.c.layout.streams()))
	if len(servers) == 0 {
		name := e.c.nc.ConnectedServerName()
		servers[name] = store.Server{Name: name, Role: "leader", Current: true}
	}
	s.Servers = slices.SortedFunc(maps.Values(servers), func(a, b store.Server) int { return cmp.Compare(a.Name, b.Name) })
	e.watches(ctx, &s)
	e.monitored(ctx, &s)
	return s, nil
}

// warnings says what is dangerous about a stream.
func warnings(info streamInfo, l layout) (all []string) {
	config := info.Config
	warn := func(is bool, format string, args ...any) {
		if is {
			all = append(all, "stream "+config.Name+" "+fmt.Sprintf(format, args...))
		}
	}
	warn(compressionOf(config) != "none", "has compression %s, with which a killed server may lose its copy for ever "+
		"(nats-server 2.15.2 with sync_interval: always); copy it to a store without it with: chibi store copy",
		config.Compression)
	warn(config.Storage != "file", "is kept in %s and does not survive a restart of the servers", config.Storage)
	warn(config.Discard != "new" && (config.MaxBytes > 0 || config.MaxMessages > 0),
		"removes old messages when it is full (discard %s)", config.Discard)
	warn(config.Name != l.outs() && config.MaxAge > 0, "removes messages that are older than %v", config.MaxAge)
	warn(config.Name == l.docs() && (!config.AllowTTL || config.MarkTime < time.Hour),
		"has no allow_msg_ttl or a subject_delete_marker_ttl under 1h, without which leases do not end safely")
	warn(config.MaxBytes > 0 && info.State.Bytes > uint64(max(0, config.MaxBytes))/10*9,
		"is nearly full: %d of %d bytes", info.State.Bytes, config.MaxBytes)
	warn(config.Replicas == 1, "is on one server only")
	warn(config.Replicas == 2, "is on two servers: when one is down, chibi cannot write; use three")
	return all
}

// addServers adds the servers of a stream. One that is behind with any stream is behind.
func addServers(servers map[string]store.Server, info streamInfo) {
	cluster := info.Cluster
	if cluster == nil {
		return
	}
	add := func(s store.Server) {
		if known, ok := servers[s.Name]; ok {
			s.Current, s.Lag = s.Current && known.Current, max(s.Lag, known.Lag)
			s.Silent = max(s.Silent, known.Silent)
			if known.Role == "leader" {
				s.Role = known.Role
			}
		}
		servers[s.Name] = s
	}
	if cluster.Leader != "" {
		add(store.Server{Name: cluster.Leader, Role: "leader", Current: true})
	}
	for _, r := range cluster.Replicas {
		s := store.Server{Name: r.Name, Role: "follower", Lag: r.Lag, Current: r.Current && !r.Offline}
		if silent := silence(r, info); silent > longSilence {
			s.Current, s.Silent = false, silent
		}
		add(s)
	}
}

// nameLeaders says of how many streams a server is the leader, unless one is the leader of all: each
// stream chooses its own.
func nameLeaders(servers map[string]store.Server, leads map[string]int, streams int) {
	for name, n := range leads {
		if s, ok := servers[name]; ok && n < streams {
			s.Role = fmt.Sprintf("leader of %d of %d streams", n, streams)
			servers[name] = s
		}
	}
}

// silence is for how long the leader has not heard from a replica. If a server died before
// the others chose the present leader, that one has never heard from it.
func silence(r replica, info streamInfo) time.Duration {
	if since := info.Cluster.LeaderSince; r.Active == 0 && !since.IsZero() {
		return info.Now.Sub(since)
	}
	return r.Active
}

// longSilence is far longer than a server that follows is silent: it answers each second.
const longSilence = 5 * time.Second

// watches finds out whether mail is pushed.
func (e *engine) watches(ctx context.Context, s *store.Status) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if _, err := e.watch(ctx, "mail."); err != nil {
		s.WhyNot = err.Error()
		return
	}
	s.Push = true
}
