package pgstore

import (
	"bytes"
	"cmp"
	"context"
	"io"

	"github.com/jackc/pgx/v5/pgconn"
)

// question is a statement on its way to the server.
type question struct {
	statement string
	args      []arg

	answered  chan struct{} // closed when what follows is set
	result    *pgconn.Result
	isUnasked bool // there was no connection
}

// answer ends the waiting for a question.
func (q *question) answer(r *pgconn.Result) {
	q.result = r
	close(q.answered)
}

// wait returns the answer, or why there is none: then the statement may still be carried out, by
// whoever has taken it along.
func (q *question) wait(ctx context.Context) *pgconn.Result {
	select {
	case <-q.answered:
		return q.result
	default:
	}
	select {
	case <-q.answered:
		return q.result
	case <-ctx.Done():
		return &pgconn.Result{Err: ctx.Err()}
	}
}

// parameters are the values and types of arguments.
func parameters(args []arg) (values [][]byte, oids []uint32) {
	for _, a := range args {
		values, oids = append(values, a.value), append(oids, a.oid)
	}
	return values, oids
}

// ask carries out statements on one connection. Several are sent in one piece; each is a transaction
// of its own nevertheless, and an error of one does not affect another.
func (d *db) ask(ctx context.Context, all []*question) {
	conn, err := d.pool.take(ctx)
	if err != nil {
		for _, q := range all {
			q.isUnasked = true
			q.answer(&pgconn.Result{Err: err})
		}
		return
	}
	var results []*pgconn.Result
	if len(all) == 1 {
		results = []*pgconn.Result{execute(ctx, conn, all[0].statement, all[0].args)}
	} else {
		results = executeAll(ctx, conn, all)
	}
	d.pool.give(conn)
	for i, q := range all {
		q.answer(results[i])
	}
}

// The bounds of an answer. Statements ask for less.
const (
	maxAnswer = maxMessage + pageBytes
	maxRows   = 100_000
)

// execute carries out a statement and reads its answer.
func execute(ctx context.Context, conn *pgconn.PgConn, statement string, args []arg) *pgconn.Result {
	values, oids := parameters(args)
	binary := []int16{1}
	result := receive(conn, conn.ExecParams(ctx, statement, values, oids, binary, binary))
	if err := takeCutShort(conn); result.Err == nil {
		result.Err = err
	}
	return result
}

// receive reads an answer. One that is larger than what statements ask for is not the server's, and
// costs the connection.
func receive(conn *pgconn.PgConn, reader *pgconn.ResultReader) *pgconn.Result {
	result, size := &pgconn.Result{}, 0
	for reader.NextRow() {
		columns := make([][]byte, len(reader.Values()))
		for i, value := range reader.Values() {
			columns[i] = bytes.Clone(value)
			size += len(value)
		}
		result.Rows = append(result.Rows, columns)
		if size > maxAnswer || len(result.Rows) > maxRows {
			bury(conn)
			return &pgconn.Result{Err: errRow}
		}
	}
	result.CommandTag, result.Err = reader.Close()
	return result
}

// executeAll sends statements in one piece and reads their answers. When the connection breaks, those
// without an answer may have been carried out.
func executeAll(ctx context.Context, conn *pgconn.PgConn, all []*question) (results []*pgconn.Result) {
	p, binary := conn.StartPipeline(ctx), []int16{1}
	for _, q := range all {
		values, oids := parameters(q.args)
		p.SendQueryParams(q.statement, values, oids, binary, binary)
		p.SendPipelineSync()
	}
	broken := p.Flush()
	for range all {
		result := &pgconn.Result{Err: broken}
		if broken == nil {
			result = nextOf(p, conn)
			if conn.IsClosed() {
				broken = io.ErrUnexpectedEOF
			}
		}
		results = append(results, result)
	}
	_ = p.Close() // each answer was read, or the connection is gone
	return results
}

// nextOf reads the next answer of a pipeline, and how its transaction ended.
func nextOf(p *pgconn.Pipeline, conn *pgconn.PgConn) *pgconn.Result {
	result := &pgconn.Result{}
	for {
		got, err := p.GetResults()
		if reader, ok := got.(*pgconn.ResultReader); ok {
			result = receive(conn, reader)
			err = result.Err
		}
		if result.Err == nil {
			result.Err = err
		}
		_, isOver := got.(*pgconn.PipelineSync)
		if got == nil && err == nil { // there is no more, and the end was not read
			result.Err = cmp.Or(result.Err, errRow)
			isOver = true
		}
		if isOver || conn.IsClosed() {
			break
		}
	}
	if err := takeCutShort(conn); result.Err == nil {
		result.Err = err
	}
	return result
}
