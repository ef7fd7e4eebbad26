package mcpserve

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// openCall is a call whose client is asked between two of its requests.
type openCall struct {
	tool   string
	asked  chan *sdk.ElicitParams
	answer chan *sdk.ElicitResult
	cancel context.CancelFunc
	done   chan struct{} // closed when there is a result
	result *sdk.CallToolResult
	err    error
	late   *time.Timer // ends the call if no request comes back
}

// answerTime is how long a client may take for the answer to a question that ended its
// request. chibi cannot know before whether it is still there.
const answerTime = 10 * time.Minute

// questionID names the one question of a request that is not over.
const questionID = "permission"

// parts are the calls that wait for answers, by the states that the clients were given.
type parts struct {
	mu   sync.Mutex
	open map[string]*openCall
}

// keep keeps a call until its answer comes, and returns its state.
func (p *parts) keep(o *openCall) (state string) {
	state = rand.Text()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == nil {
		p.open = map[string]*openCall{}
	}
	p.open[state] = o
	o.late = time.AfterFunc(answerTime, func() {
		if p.take(state) != nil {
			o.cancel()
		}
	})
	return state
}

// take returns the call with a state, once; nil: there is none.
func (p *parts) take(state string) *openCall {
	p.mu.Lock()
	defer p.mu.Unlock()
	o := p.open[state]
	delete(p.open, state)
	if o != nil {
		o.late.Stop()
	}
	return o
}

// resume goes on with the call that waits for the answer which a request brings.
func (p *parts) resume(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	o := p.take(req.Params.RequestState)
	if o == nil || o.tool != req.Params.Name {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams,
			Message: "no call waits for this answer: it was answered before, or too late"}
	}
	answer, _ := req.Params.InputResponses[questionID].(*sdk.ElicitResult)
	if answer == nil {
		answer = &sdk.ElicitResult{Action: "cancel"}
	}
	select {
	case o.answer <- answer:
	case <-o.done:
	}
	return p.attend(ctx, o)
}

// attend waits until a call has a result or a question. If the request ends before, the call
// does too.
func (p *parts) attend(ctx context.Context, o *openCall) (*sdk.CallToolResult, error) {
	select {
	case <-o.done:
		return o.result, o.err
	case question := <-o.asked:
		requests := sdk.InputRequestMap{questionID: question}
		return &sdk.CallToolResult{InputRequests: requests, RequestState: p.keep(o)}, nil
	case <-ctx.Done():
		o.cancel()
		<-o.done
		return nil, ctx.Err()
	}
}
