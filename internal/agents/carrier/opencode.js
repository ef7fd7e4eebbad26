
// together joins texts of which some may be missing.
const together = (...texts) => texts.filter(Boolean).join("\n\n");

// named is a name as OpenCode has it in those of tools.
const named = (name) => name.replace(/[^a-zA-Z0-9_-]/g, "_");

// The plugin for OpenCode.
export const Chibi = async ({ client, directory }) => {
  const parents = new Map(); // the sessions of sub-agents, with those that have started them
  const begun = new Map(); // the contexts of sessions
  const created = new Set(); // sessions that are new
  const beside = new Map(); // what stands beside a result, by the ids of calls
  const responses = new Map(); // the last texts of the model
  const isHeadless = process.argv.includes("run");
  let latest; // the session of the last prompt

  const say = (text) => {
    if (isHeadless) return console.error(text);
    client.tui.showToast({ body: { message: text, variant: "warning" } }).catch(() => {});
  };
  const rootOf = (session) => (parents.has(session) ? rootOf(parents.get(session)) : session);
  const at = (event, session, about) => {
    const root = rootOf(session);
    return ask(event, { session: root, cwd: directory, ...(root !== session && { agent: session }), ...about }, say);
  };

  // begin tells that a session begins, once.
  const begin = async (session) => {
    if (begun.has(session) || parents.has(session)) return;
    begun.set(session, "");
    const source = created.has(session) ? "startup" : "resume";
    begun.set(session, (await at("session_start", session, { source })).context ?? "");
  };

  // toolOf is the name that chibi gives to a tool of an MCP server, or the tool's own.
  const toolOf = async (tool) => {
    if (!tool.includes("_")) return tool;
    const servers = await client.mcp.status().catch(() => ({}));
    const of = Object.keys(servers?.data ?? {}).map(named).filter((server) => tool.startsWith(`${server}_`));
    const server = of.sort((a, b) => b.length - a.length)[0];
    return server ? `mcp__${server}__${tool.slice(server.length + 1)}` : tool;
  };

  return {
    event: async ({ event: { type, properties } }) => {
      const session = properties?.sessionID ?? properties?.info?.id;
      switch (type) {
        case "session.created":
          created.add(session);
          if (properties.info.parentID) parents.set(session, properties.info.parentID);
          break;
        case "session.idle":
          if (parents.has(session) || !begun.has(session)) break;
          await at("stop", session, { response: responses.get(session) ?? "" });
          break;
        case "session.error": {
          if (!session || parents.has(session)) break;
          const { name, data } = properties.error ?? {};
          const kind = name === "MessageAbortedError" ? "interrupted" : "error";
          await at("turn_failed", session, { error: data?.message ?? name ?? "", kind, response: "" });
          break;
        }
        case "session.compacted":
          await at("compacted", session, { trigger: "auto", summary: "" });
      }
    },

    "chat.message": async ({ sessionID: session }, { parts }) => {
      latest = session;
      await begin(session);
      const texts = parts.filter((part) => part.type === "text" && !part.synthetic);
      const answer = await at("prompt", session, { prompt: texts.map((part) => part.text).join("\n") });
      if (answer.block) {
        say(answer.message);
        throw new Error(answer.message);
      }
      const [first, ...others] = texts;
      if (answer.prompt !== undefined && !first) throw new Error("chibi: a plugin changes a prompt that has no text");
      if (answer.prompt !== undefined) {
        first.text = answer.prompt;
        for (const part of others) parts.splice(parts.indexOf(part), 1);
      }
      const last = parts.findLast((part) => part.type === "text");
      if (answer.context && last) last.text = together(last.text, answer.context);
      if (answer.context && !last) say("chibi: a context stands beside no prompt that has no text");
    },

    "experimental.chat.system.transform": async (input, { system }) => {
      const context = begun.get(rootOf(input?.sessionID ?? latest));
      if (context) system.push(context);
    },

    "experimental.text.complete": async ({ sessionID: session }, { text }) => {
      responses.set(session, text);
    },

    "tool.execute.before": async ({ tool, sessionID: session, callID: id }, output) => {
      const answer = await at("tool_call", session, { tool: await toolOf(tool), input: output.args, id });
      if (answer.block) throw new Error(together(answer.message, answer.context));
      if (answer.context) beside.set(id, answer.context);
      if (answer.input) replace(output.args, answer.input);
    },

    "tool.execute.after": async ({ tool, sessionID: session, callID: id, args: input }, output) => {
      const isText = typeof output.output === "string";
      const texts = isText ? [] : (output.content ?? []).filter((part) => part.type === "text");
      const was = isText ? output.output : texts.map((part) => part.text).join("\n");
      const about = { tool: await toolOf(tool), input, id, output: was, status: "ran" };
      const answer = await at("tool_result", session, about);
      const context = together(beside.get(id), answer.context);
      beside.delete(id);
      if (answer.output === undefined && !context) return;
      const now = together(answer.output ?? was, context);
      if (isText) {
        if (output.metadata?.output === output.output) output.metadata.output = now;
        output.output = now;
        return;
      }
      output.content = [...(output.content ?? []).filter((part) => part.type !== "text"), { type: "text", text: now }];
    },
  };
};
