package mcpserve

import (
	"encoding/json"
	"strconv"
	"sync"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// ids has the ids of a client's requests that are not answered, as the client wrote them. The
// library reads numbers as int64 by way of float64, so that 9007199254740993, 1.5 and 1e3 would
// be answered with another id, which no client waits for. It gets numbers of ours instead.
type ids struct {
	mu   sync.Mutex
	last int64
	open map[int64]json.RawMessage // by the numbers
}

// taken returns a message of a client with numbers of ours in the place of its ids: the id of a
// request, and the id of the request which it cancels.
func (d *ids) taken(line []byte, members map[string]json.RawMessage) ([]byte, error) {
	_, hasMethod := members["method"]
	id, hasID := members["id"]
	method := ""
	switch {
	case !hasMethod: // it answers a request of the library
		return line, nil
	case hasID:
		members["id"] = d.number(id)
	case strictjson.Decode(members["method"], &method) == nil && method == "notifications/cancelled":
		var params map[string]json.RawMessage
		if strictjson.Decode(members["params"], &params) != nil || params == nil {
			return line, nil
		}
		params["requestId"] = d.find(params["requestId"])
		members["params"], _ = strictjson.Encode(params)
	default:
		return line, nil
	}
	return strictjson.Encode(members)
}

// number returns a number for a request.
func (d *ids) number(id json.RawMessage) json.RawMessage {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open == nil {
		d.open = map[int64]json.RawMessage{}
	}
	d.last++
	d.open[d.last] = id
	return strconv.AppendInt(nil, d.last, 10)
}

// find returns the number of a request that is not answered, 0 if there is none.
func (d *ids) find(id json.RawMessage) json.RawMessage {
	d.mu.Lock()
	defer d.mu.Unlock()
	for number, open := range d.open {
		if sameID(open, id) {
			return strconv.AppendInt(nil, number, 10)
		}
	}
	return json.RawMessage("0")
}

// sameID reports whether two ids are the same, as they were written or as strings.
func sameID(a, b json.RawMessage) bool {
	var one, other string
	return string(a) == string(b) ||
		strictjson.Decode(a, &one) == nil && strictjson.Decode(b, &other) == nil && one == other
}

// subscription is where a message says which request it belongs to: the one by which a client subscribed.
const subscription = `_meta.io\.modelcontextprotocol/subscriptionId`

// given returns a message for a client, in which an answer has the id of the client's request, and
// a message of a subscription has the id of the request which began it.
func (d *ids) given(line []byte) ([]byte, error) {
	if gjson.GetBytes(line, "method").Exists() {
		return d.replaced(line, "params."+subscription)
	}
	given, err := d.replaced(line, "result."+subscription)
	if err != nil {
		return nil, err
	}
	number := gjson.GetBytes(line, "id")
	given, err = d.replaced(given, "id")
	if number.Type == gjson.Number {
		d.mu.Lock()
		delete(d.open, number.Int())
		d.mu.Unlock()
	}
	return given, err
}

// replaced returns a message with the client's id in place of the number that the library has for a
// request that is not answered; as it is, if there is no such number at the path.
func (d *ids) replaced(line []byte, path string) ([]byte, error) {
	number := gjson.GetBytes(line, path)
	if number.Type != gjson.Number {
		return line, nil
	}
	d.mu.Lock()
	id, isOpen := d.open[number.Int()]
	d.mu.Unlock()
	if !isOpen {
		return line, nil
	}
	return sjson.SetRawBytes(line, path, id)
}
