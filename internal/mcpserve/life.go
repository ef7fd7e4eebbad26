package mcpserve

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// life is the time that something is there: the server, a client, a connection. What is done
// for it ends with it. The zero value has begun.
type life struct {
	mu     sync.Mutex
	isOver bool
	last   int
	ends   map[int]context.CancelFunc
	during sync.WaitGroup
}

// join returns a context that also ends with the life. leave is called when nothing is done
// in it any more. The error says that the life is over.
func (l *life) join(ctx context.Context) (joined context.Context, leave func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isOver {
		return nil, nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "chibi is ending"}
	}
	if l.ends == nil {
		l.ends = map[int]context.CancelFunc{}
	}
	l.last++
	number := l.last
	joined, l.ends[number] = context.WithCancel(ctx)
	l.during.Add(1)
	return joined, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.ends[number]()
		delete(l.ends, number)
		l.during.Done()
	}, nil
}

// end ends what is done in the life.
func (l *life) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.isOver = true
	for _, cancel := range l.ends {
		cancel()
	}
}

// joinAll is join for several lives; nil: one without an end.
func joinAll(ctx context.Context, lives ...*life) (joined context.Context, leave func(), err error) {
	var leaves []func()
	leave = func() {
		for _, one := range leaves {
			one()
		}
	}
	for _, l := range lives {
		if l == nil {
			continue
		}
		var one func()
		if ctx, one, err = l.join(ctx); err != nil {
			leave()
			return nil, nil, err
		}
		leaves = append(leaves, one)
	}
	return ctx, leave, nil
}
