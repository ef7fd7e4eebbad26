package resident

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// version is the version of JSON-RPC that is spoken.
const version = "2.0"

// request is a request to a process. Its members are always in this order, so that a
// shell script can take it apart.
type request struct {
	Version string `json:"jsonrpc"`
	ID      int64  `json:"id"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
}

// response is what a process answers.
type response struct {
	Version string          `json:"jsonrpc"`
	ID      *int64          `json:"id"`
	Result  json.RawMessage `json:"result"`
	Error   *refusal        `json:"error"`
}

// codeUnread is the code of an error that says that the question's data was not read. It is one
// that JSON-RPC leaves to servers: plugins pass on the exit status of what they run as the code.
const codeUnread = "-32001"

// refusal is the error of a response.
type refusal struct {
	Code    json.RawMessage `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

// encode returns a request as a line without its newline.
func encode(id int64, q Question) ([]byte, error) {
	return strictjson.Encode(request{version, id, q.Method, q.Params})
}

// decode reads a line as a response. Unknown members are an error: they may have been
// meant as a part of the answer.
func decode(line []byte) (r response, err error) {
	line = strictjson.Trim(line) // the first may begin with a byte order mark
	if err := strictjson.Check(line); err != nil {
		if errors.Is(err, strictjson.ErrDepth) {
			return r, err
		}
		return r, fmt.Errorf("it wrote a line that is not JSON: %q; write everything except answers to standard error",
			excerpt(line))
	}
	switch err := strictjson.DecodeKnown(line, &r); {
	case err != nil:
		return r, fmt.Errorf("it wrote a line that is not an answer: %s", clip.Text(err.Error(), 200))
	case r.Version != version:
		return r, fmt.Errorf(`it wrote a line that is not an answer: "jsonrpc" is not %q: %q`, version, excerpt(line))
	case r.ID == nil:
		return r, fmt.Errorf(`it wrote a line that is not an answer: it has no "id": %q`, excerpt(line))
	case (r.Result == nil) == (r.Error == nil):
		return r, fmt.Errorf(`its answer to request %d must have either "result" or "error"`, *r.ID)
	}
	return r, nil
}

// excerpt returns the beginning of a line for a message.
func excerpt(line []byte) string {
	return clip.Text(strings.ToValidUTF8(string(line[:min(len(line), 160)]), "\uFFFD"), 60)
}
