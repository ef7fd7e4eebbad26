package keeper

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/chibi-host/chibi/internal/fileid"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// version is the version of the protocol. A keeper ends if a program speaks another one, so that
// the next run starts a keeper of its own version.
const version = 1

// The bounds of what is read.
const (
	maxRequest = 4 << 20
	maxReply   = 1 << 20
	maxAnswer  = 128 << 20
	maxFrame   = 64 << 10
	// window is how much of standard input may be on its way.
	window = 64 << 10
	// ackAfter is how much of it is acknowledged at once, so that small questions cost none.
	ackAfter = 16 << 10
)

// What a client can ask for.
const (
	opLend   = "lend"
	opAsk    = "ask"
	opStatus = "status"
	opStop   = "stop"
)

// Request is the first line of a client.
type Request struct {
	// Version is the version of the protocol.
	Version int `json:"chibi_keeper"`
	// Op is "lend", "ask", "status" or "stop".
	Op string `json:"op"`
	// Program is the client's executable: a keeper serves only runs of its own.
	Program fileid.ID `json:"program"`
	// Process describes the process to lend.
	Process *Wanted `json:"process,omitempty"`
	// Question is the question.
	Question *Question `json:"question,omitempty"`
}

// Question is one to the program itself.
type Question struct {
	// Key is what the answer depends on besides the text, Text the question.
	Key  Key             `json:"key"`
	Text json.RawMessage `json:"text"`
}

// Wanted describes a process.
type Wanted struct {
	// Plugin is the plugin's name, for people.
	Plugin string `json:"plugin"`
	// Key is what the process depends on.
	Key Key `json:"key"`
	// Args are its arguments, and Env its environment if it has to be started: KEY=VALUE, with
	// zero bytes between, because values need not be UTF-8.
	Args []string `json:"args"`
	Env  []byte   `json:"env"`
	// KeepMS is how long it is kept without being used, in milliseconds.
	KeepMS int64 `json:"keep_ms"`
}

// Reply is the first line of a keeper.
type Reply struct {
	// Version is the version of the protocol.
	Version int `json:"chibi_keeper"`
	// Error says why there is nothing else; "": there is.
	Error string `json:"error,omitempty"`
	// WasThere is set if the process that is lent was started before.
	WasThere bool `json:"was_there,omitempty"`
	// Status answers "status"; of "stop" it has what is still in use.
	Status *Status `json:"status,omitempty"`
	// Answer answers "ask", in a second reply.
	Answer json.RawMessage `json:"answer,omitempty"`
}

type ended struct {
	Exit   int    `json:"exit"`
	Signal string `json:"signal"`
	// Asked is set if it was ended because it asked the person.
	Asked bool `json:"asked,omitempty"`
}

// The kinds of frames.
const (
	frameInput   = 'I'
	frameAck     = 'A'
	frameOutput  = 'O'
	frameDone    = 'D'
	frameErrors  = 'E'
	frameExit    = 'X'
	frameClose   = 'C'
	frameEnd     = 'K'
	frameRelease = 'R'
)

const frameHead = 5

// appendFrame appends a frame. Data is at most maxFrame bytes.
func appendFrame(to []byte, kind byte, data []byte) []byte {
	to = binary.BigEndian.AppendUint32(append(to, kind), uint32(len(data)))
	return append(to, data...)
}

var errFrame = errors.New("wrote a frame that is too large")

// readFrame reads a frame into buf, which has room for maxFrame bytes.
func readFrame(in *bufio.Reader, buf []byte) (kind byte, data []byte, err error) {
	var head [frameHead]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return 0, nil, err
	}
	size := binary.BigEndian.Uint32(head[1:])
	if size > maxFrame {
		return 0, nil, errFrame
	}
	_, err = io.ReadFull(in, buf[:size])
	return head[0], buf[:size], err
}

func readLine(in *bufio.Reader, most int) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if line = append(line, part...); len(line) > most {
			return nil, fmt.Errorf("a line is longer than %d bytes", most)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

func readRequest(in *bufio.Reader) (q Request, err error) {
	line, err := readLine(in, maxRequest)
	if err != nil {
		return q, err
	}
	err = strictjson.Decode(line, &q)
	return q, err
}

func readReply(in *bufio.Reader, most int) (r Reply, err error) {
	line, err := readLine(in, most)
	if err != nil {
		return r, err
	}
	if err = strictjson.Decode(line, &r); err == nil && r.Version != version {
		err = fmt.Errorf("it speaks version %d, and this program version %d", r.Version, version)
	}
	return r, err
}

func writeLine(to io.Writer, value any) error {
	line, err := strictjson.Encode(value)
	if err != nil {
		return err
	}
	_, err = to.Write(append(line, '\n'))
	return err
}

// link is a connection between a client and a keeper of the same user.
type link struct {
	*net.UnixConn
	in *bufio.Reader
}

// newLink makes a link of a connection whose other end belongs to this user.
func newLink(conn *net.UnixConn) (*link, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil, err
	}
	uid, asked := 0, error(nil)
	if err := raw.Control(func(fd uintptr) { uid, asked = peer(int(fd)) }); err != nil {
		return nil, err
	}
	switch {
	case asked != nil:
		return nil, asked
	case uid != os.Geteuid():
		return nil, fmt.Errorf("it belongs to another user (%d)", uid)
	}
	return &link{conn, bufio.NewReaderSize(conn, maxFrame)}, nil
}

// dial connects to the keeper at a place, until the deadline, which stays set.
func dial(place Place, until time.Time) (*link, error) {
	if err := place.check(); err != nil {
		return nil, err
	}
	d := net.Dialer{Deadline: until}
	conn, err := d.Dial("unix", place.Socket)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED): // the keeper is gone, and its socket is left
		return nil, ErrNone
	case err != nil:
		return nil, err
	}
	l, err := newLink(conn.(*net.UnixConn))
	if err != nil {
		conn.Close()
		return nil, &ForeignError{place.Socket, "does not belong to this user's keeper: " + err.Error()}
	}
	return l, l.SetDeadline(until)
}

func (l *link) ask(q Request) (Reply, error) {
	q.Version = version
	if err := writeLine(l, q); err != nil {
		return Reply{}, err
	}
	return l.reply(maxReply)
}

func (l *link) reply(most int) (Reply, error) {
	r, err := readReply(l.in, most)
	if err == nil && r.Error != "" {
		err = errors.New(r.Error)
	}
	return r, err
}
