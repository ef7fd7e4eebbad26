// serve answers all events of a session, which chibi writes to a resident plugin, one on each line.
async function serve(hook, tool) {
  console.log = console.error; // text that is printed meanwhile is not an answer
  for (const name of ["CONTEXT", "VERBOSE", "SESSION_ID", "PROMPT_ID", "TRANSCRIPT_PATH"]) {
    delete process.env["CHIBI_" + name]; // of the start
  }
  let before = {}, parts = [];
  for await (const text of process.stdin.setEncoding("utf8")) {
    const lines = text.split("\n");
    for (parts.push(lines.shift()); lines.length > 0; parts = [lines.shift()]) {
      const { id, method, params } = JSON.parse(parts.join(""));
      const answer = { jsonrpc: "2.0", id };
      const event = params.meta ?? {};
      event[method === "hook" ? "CHIBI_HOOK" : "CHIBI_TOOL_NAME"] = params.point ?? params.name;
      for (const name in before) if (!(name in event)) delete process.env[name];
      for (const name in event) if (event[name] !== before[name]) process.env[name] = event[name];
      before = event;
      try {
        if (method === "hook") answer.result = (await hook(params.point, params.payload)) ?? null;
        else answer.result = { output: String(await tool(params.name, params.arguments)) };
      } catch (error) {
        answer.error = { code: 1, message: String(error) };
      }
      process.stdout.write(JSON.stringify(answer) + "\n");
    }
  }
}
