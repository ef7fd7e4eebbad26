"""Calls a tool of an MCP server, with the client of PyPI's package mcp.

   client.py ANSWER TOOL JSON COMMAND...

ANSWER is its answer to a question of the server: "allow once", "deny", or "cannot" for a
client that has no elicitation.
"""
import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client


def answering(answer):
    async def elicit(_, params):
        print("The client is asked:")
        print(params.message.rstrip())
        print("It answers:", answer)
        return types.ElicitResult(action="accept", content={"decision": answer})

    return None if answer == "cannot" else elicit


async def main(answer, tool, arguments, command):
    async with stdio_client(StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))) as pipes:
        async with ClientSession(*pipes, elicitation_callback=answering(answer)) as session:
            started = await session.initialize()
            print(started.server_info.name, "speaks MCP", started.protocol_version)
            result = await session.call_tool(tool, json.loads(arguments))
            for block in result.content:
                print("Error:" if result.is_error else "Result:", block.text)


asyncio.run(main(*sys.argv[1:4], sys.argv[4:]))
