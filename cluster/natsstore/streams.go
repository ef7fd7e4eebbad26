package natsstore

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/chibi-host/chibi/store"
)

// markTime is how long the server keeps the mark of an expired lease: so long does the next
// holder learn that the one before did not give it back.
const markTime = 365 * 24 * time.Hour

// defaultOutBytes bounds large values if nothing else is set.
const defaultOutBytes = 10 << 30

// duplicateTime is how long a stream knows the ids of its messages.
const duplicateTime = 2 * time.Minute

type streamConfig struct {
	Name          string        `json:"name"`
	Description   string        `json:"description,omitempty"`
	Subjects      []string      `json:"subjects"`
	Retention     string        `json:"retention"`
	Storage       string        `json:"storage"`
	Discard       string        `json:"discard"`
	Compression   string        `json:"compression,omitempty"`
	Replicas      int           `json:"num_replicas"`
	MaxAge        time.Duration `json:"max_age"`
	MaxBytes      int64         `json:"max_bytes"`
	MaxMessages   int64         `json:"max_msgs"`
	MaxConsumers  int           `json:"max_consumers"`
	MaxPerSubject int64         `json:"max_msgs_per_subject"`
	Duplicates    time.Duration `json:"duplicate_window"`
	AllowDirect   bool          `json:"allow_direct"`
	AllowRollup   bool          `json:"allow_rollup_hdrs"`
	AllowTTL      bool          `json:"allow_msg_ttl"`
	MarkTime      time.Duration `json:"subject_delete_marker_ttl,omitempty"`
	DenyDelete    bool          `json:"deny_delete"`
	DenyPurge     bool          `json:"deny_purge"`
	Sealed        bool          `json:"sealed,omitempty"`
}

type streamInfo struct {
	Now    time.Time    `json:"ts"`
	Config streamConfig `json:"config"`
	State  struct {
		Messages uint64 `json:"messages"`
		Bytes    uint64 `json:"bytes"`
	} `json:"state"`
	Cluster *clusterInfo `json:"cluster"`
}

// clusterInfo says where a stream is kept.
type clusterInfo struct {
	Leader      string    `json:"leader"`
	LeaderSince time.Time `json:"leader_since"`
	Replicas    []replica `json:"replicas"`
}

// replica is what the leader says of another server that has a stream.
type replica struct {
	Name    string        `json:"name"`
	Current bool          `json:"current"`
	Offline bool          `json:"offline"`
	Lag     uint64        `json:"lag"`
	Active  time.Duration `json:"active"` // since the leader heard from it; 0: never since it leads
}

func (s stream) info(ctx context.Context) (streamInfo, error) {
	var info streamInfo
	err := s.call(ctx, "STREAM.INFO."+s.name, nil, &info)
	if err == nil && (info.Now.IsZero() || info.Config.Name != s.name || info.Config.MaxAge < 0) {
		err = fmt.Errorf("the server's description of stream %q says nothing of it", s.name)
	}
	info.State.Bytes = min(info.State.Bytes, math.MaxInt64)
	return info, err
}

// infoRetried is info, repeated while the store is not available.
func (s stream) infoRetried(ctx context.Context) (info streamInfo, err error) {
	err = s.retry(ctx, func(ctx context.Context) error {
		info, err = s.info(ctx)
		return err
	})
	return info, err
}

// time asks the leader for its clock.
func (s stream) time(ctx context.Context) (time.Time, error) {
	info, err := s.infoRetried(ctx)
	return info.Now, err
}

func streamsOf(l layout, o store.InitOptions) []streamConfig {
	replicas := o.Replicas
	if replicas <= 0 {
		replicas = 3
	}
	outBytes := o.OutputBytes
	if outBytes <= 0 {
		outBytes = defaultOutBytes
	}
	each := streamConfig{
		Retention: "limits", Storage: "file", Discard: "new", Compression: "none", Replicas: replicas,
		MaxBytes: -1, MaxMessages: -1, MaxConsumers: -1, MaxPerSubject: -1, Duplicates: duplicateTime, AllowDirect: true,
	}
	docs, logs, outs := each, each, each
	docs.Name, docs.Subjects = l.docs(), []string{l.docPrefix() + ">"}
	docs.Description = "chibi: documents and leases"
	docs.MaxPerSubject, docs.AllowRollup, docs.AllowTTL, docs.MarkTime, docs.DenyDelete = 1, true, true, markTime, true
	logs.Name, logs.Subjects, logs.Description = l.logs(), []string{l.log(">")}, "chibi: conversations"
	outs.Name, outs.Subjects, outs.Description = l.outs(), []string{l.out(">")}, "chibi: large values"
	outs.MaxPerSubject, outs.MaxAge, outs.MaxBytes = 1, o.OutputAge, outBytes
	return []streamConfig{outs, docs, logs} // what needs the most room comes first
}

// differences says, in sentences, how a stream that exists is not as it would have been
// made.
func differences(is, want streamConfig) []string {
	var all []string
	note := func(what string, found, wanted any) {
		if found != wanted {
			all = append(all, fmt.Sprintf("stream %s has %s %v in place of %v; it was not changed",
				want.Name, what, found, wanted))
		}
	}
	note("subjects", fmt.Sprint(is.Subjects), fmt.Sprint(want.Subjects))
	note("retention", is.Retention, want.Retention)
	note("storage", is.Storage, want.Storage)
	note("discard", is.Discard, want.Discard)
	note("compression", compressionOf(is), compressionOf(want))
	note("replicas", is.Replicas, want.Replicas)
	note("max_age", is.MaxAge, want.MaxAge)
	note("max_bytes", is.MaxBytes, want.MaxBytes)
	note("max_msgs", is.MaxMessages, want.MaxMessages)
	note("max_msgs_per_subject", is.MaxPerSubject, want.MaxPerSubject)
	note("allow_direct", is.AllowDirect, want.AllowDirect)
	note("allow_msg_ttl", is.AllowTTL, want.AllowTTL)
	note("subject_delete_marker_ttl", is.MarkTime, want.MarkTime)
	note("deny_purge", is.DenyPurge, want.DenyPurge)
	note("sealed", is.Sealed, want.Sealed)
	return all
}

// compressionOf is a stream's compression; older servers leave "none" out.
func compressionOf(c streamConfig) string {
	if c.Compression == "" {
		return "none"
	}
	return c.Compression
}
