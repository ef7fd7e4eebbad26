// Command model is the model's server for bench/compare: it answers every prompt at once, so
// that a measurement is about the program that asks.
//
// It prints its base URL as the first line and ends when its standard input is closed; then
// it prints what it counted, as one line of JSON. A prompt with "@calls N" is answered by N
// responses with a tool call each, then by a text. With -tls it makes a certificate and
// writes it to that file. With -delay every piece of data takes that long for a round trip,
// the TCP handshake included.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

func main() {
	certificate := flag.String("tls", "", "use TLS, and write the certificate to this file")
	delay := flag.Duration("delay", 0, "the time of a round trip")
	pace := flag.Duration("pace", 0, "the time between two words of a text")
	flag.Parse()
	if err := serve(*certificate, *delay, *pace); err != nil {
		fmt.Fprintln(os.Stderr, "model:", err)
		os.Exit(1)
	}
}

// counts is what the server counted.
type counts struct {
	Connections atomic.Int64
	Requests    atomic.Int64
}

func serve(certificate string, delay, pace time.Duration) error {
	var seen counts
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.Requests.Add(1)
		answer(w, r, pace)
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			seen.Connections.Add(1)
		}
	}
	if delay > 0 {
		server.Listener = &slowListener{server.Listener, delay / 2}
	}
	if certificate != "" {
		server.EnableHTTP2 = true
		server.StartTLS()
		if err := writeCertificate(certificate, server); err != nil {
			return err
		}
	} else {
		server.Start()
	}
	fmt.Println(server.URL + "/v1")
	io.Copy(io.Discard, os.Stdin)
	return json.NewEncoder(os.Stdout).Encode(map[string]int64{
		"connections": seen.Connections.Load(), "requests": seen.Requests.Load(),
	})
}

// message is a part of a request.
type message struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
}

// answer answers one request.
func answer(w http.ResponseWriter, r *http.Request, pace time.Duration) {
	var request struct {
		Messages []message `json:"messages"`
		Tools    []struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	wanted, made := calls(request.Messages)
	w.Header().Set("Content-Type", "text/event-stream")
	if made < wanted && len(request.Tools) > 0 {
		// Other arguments each time: a call that is repeated would end the turn.
		name, arguments := "update_todos", fmt.Sprintf(`{"content":"%d"}`, made)
		for _, tool := range request.Tools {
			if tool.Function.Name == "bench_tool" {
				name, arguments = "bench_tool", fmt.Sprintf(`{"n":%d}`, made)
			}
		}
		call := map[string]any{"index": 0, "id": "call-" + strconv.Itoa(made), "type": "function",
			"function": map[string]string{"name": name, "arguments": arguments}}
		event(w, map[string]any{"tool_calls": []any{call}}, "tool_calls")
	} else {
		for _, word := range strings.SplitAfter("It is done.", " ") {
			event(w, map[string]any{"content": word}, "")
			time.Sleep(pace)
		}
		event(w, map[string]any{}, "stop")
	}
	io.WriteString(w, "data: [DONE]\n\n")
}

// calls returns how many tool calls the latest prompt asks for, and how many were made.
func calls(messages []message) (wanted, made int) {
	for _, m := range messages {
		text, _ := m.Content.(string)
		switch m.Role {
		case "user":
			made, wanted = 0, 0
			if _, n, found := strings.Cut(text, "@calls "); found {
				fmt.Sscan(n, &wanted)
			}
		case "tool":
			made++
		}
	}
	return wanted, made
}

// event sends one event of a stream.
func event(w http.ResponseWriter, delta map[string]any, finish string) {
	choice := map[string]any{"index": 0, "delta": delta}
	if finish != "" {
		choice["finish_reason"] = finish
	}
	data, _ := json.Marshal(map[string]any{"id": "1", "model": "bench", "choices": []any{choice}})
	fmt.Fprintf(w, "data: %s\n\n", data)
	w.(http.Flusher).Flush()
}
