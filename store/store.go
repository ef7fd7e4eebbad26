package store

import (
	"context"
	"io"
	"time"
)

// Engine is an open store of one home. A function that is passed to one of its calls may
// itself call the engine.
type Engine struct {
	Docs   Docs
	Log    Log
	Blobs  Blobs
	Leases Leases
	// Watch reports that documents whose key begins with prefix were put, by whichever
	// machine: the channel receives a value after one or several of them, and is closed
	// when ctx ends or the engine is closed. It holds one value, so a receiver that is busy misses none. An engine
	// without push looks in intervals. A value may also come without a change, as after a
	// reconnection; before the channel is returned, later puts are watched for certain.
	Watch func(ctx context.Context, prefix string) (<-chan struct{}, error)
	// Now is the clock of this machine, [Options.Now], and Time asks for the store's.
	Now  func() time.Time
	Time func(ctx context.Context) (time.Time, error)
	// Status describes the store for people.
	Status func(ctx context.Context) (Status, error)
	// Close ends the connection. Calls under way and later calls end with ErrUnavailable.
	// Leases are not given back: they end as if the machine had died.
	Close func() error
}

// Docs keeps small values with a revision. A key is one or more parts of [A-Za-z0-9_-]+,
// joined by ".", at most MaxKey bytes, see [CheckKey]; any other key is an error. A revision is
// a number above 0 that grows with each change of the document.
type Docs interface {
	// Get returns a document. It is linearizable. The error is ErrNotFound if there is none.
	Get(ctx context.Context, key string) (Doc, error)
	// Put stores a document if rev is its revision, 0 for one that must not exist, and
	// returns its new revision. Data nil removes the document, and next then has no meaning;
	// removing a document with rev 0 is an error. The error is ErrConflict if it has a
	// different revision, and ErrTooLarge if the engine takes no document of that size.
	Put(ctx context.Context, key string, data []byte, rev uint64) (next uint64, err error)
	// List calls each with all documents whose key begins with prefix, in no order, until
	// it returns false. It sees everything that was acknowledged before the call.
	List(ctx context.Context, prefix string, each func(Doc) (more bool)) error
	// Keys calls each with the keys that begin with prefix, in the order of their bytes, until
	// it returns false. It sees everything that was acknowledged before the call, and may name
	// documents that were removed. It costs less than List, whatever is in the documents.
	Keys(ctx context.Context, prefix string, each func(key string) (more bool)) error
	// Walk calls each with documents whose key begins with prefix and whose revision is above
	// after, in the order of their revisions, until it returns false. It reads only a part of them at
	// once, maybe from a replica that is a moment behind, so it may see a document that was changed
	// right before or is changed meanwhile as it was, as it is, or both.
	Walk(ctx context.Context, prefix string, after uint64, each func(Doc) (more bool)) error
}

// Doc is a document.
type Doc struct {
	Key  string
	Rev  uint64
	Data []byte
}

// Log keeps logs of records, by names of [A-Za-z0-9_-]+, see [CheckLog]. A log need not be made; one
// without records does not exist.
type Log interface {
	// Tail returns where a log ends and where its window begins. It is linearizable. The zero Tail
	// means a log without records. For damaged records that do not say it, the newest one before
	// them counts: a log can be appended to whatever is in it.
	Tail(ctx context.Context, log string) (Tail, error)
	// Append adds a record, durably, if after is the tail of the log, and returns the new
	// tail. Its ID is unique to the record, [A-Za-z0-9_-]{1,64}: a call that is repeated with
	// the same id and the same after, because the first was not answered, stores the record
	// once, however much later it comes; it returns the tail that the record made, which is the tail
	// of the log unless others have appended since. The error is ErrConflict if after
	// is not the tail, and ErrTooLarge for more than MaxRecord.
	Append(ctx context.Context, log string, after Tail, r Record) (Tail, error)
	// Read calls each with the records of a range, until it returns false. If r.Last is
	// set, all records up to it are there for certain, else those that the engine has seen. The
	// error is a *DamageError when it comes to a record that cannot be used.
	Read(ctx context.Context, log string, r Range, each func(Record) (more bool)) error
	// Remove removes all records of a log; it is not an error if there are none.
	Remove(ctx context.Context, log string) error
}

// Tail says where a log ends. Only engines look into it; callers pass it on and compare it
// with the zero value.
type Tail struct {
	// Last is the position of the newest record.
	Last uint64
	// Window is the position of the newest record with Begins, or of the first one.
	Window uint64
	// Count is the number of records.
	Count uint64
}

// Record is a record of a log. Whoever appends it sets ID, Begins and Data.
type Record struct {
	// Pos is its position, which grows within the log, also when all records were removed in
	// between; set by Read.
	Pos uint64
	// ID is its id, which whoever appends it makes, see [CheckID].
	ID string
	// Time is when it was stored, by the store's clock; set by Read.
	Time time.Time
	// Begins is true if a window begins with the record.
	Begins bool
	// Data is the record itself.
	Data []byte
}

// Range selects records of a log, in the order of their positions or backward.
type Range struct {
	// First and Last are positions, both inclusive; 0: from the beginning, to the end.
	First, Last uint64
	// Since leaves out records that were stored earlier, by the store's clock; zero: none.
	Since time.Time
	// Backward begins with the newest record.
	Backward bool
}

// Blobs keeps large immutable values, under keys as documents have. A value that was not
// put completely does not exist.
type Blobs interface {
	// Put stores what r has and returns its size. The error is ErrConflict if the key is
	// taken; then r may have been read in part.
	Put(ctx context.Context, key string, r io.Reader) (int64, error)
	// Open opens a value. The error is ErrNotFound if there is none.
	Open(ctx context.Context, key string) (Blob, error)
	// Remove removes a value; it is not an error if there is none.
	Remove(ctx context.Context, key string) error
	// List calls each with all values whose key begins with prefix, in no order, until it
	// returns false.
	List(ctx context.Context, prefix string, each func(BlobInfo) (more bool)) error
}

// Blob is an open value. Reading uses the context with which it was opened.
type Blob interface {
	io.ReaderAt
	io.Closer
	// Size returns the size in bytes.
	Size() int64
}

// BlobInfo describes a value.
type BlobInfo struct {
	Key  string
	Size int64
	// Time is when it was put, by the store's clock.
	Time time.Time
}

// Leases keeps leases, under keys as documents have. They end by the store's clock, after
// [Options.Lease] without renewal.
type Leases interface {
	// Take takes a lease that nobody holds, and renews it until it is released. holder says
	// who holds it, at most MaxHolder; more is ErrTooLarge. The error is a *HeldError if somebody else has it.
	Take(ctx context.Context, key string, holder []byte) (Lease, error)
	// Held calls each with the leases that are held and whose key begins with prefix, in
	// no order, until it returns false.
	Held(ctx context.Context, prefix string, each func(key string, held HeldError) (more bool)) error
	// Holder returns who holds one lease; nil if nobody does.
	Holder(ctx context.Context, key string) (*HeldError, error)
	// Break ends a lease, whoever holds it; its holder finds it lost when it renews it.
	// Whoever takes it next finds that it was not released. It is not an error if nobody
	// holds it.
	Break(ctx context.Context, key string) error
}

// Lease is a lease that this process holds.
type Lease interface {
	// Fresh reports whether the lease had been released, or never been held, when it was
	// taken. If not, its former holder may still be writing: a lease alone keeps nobody
	// from appending to a log, see package contexts.
	Fresh() bool
	// Lost is closed when the lease is lost: it was taken away, or could not be renewed in
	// time, see [IsOver]. If its time is over as Lost is called, it is closed by then: whoever
	// does something with the lease and calls Lost afterwards had the lease meanwhile.
	Lost() <-chan struct{}
	// Release gives the lease back, and always stops renewing it. The error is ErrLost if it was lost.
	Release(ctx context.Context) error
}

// IsOver reports whether a lease is over that was renewed at a time from [time.Now] and lasts
// so long without renewal; for engines. It is by this machine's monotonic clock, which stays as it
// is when the machine's time is set, and also by the other one, as the first may stand still
// while a machine is suspended.
func IsOver(renewed time.Time, lasts time.Duration) bool {
	now := time.Now()
	return now.Sub(renewed) >= lasts || now.Round(0).Sub(renewed.Round(0)) >= lasts
}
