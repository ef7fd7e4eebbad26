def serve(hook, tool=None):
    """Answers all events of a session, which chibi writes to a resident plugin, one on each line."""
    answers, sys.stdout = sys.stdout, sys.stderr  # text that is printed meanwhile is not an answer
    requests = os.fdopen(os.dup(0), encoding=sys.stdin.encoding, errors=sys.stdin.errors)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # programs that the plugin starts do not read requests
    for name in "CONTEXT", "VERBOSE", "SESSION_ID", "PROMPT_ID", "TRANSCRIPT_PATH":
        os.environ.pop("CHIBI_" + name, None)  # of the start
    before = {}
    for line in requests:
        request = json.loads(line)
        params, answer = request["params"], {"jsonrpc": "2.0", "id": request["id"]}
        event = params["meta"]
        event["CHIBI_HOOK" if "point" in params else "CHIBI_TOOL_NAME"] = params.get("point") or params["name"]
        try:
            for name in before.keys() - event.keys():
                os.environ.pop(name, None)
            for name, value in event.items() - before.items():
                os.environ[name] = value
            before = event
            if request["method"] == "hook":
                answer["result"] = hook(params["point"], params["payload"])
            else:
                answer["result"] = {"output": str(tool(params["name"], params["arguments"]))}
        except Exception as error:
            answer["error"] = {"code": 1, "message": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)
