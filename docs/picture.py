#!/usr/bin/env python3
"""Makes the pictures of the documentation from real runs: docs/terminal.svg from
the commands below, in a terminal of 96 columns with a scratch home, and
docs/trace.png from the page that chibi trace --html writes about them.

usage: python3 docs/picture.py      (needs Go, python3, jq for block-rm, and Chromium for the page)
"""
import html
import os
import shutil
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COLUMNS = 96
PLUGINS = ["add-time", "block-rm", "run-command", "temperature"]
COMMANDS = [
    "ls ~/.chibi/plugins",
    "chibi -C coding 'How hot is it?' 2> /dev/null",
    "chibi -v '@tool run_command {\"command\": \"rm -rf build\"}' 2>&1 | grep -Ev 'no opinion|no model'",
]


def record(command, env):
    """Runs a command and returns what it printed, line by line, as a terminal
    of COLUMNS would break them."""
    out = subprocess.run(["sh", "-c", command], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, check=True).stdout.decode()
    lines = []
    for line in out.split("\n"):
        while len(line) > COLUMNS:
            lines.append(line[:COLUMNS])
            line = line[COLUMNS:]
        lines.append(line)
    return lines


def draw(lines):
    height = 18 * len(lines) + 32
    width = COLUMNS * 8 + 40
    rows = []
    for i, line in enumerate(lines):
        colour = "#9ece6a" if line.startswith("$ ") else "#8a93b8" if line.startswith("[") else "#d5dcf7"
        text = html.escape(line.replace(" ", "\u00a0"))
        rows.append(f'<text x="20" y="{30 + 18 * i}" fill="{colour}" textLength="{8 * len(line)}" lengthAdjust="spacingAndGlyphs">{text}</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
            f'aria-label="a terminal in which chibi runs with plugins" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13">\n'
            f'<rect width="100%" height="100%" rx="8" fill="#1a1b26"/>\n' + "\n".join(rows) + "\n</svg>\n")


def photograph(scratch, env):
    """Takes a picture of the page of what the commands left in a trace."""
    page = f"{scratch}/trace.html"
    prompts = ["How hot is it?", '@tool run_command {"command": "rm -rf build"}']
    for prompt in prompts:
        subprocess.run(["chibi", "-C", "coding", prompt], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=True)
    subprocess.run(["chibi", "-C", "coding", "trace", "--html", page], env=env, stdout=subprocess.DEVNULL, check=True)
    browser = next((b for b in ("chromium", "chromium-browser", "google-chrome") if shutil.which(b)), None)
    if not browser:
        print("no Chromium here: docs/trace.png stays as it is")
        return
    subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1100,900",
                    f"--screenshot={ROOT}/docs/trace.png", "file://" + page], check=True, stderr=subprocess.DEVNULL)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(["go", "build", "-o", f"{scratch}/bin/chibi", "."], cwd=ROOT, check=True)
        home = f"{scratch}/home"
        os.makedirs(f"{home}/.chibi/plugins")
        for name in PLUGINS:
            shutil.copy(f"{ROOT}/examples/plugins/{name}", f"{home}/.chibi/plugins/{name}")
        env = {"HOME": home, "PATH": f"{scratch}/bin:{os.environ['PATH']}", "TERM": "xterm", "LANG": "C.UTF-8"}
        lines = []
        for command in COMMANDS:
            lines.append("$ " + command)
            lines += record(command, env)
        while lines and not lines[-1].strip():
            lines.pop()
        photograph(scratch, env)
    with open(f"{ROOT}/docs/terminal.svg", "w", encoding="utf-8") as f:
        f.write(draw(lines))
    print("\n".join(lines))


main()
