
// together joins texts of which some may be missing.
const together = (...texts) => texts.filter(Boolean).join("\n\n");

// named is a name in the form that OpenCode has in names of tools.
const named = (name) => name.replace(/[^a-zA-Z0-9_-]/g, "_");

// listed passes a list of OpenCode's to read and returns the result; undefined, if OpenCode gives no list.
const listed = async (ask, read) => {
  try {
    const { data } = await ask();
    return data !== null && typeof data === "object" ? read(data) : undefined;
  } catch {
    return undefined;
  }
};

// The plugin for OpenCode.
export const Chibi = async ({ client, directory }) => {
  const parents = new Map(); // the sessions of sub-agents, with the sessions that started them
  const begun = new Map(); // the contexts of sessions
  const created = new Set(); // new sessions
  const beside = new Map(); // texts beside a result, by the ids of calls
  const responses = new Map(); // the last texts of the model
  const isHeadless = process.argv.includes("run");
  let latest; // the session of the last prompt

  const say = safely((text) => {
    if (isHeadless) return console.error(text);
    client.tui.showToast({ body: { message: text, variant: "warning" } }).catch(() => {});
  });
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

  // toolsOf lists the names that chibi gives to a tool. OpenCode joins the names of an MCP server and of its tool by _,
  // so that one name can mean several tools: plugins judge each. If OpenCode does not list its servers, it can be any.
  const toolsOf = async (tool) => {
    const ends = [...tool.matchAll(/(?<=.)_(?=.)/g)].map((match) => match.index);
    if (ends.length === 0) return [tool];
    const servers = await listed(() => client.mcp.status(), (list) => Object.keys(list).map(named));
    const of = ends.filter((end) => servers?.includes(tool.slice(0, end)) ?? true);
    const theirs = of.map((end) => `mcp__${tool.slice(0, end)}__${tool.slice(end + 1)}`);
    if (!servers || theirs.length === 0) return [tool, ...theirs];
    const isOwn = await listed(() => client.tool.ids(), (list) => list.includes(tool));
    return isOwn === false ? theirs : [tool, ...theirs];
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
      const input = copyOf(output.args);
      const names = await toolsOf(tool);
      let judged = input;
      beside.delete(id); // of a refused call with this id
      for (const name of names) {
        const answer = await at("tool_call", session, { tool: name, input, id });
        if (answer.block) throw new Error(together(answer.message, answer.context));
        if (answer.input && names.length > 1) {
          throw new Error(`chibi: ${tool} can mean ${names.join(" or ")}, so no plugin can rewrite the call`);
        }
        if (answer.context) beside.set(id, together(beside.get(id), answer.context));
        judged = answer.input ?? input;
      }
      replace(output.args, judged);
    },

    "tool.execute.after": async ({ tool, sessionID: session, callID: id, args: input }, output) => {
      const isText = typeof output.output === "string";
      const texts = isText ? [] : (output.content ?? []).filter((part) => part.type === "text");
      const was = isText ? output.output : texts.map((part) => part.text).join("\n");
      let now = was;
      let context = beside.get(id);
      beside.delete(id);
      for (const name of await toolsOf(tool)) {
        const answer = await at("tool_result", session, { tool: name, input, id, output: now, status: "ran" });
        now = answer.output ?? now;
        context = together(context, answer.context);
      }
      if (now === was && !context) return;
      now = together(now, context);
      if (isText) {
        if (output.metadata?.output === output.output) output.metadata.output = now;
        output.output = now;
        return;
      }
      output.content = [...(output.content ?? []).filter((part) => part.type !== "text"), { type: "text", text: now }];
    },
  };
};
