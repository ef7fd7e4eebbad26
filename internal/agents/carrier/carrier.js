import { spawn } from "node:child_process";
import { statSync } from "node:fs";

const program = settings.chibi ?? "chibi";
const words = [...(settings.home ? ["--home", settings.home] : []), "bridge", "serve", settings.agent];
const gone = `chibi, which must be asked first, is not there or has failed: ${program}`;
const late = `chibi, which must say whether a required plugin denies, has not answered in time: ${program}`;
const refusable = ["prompt", "tool_call"];
const maxLine = 60 << 20; // bytes; chibi takes 64 MiB
const decideWithin = 10_000; // ms, for an event about which no plugin decides

// place names the program and its environment at this moment.
function place() {
  let file = "";
  try {
    const { ino, size, mtimeMs } = statSync(program);
    file = `${ino} ${size} ${mtimeMs} `;
  } catch {} // the system finds it by its name, or the start says what is wrong
  return file + JSON.stringify(process.env);
}

// LateError means that a process has not answered in time.
class LateError extends Error {}

// Host is a process of chibi that answers events on lines.
class Host {
  static now; // the current one
  static asked = 0;

  // current is the process for this moment. A process of a different program or environment answers its events and
  // ends.
  static current() {
    const here = place();
    if (Host.now?.place !== here) {
      Host.now?.process.stdin?.end();
      Host.now = new Host(here);
    }
    return Host.now;
  }

  constructor(here) {
    this.place = here;
    this.waiting = new Map();
    this.parts = []; // of the unfinished line
    this.size = 0;
    this.said = "";
    this.process = spawn(program, words, { stdio: ["pipe", "pipe", "pipe"], windowsHide: true });
    const { stdin, stdout, stderr } = this.process;
    this.process.on("error", (error) => this.end(error));
    this.process.on("exit", (code, signal) => {
      const error = new Error(`chibi bridge serve has ended: ${signal ?? `status ${code}`} ${this.said}`.trim());
      this.process.on("close", () => this.end(error));
      setTimeout(() => this.end(error), 1000).unref(); // if another process holds the pipe
    });
    for (const stream of [stdin, stdout, stderr]) stream?.on("error", () => {}); // the exit reports it
    stdout?.setEncoding("utf8").on("data", (text) => this.read(text));
    stderr?.setEncoding("utf8").on("data", (text) => (this.said = (this.said + text).slice(-2000)));
    for (const one of [this.process, stdin, stdout, stderr]) one?.unref?.(); // it does not keep the agent from ending
  }

  read(text) {
    const lines = text.split("\n");
    for (const part of lines.slice(0, -1)) {
      const line = this.parts.join("") + part;
      this.parts = [];
      this.size = 0;
      this.answer(line);
    }
    this.parts.push(lines.at(-1));
    this.size += lines.at(-1).length;
    if (this.size > maxLine) this.end(new Error("its answer is too long"));
  }

  answer(line) {
    let answer, said, done;
    try {
      answer = JSON.parse(line);
      done = this.waiting.get(answer.id);
      if (!done) throw new Error("nobody has asked that");
      said = answer.stdout === "" ? {} : JSON.parse(answer.stdout);
      if (answer.exit !== 0 || said === null || typeof said !== "object" || Array.isArray(said)) {
        throw new Error("it is not an answer");
      }
    } catch (error) {
      return this.end(new Error(`chibi answered ${JSON.stringify(line.slice(0, 100))}: ${error.message}`));
    }
    done.resolve({ ...said, stderr: answer.stderr });
  }

  // ask passes an event on, and returns the answer.
  ask(about, within) {
    const id = ++Host.asked;
    const line = JSON.stringify({ ...about, id }) + "\n";
    return new Promise((resolve, reject) => {
      if (this.error) return reject(this.error);
      if (Buffer.byteLength(line) > maxLine) return reject(new Error("the event is too large"));
      const timer = setTimeout(() => this.end(new LateError("it has not answered in time")), within);
      const over = (then) => (value) => {
        clearTimeout(timer);
        this.waiting.delete(id);
        then(value);
      };
      this.waiting.set(id, { resolve: over(resolve), reject: over(reject) });
      this.process.stdin.write(line, (error) => error && this.leave(over(reject), error));
    });
  }

  // leave asks the process nothing more. The process may still answer earlier events.
  leave(reject, error) {
    if (Host.now === this) Host.now = undefined;
    reject(error);
  }

  // end ends the process; its unanswered events fail.
  end(error) {
    this.error ??= error;
    if (Host.now === this) Host.now = undefined;
    this.process.kill("SIGKILL");
    for (const { reject } of [...this.waiting.values()]) reject(this.error);
  }
}

const told = new Set();

// ask passes an event to chibi and returns the answer, an object. say shows a text to the person. The payload is a
// text in its line, so that an unreadable payload does not end the others.
async function ask(event, about, say) {
  const line = { event, fail_closed: settings.fail_closed ?? false, deadline_ms: settings.deadline_ms };
  const tell = (text) => {
    if (text && !told.has(text)) say(text);
    told.add(text);
  };
  let answer;
  try {
    const payload = JSON.stringify({ event, ...about });
    answer = await Host.current().ask({ ...line, payload }, settings.limit_ms);
  } catch (error) {
    answer = await decide({ ...line, failed: error.message }, about, tell);
  }
  tell(answer.stderr?.trim());
  tell(answer.notice);
  return answer;
}

// decide returns the answer for an event about which no plugin decided: chibi knows whether a required plugin had to.
// If chibi is too slow to say so, there may be such a plugin.
async function decide(line, about, tell) {
  const payload = JSON.stringify({ event: line.event, session: about.session, cwd: about.cwd });
  try {
    return await Host.current().ask({ ...line, payload }, decideWithin);
  } catch (error) {
    const isLate = error instanceof LateError;
    const closed = (settings.fail_closed || isLate) && refusable.includes(line.event);
    const why = [...new Set([line.failed, error.message])].join("; ");
    tell(`chibi does not ask its plugins: ${why}`);
    return closed ? { block: true, message: isLate ? late : gone } : {};
  }
}

// safely makes a function that shows a text to the person one that cannot fail: chibi's answer counts.
const safely = (say) => (text) => {
  try {
    say(text);
  } catch {
    console.error(text);
  }
};

// copyOf copies the arguments of a call. Plugins see the copy, and the call has it.
function copyOf(input) {
  try {
    return JSON.parse(JSON.stringify(input));
  } catch {
    return input; // plugins cannot see it
  }
}

// replace gives an object the members of the other one, whatever it had.
function replace(object, other) {
  if (object === other) return;
  Object.setPrototypeOf(object, Object.getPrototypeOf(other));
  for (const name of Reflect.ownKeys(object)) if (!Object.hasOwn(other, name)) delete object[name];
  for (const name of Object.keys(other)) {
    Object.defineProperty(object, name, { value: other[name], writable: true, enumerable: true, configurable: true });
  }
}
