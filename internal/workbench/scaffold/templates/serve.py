def serve(hook, tool=None):
    """Answers all events of a session, which chibi writes to a resident plugin, one on each line."""
    answers, sys.stdout = sys.stdout, sys.stderr  # what is printed meanwhile is not an answer
    for line in sys.stdin:
        request = json.loads(line)
        params, answer = request["params"], {"jsonrpc": "2.0", "id": request["id"]}
        os.environ.update(params["meta"])
        try:
            if request["method"] == "hook":
                answer["result"] = hook(params["point"], params["payload"])
            else:
                answer["result"] = {"output": tool(params["name"], params["arguments"])}
        except Exception as error:
            answer["error"] = {"code": 1, "message": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)
