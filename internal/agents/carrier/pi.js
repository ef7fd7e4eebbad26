
// together joins texts of which some may be missing.
const together = (...texts) => texts.filter(Boolean).join("\n\n");

// textOf is the text of a message or a result.
function textOf(content) {
  if (typeof content === "string") return content;
  return (content ?? []).filter((part) => part.type === "text").map((part) => part.text).join("\n");
}

const triggerOf = (event) => (event.reason === "manual" ? "manual" : "auto");

// The extension for pi.
export default function (pi) {
  const beside = new Map(); // texts beside a result, by the ids of calls
  let isHalted = false; // a plugin ends the turn
  let last; // the model's last message
  let toSystem = ""; // the context of the session
  let toPrompt = ""; // the context of the prompt

  const sayTo = (ctx) => safely((text) => (ctx.hasUI ? ctx.ui.notify(text, "warning") : console.error(text)));
  const at = async (event, ctx, about) =>
    ask(event, { session: ctx.sessionManager.getSessionId(), cwd: ctx.cwd, ...about }, sayTo(ctx));

  pi.on("session_start", async (event, ctx) => {
    const source = ["resume", "fork", "reload"].includes(event.reason) ? "resume" : "startup";
    toSystem = (await at("session_start", ctx, { source })).context ?? "";
  });

  pi.on("session_shutdown", async (event, ctx) => {
    if (event.reason !== "reload") await at("session_end", ctx, { reason: "exit" });
  });

  pi.on("input", async (event, ctx) => {
    const failed = (error) => ({ block: true, message: `chibi: ${error.message}` }); // pi would go on
    const answer = await at("prompt", ctx, { prompt: event.text }).catch(failed);
    toPrompt = answer.context ?? "";
    if (answer.block) {
      sayTo(ctx)(answer.message);
      return { action: "handled" };
    }
    return answer.prompt === undefined ? undefined : { action: "transform", text: answer.prompt, images: event.images };
  });

  pi.on("before_agent_start", (event) => {
    isHalted = false;
    const message = toPrompt && { customType: "chibi", content: toPrompt, display: false };
    toPrompt = "";
    return { ...(message && { message }), ...(toSystem && { systemPrompt: together(event.systemPrompt, toSystem) }) };
  });

  pi.on("before_provider_request", async (event, ctx) => {
    if (isHalted) return ctx.abort();
    const { request } = await at("request", ctx, { request: event.payload });
    if (!request) return undefined;
    const members = Object.entries({ ...event.payload, ...request });
    return Object.fromEntries(members.filter(([name]) => request[name] !== null)); // null removes it
  });

  pi.on("tool_call", async (event, ctx) => {
    const { toolName: tool, toolCallId: id } = event;
    const input = copyOf(event.input);
    const answer = await at("tool_call", ctx, { tool, input, id });
    if (answer.block) {
      isHalted ||= answer.halt ?? false; // calls beside this one may not end the turn
      return { block: true, reason: together(answer.message, answer.context), terminate: answer.halt ?? false };
    }
    if (answer.context) beside.set(id, answer.context);
    replace(event.input, answer.input ?? input);
    return undefined;
  });

  pi.on("tool_result", async (event, ctx) => {
    const { toolName: tool, toolCallId: id, input, content, isError } = event;
    const status = isError ? "failed" : "ran";
    const answer = await at("tool_result", ctx, { tool, input, id, output: textOf(content), status });
    const context = together(beside.get(id), answer.context);
    beside.delete(id);
    isHalted ||= answer.halt ?? false;
    if (answer.output === undefined && !context) return undefined;
    const rest = answer.output === undefined ? content : content.filter((part) => part.type !== "text");
    const texts = [answer.output, context].filter(Boolean).map((text) => ({ type: "text", text }));
    return { content: answer.output === undefined ? [...rest, ...texts] : [...texts, ...rest] };
  });

  pi.on("message_end", async (event, ctx) => {
    if (event.message.role !== "assistant") return;
    last = event.message;
    const answer = await at("response", ctx, { response: textOf(last.content) });
    isHalted ||= answer.halt ?? false;
  });

  pi.on("agent_before_settle", async (event, ctx) => {
    if (event.continue) return undefined;
    const response = textOf(last?.content);
    if (event.outcome !== "completed") {
      const kind = event.outcome === "error" ? "error" : "interrupted";
      await at("turn_failed", ctx, { error: last?.errorMessage ?? "", kind, response });
      return undefined;
    }
    const answer = await at("stop", ctx, { response });
    if (!answer.block) return undefined;
    const entry = { type: "custom_message", customType: "chibi", content: answer.message, display: true };
    return { entries: [...event.entries, entry], continue: true };
  });

  pi.on("session_before_compact", async (event, ctx) => {
    const answer = await at("compact", ctx, { trigger: triggerOf(event) });
    if (!answer.block) return undefined;
    sayTo(ctx)(answer.message);
    return { cancel: true };
  });

  pi.on("session_compact", async (event, ctx) => {
    await at("compacted", ctx, { trigger: triggerOf(event), summary: event.compactionEntry?.summary ?? "" });
  });
}
