package pgstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/chibi-host/chibi/store"
)

// firstRows is how many records the first round trip of Read asks for at most, if it is not
// known how many the caller wants. Each further one asks for eight times as many.
const firstRows = 64

func (l logs) Read(ctx context.Context, log string, r store.Range, each func(store.Record) bool) (err error) {
	defer about(&err, "log", log)
	if err := store.CheckLog(log); err != nil {
		return err
	}
	r.Last = cmp.Or(r.Last, math.MaxInt64)
	p := page{logs: l, log: log, left: r, rows: firstRows, most: pageRows}
	if !r.Backward {
		p.rows = pageRows // who reads forward mostly wants all of it
	}
	for more := true; more && p.left.First <= p.left.Last; p.rows = min(8*p.rows, p.most) {
		if more, err = p.read(ctx, each); err != nil {
			return err
		}
	}
	return nil
}

// page is one round trip of reading a range.
type page struct {
	logs
	log  string
	left store.Range // what was not read yet
	rows int         // how many records are asked for at most
	most int         // bounds rows
}

// read reads a page, and says whether there may be more.
func (p *page) read(ctx context.Context, each func(store.Record) bool) (more bool, err error) {
	order := "asc"
	if p.left.Backward {
		order = "desc"
	}
	a, err := p.run(ctx, `select pos, id, begins, micros, data from (
			select *, sum(octet_length(data)) over (order by pos `+order+` rows unbounded preceding) - octet_length(data) as size
			from (select pos, id, begins, (extract(epoch from time) * 1000000)::bigint as micros, data from {s}.log
			      where log = $1 and pos between $2 and $3 and time >= timestamptz 'epoch' + $6 * interval '1 microsecond'
			      order by pos `+order+` limit $4) page
		) sized where size <= $5 order by pos `+order,
		text(p.log), number(p.left.First), number(p.left.Last), number(p.rows), number(pageBytes), since(p.left.Since))
	if codeOf(err) == "XX001" { // the server could not read what it has on its disk
		return true, p.narrow(ctx, order, err)
	}
	if err != nil {
		return false, err
	}
	size := 0
	for _, columns := range a.rows {
		r := row{columns: columns}
		record := store.Record{Pos: r.uint(), ID: r.text(), Begins: r.bool(), Time: time.UnixMicro(r.int()), Data: r.column()}
		size += len(record.Data)
		if r.err == nil && store.CheckID(record.ID) != nil {
			r.err = &store.DamageError{Pos: record.Pos, Time: record.Time, Data: record.Data,
				Err: fmt.Errorf("its id is %.80q", record.ID)}
		}
		if r.err != nil || !each(record) {
			return false, r.err
		}
		if p.left.Backward {
			p.left.Last = record.Pos - 1
		} else {
			p.left.First = record.Pos + 1
		}
	}
	return len(a.rows) == p.rows || size > pageBytes, nil
}

// narrow asks for fewer records after the server could not read the data of one of them. When that is
// the only one, the error is a *DamageError.
func (p *page) narrow(ctx context.Context, order string, why error) error {
	if p.rows > 1 {
		p.most = p.rows / 2
		return nil
	}
	a, err := p.run(ctx, `select pos, (extract(epoch from time) * 1000000)::bigint from {s}.log
		where log = $1 and pos between $2 and $3 and time >= timestamptz 'epoch' + $4 * interval '1 microsecond'
		order by pos `+order+` limit 1`,
		text(p.log), number(p.left.First), number(p.left.Last), since(p.left.Since))
	if err != nil {
		return err
	}
	r, ok := a.one()
	if !ok {
		return why
	}
	d := &store.DamageError{Pos: r.uint(), Time: time.UnixMicro(r.int()), Err: errors.New(sentence(why))}
	return cmp.Or(r.err, error(d))
}

// since is a time as microseconds after 1970; the zero time is 0.
func since(t time.Time) arg {
	return number(max(0, t.UnixMicro()))
}
