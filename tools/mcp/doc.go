// Package mcp makes the tools of MCP servers tools like any other. MCP, the Model Context
// Protocol, is specified at https://modelcontextprotocol.io; the official Go SDK speaks it.
//
// What it promises:
//
//   - A server starts only for a call of one of its tools or a request for its list.
//   - Whatever a server sends is bounded, and text from it is data: it cannot control a
//     terminal, and chibi believes what it says about its tools (that they only read, for
//     instance) only for a [Server] that the person trusts.
//   - A call is never sent twice.
//
// It prints nothing and stores nothing.
package mcp
