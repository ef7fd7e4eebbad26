package natsstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"

	"github.com/chibi-host/chibi/store"
)

const (
	// pieceSize is the size of a piece of a large value; the last one may be smaller.
	pieceSize = 256 << 10
	// inFlight bounds the pieces that are sent or asked for at the same time.
	inFlight = 16
	// cleanTime bounds the removal of pieces that nothing refers to.
	cleanTime = 5 * time.Second
)

// pieces is a large value: messages PREFIX.0, PREFIX.1 and so on.
type pieces struct {
	stream
	prefix string
	size   int64
}

// upload stores what r has in pieces, and notes its size.
func (p *pieces) upload(ctx context.Context, r io.Reader) (err error) {
	group, sending := errgroup.WithContext(ctx)
	group.SetLimit(inFlight)
	for n := 0; sending.Err() == nil; n++ {
		data := make([]byte, pieceSize)
		var got int
		got, err = io.ReadFull(r, data)
		p.size += int64(got)
		if got > 0 {
			piece := &nats.Msg{Subject: p.subject(int64(n)), Data: data[:got]}
			group.Go(func() error { return p.putPiece(sending, piece) })
		}
		if err != nil {
			break
		}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	if failed := group.Wait(); failed != nil {
		return failed
	}
	if err == nil && ctx.Err() != nil {
		err = errors.Join(store.ErrUnavailable, context.Cause(ctx))
	}
	return err
}

func (p *pieces) subject(n int64) string { return p.prefix + "." + strconv.FormatInt(n, 10) }

// putPiece stores a piece. Storing it twice does no harm: both are the same.
func (p *pieces) putPiece(ctx context.Context, piece *nats.Msg) error {
	return p.retry(ctx, func(ctx context.Context) error {
		_, err := p.publish(ctx, piece)
		return err
	})
}

// drop removes the pieces, which nothing refers to. If that fails, they stay until the log
// is removed, or as long as large values do.
func (p *pieces) drop() {
	ctx, cancel := context.WithTimeout(context.Background(), cleanTime)
	defer cancel()
	_ = p.purge(ctx, p.prefix+".*")
}

// readAt reads like an io.ReaderAt, with several pieces at the same time.
func (p *pieces) readAt(ctx context.Context, buf []byte, off int64) (int, error) {
	if off < 0 {
		return 0, errors.New("a negative position in a large value")
	}
	if off >= p.size {
		return 0, io.EOF
	}
	whole := int64(len(buf)) <= p.size-off
	buf = buf[:min(int64(len(buf)), p.size-off)]
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(inFlight)
	for done := 0; done < len(buf); {
		n, skip := (off+int64(done))/pieceSize, (off+int64(done))%pieceSize
		part := buf[done:min(len(buf), done+int(pieceSize-skip))]
		done += len(part)
		group.Go(func() error {
			data, err := p.piece(ctx, n)
			if err != nil {
				return err
			}
			copy(part, data[skip:])
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return 0, err
	}
	if !whole {
		return len(buf), io.EOF
	}
	return len(buf), nil
}

var errPiece = errors.New("a piece is not as it was stored")

// piece returns a piece of the right size.
func (p *pieces) piece(ctx context.Context, n int64) (data []byte, err error) {
	err = p.retry(ctx, func(ctx context.Context) error {
		data, err = p.pieceOnce(ctx, n)
		return err
	})
	if err != nil {
		return nil, err
	}
	if want := min(pieceSize, p.size-n*pieceSize); int64(len(data)) != want {
		return nil, fmt.Errorf("%w: number %d has %d bytes in place of %d", errPiece, n, len(data), want)
	}
	return data, nil
}

// pieceOnce asks any server for a piece, and the leader if that server does not have it.
func (p *pieces) pieceOnce(ctx context.Context, n int64) ([]byte, error) {
	got, err := p.ask(ctx, &nats.Msg{Subject: api + "DIRECT.GET." + p.name + "." + p.subject(n)})
	if err != nil {
		return nil, err
	}
	if last(got.Header, headerSequence) != "" {
		return got.Data, nil
	}
	m, err := p.newest(ctx, p.subject(n))
	return m.data, err
}
