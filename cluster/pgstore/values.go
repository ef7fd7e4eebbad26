package pgstore

import (
	"encoding/binary"
	"errors"
	"math"
)

// arg is a parameter of a statement: never a part of its text.
type arg struct {
	oid   uint32
	value []byte
}

// The types of parameters, by PostgreSQL's numbers.
const (
	oidBool  = 16
	oidBytea = 17
	oidInt8  = 20
	oidText  = 25
)

func text(s string) arg { return arg{oidText, []byte(s)} }

func data(b []byte) arg {
	if b == nil {
		b = []byte{} // nil is NULL
	}
	return arg{oidBytea, b}
}

func flag(b bool) arg {
	value := []byte{0}
	if b {
		value[0] = 1
	}
	return arg{oidBool, value}
}

// number is a position or revision; what PostgreSQL cannot have is as large as it can.
func number[N int | int64 | uint64](n N) arg {
	signed := int64(math.MaxInt64)
	if uint64(n) <= math.MaxInt64 {
		signed = int64(n)
	}
	return arg{oidInt8, binary.BigEndian.AppendUint64(nil, uint64(signed))}
}

// row is one row of an answer, in PostgreSQL's binary format. The first column that is not
// what was expected is an error.
type row struct {
	columns [][]byte
	next    int
	err     error
}

var errRow = errors.New("the server's answer does not fit the request; the home may be damaged")

// column takes the next column; nil if it is NULL.
func (r *row) column() []byte {
	if r.next >= len(r.columns) {
		r.err = errRow
		return nil
	}
	r.next++
	return r.columns[r.next-1]
}

func (r *row) text() string { return string(r.column()) }

func (r *row) int() int64 {
	value := r.column()
	if len(value) != 8 {
		r.err = errRow
		return 0
	}
	return int64(binary.BigEndian.Uint64(value))
}

// uint takes a position or revision, of which none is negative.
func (r *row) uint() uint64 {
	n := r.int()
	if n < 0 {
		r.err = errRow
	}
	return uint64(max(n, 0))
}

func (r *row) bool() bool {
	value := r.column()
	if len(value) != 1 {
		r.err = errRow
		return false
	}
	return value[0] != 0
}
