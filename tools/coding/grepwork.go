package coding

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/private"
)

// batchSize is how many files of a directory are searched at a time.
const batchSize = 32

// batch is some files of a directory, and what was found in them.
type batch struct {
	dir   *walked
	names []string
	found []searched // those with matches
	left  unread
	done  chan struct{}
}

// grepper searches the files of a walk: one goroutine walks, several search, and one puts
// what was found in order.
type grepper struct {
	walk    walk
	wanted  wanted
	private private.Files
	jobs    chan *batch // for who searches
	order   chan *batch // for who collects; how many there are at once
	current *batch
}

func (g grepping) in(ctx context.Context, dir *disk.Dir, c Config) (string, error) {
	folder, err := dir.Folder()
	if err != nil {
		return "", g.place.explain("search", err)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	until := time.Now().Add(maxTime)
	g.wanted.until = until
	workers := runtime.GOMAXPROCS(0)
	w := &grepper{wanted: g.wanted, private: private.Of(c.Private, g.place.real),
		jobs: make(chan *batch, 4*workers), order: make(chan *batch, 4*workers)}
	w.walk = walk{config: c, top: g.place.real, pattern: g.files, until: until,
		file: func(d *walked, e disk.Entry) bool { return w.file(ctx, d, e) }}
	var running sync.WaitGroup
	running.Go(func() { w.produce(ctx, folder) })
	for range workers {
		running.Go(func() { w.work(ctx) })
	}
	answer := grepAnswer{grepping: g}
	w.collect(&answer, stop)
	running.Wait()
	if !answer.isFull && ctx.Err() != nil {
		return "", ctx.Err()
	}
	answer.unread.add(w.walk.unread)
	return answer.String(), nil
}

// produce walks, and makes batches of files.
func (w *grepper) produce(ctx context.Context, folder *disk.Folder) {
	if err := w.walk.run(ctx, folder); err == nil {
		w.flush(ctx)
	}
	if w.current != nil {
		w.current.dir.done()
	}
	close(w.jobs)
	close(w.order)
}

func (w *grepper) file(ctx context.Context, d *walked, e disk.Entry) bool {
	if e.Kind != disk.KindFile {
		return true
	}
	if w.current != nil && (w.current.dir != d || len(w.current.names) == batchSize) && !w.flush(ctx) {
		return false
	}
	if w.current == nil {
		d.use()
		w.current = &batch{dir: d, done: make(chan struct{})}
	}
	w.current.names = append(w.current.names, e.Name)
	return true
}

// flush passes the batch on; false: nobody wants it any more.
func (w *grepper) flush(ctx context.Context) bool {
	if w.current == nil {
		return true
	}
	select {
	case w.order <- w.current:
	case <-ctx.Done():
		return false
	}
	w.jobs <- w.current // there is room for as many as in order
	w.current = nil
	return true
}

func (w *grepper) work(ctx context.Context) {
	s := &searcher{wanted: w.wanted}
	for b := range w.jobs {
		for _, name := range b.names {
			if ctx.Err() != nil {
				break
			}
			if time.Now().After(w.wanted.until) {
				b.left.stopped = true
				break
			}
			w.search(s, b, name)
		}
		b.dir.done()
		close(b.done)
	}
}

func (w *grepper) search(s *searcher, b *batch, name string) {
	real := w.walk.real(b.dir, name)
	if !w.walk.config.mayRead(real) {
		b.left.denied++
		return
	}
	f, err := b.dir.Open(name)
	if err != nil {
		b.left.fail(b.dir.path+name, err)
		return
	}
	defer f.Close()
	switch {
	case w.private.HasOpened(real, f.IsSame):
		b.left.private++
		return
	case f.Size() > maxGrepped:
		b.left.large++
		return
	}
	found, err := s.search(&f, f.Size(), false)
	switch {
	case err != nil:
		b.left.fail(b.dir.path+name, err)
	case found.isBinary:
		b.left.binary++
	default:
		b.left.searched++
		b.left.stopped = b.left.stopped || found.isLate
		if found.matches > 0 {
			found.path = b.dir.path + name
			b.found = append(b.found, found)
		}
	}
}

// collect takes what was found in the order of the walk, until there is enough.
func (w *grepper) collect(answer *grepAnswer, stop func()) {
	for b := range w.order {
		<-b.done
		if answer.isFull {
			continue
		}
		answer.unread.add(b.left)
		for _, found := range b.found {
			if !answer.add(found) {
				stop()
				break
			}
		}
	}
}
