import { spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { CallgateError, parseEndpoint, post, problem, refusal, whole } from "./connection.js";

export { CallgateError };

const lines = "application/x-ndjson";
const silence = 60_000;
const maxLine = 64 << 20;

/** A client of one daemon, with the token of one agent. */
export class Callgate {
  #at;
  #token;
  #tokenFile;
  #endpoint;

  constructor({ endpoint, token, tokenFile, agent = "default" } = {}) {
    // The account's own places: no variable of the environment counts.
    const state = path.join(os.userInfo().homedir, ".local", "state", "callgate");
    this.#endpoint = endpoint ?? path.join(state, "callgate.sock");
    this.#at = parseEndpoint(this.#endpoint);
    if (!/^[A-Za-z0-9._-]+$/.test(agent)) throw new CallgateError(`agent ${JSON.stringify(agent)}: want a plain name`);
    this.#tokenFile = token === undefined ? (tokenFile ?? path.join(state, "agents", `${agent}.token`)) : undefined;
    this.#token = token ?? readToken(this.#tokenFile);
  }

  /** Has one call decided, and waits for a person where it must. Every failure throws: then the call must not run. */
  async check(call, { signal, timeoutSeconds, onProgress } = {}) {
    const target = timeoutSeconds === undefined ? "/v1/check" : `/v1/check?timeout=${Math.max(1, Math.round(timeoutSeconds * 1000))}ms`;
    const own = new AbortController();
    let watch;
    const alive = () => {
      clearTimeout(watch);
      watch = setTimeout(() => own.abort(), silence);
    };
    alive();
    const all = signal ? AbortSignal.any([signal, own.signal]) : own.signal;
    let done;
    try {
      const { response, proven, close } = await post(this.#at, this.#token, target, JSON.stringify(call), lines, all);
      done = close;
      if (response.statusCode !== 200) throw await refusal(response, proven);
      if (!(response.headers["content-type"] ?? "").startsWith(lines)) throw new CallgateError("the daemon answered with another content type");
      return sound(await result(response, proven, (p) => {
        alive();
        onProgress?.(p);
      }));
    } catch (err) {
      if (err instanceof CallgateError) throw err;
      throw new CallgateError(`check: ${err?.message ?? err}`, { code: all.aborted ? "cancelled" : "lost", cause: err });
    } finally {
      clearTimeout(watch);
      done?.();
    }
  }

  /** Decides without asking, storing or auditing. It is no permission to run the call. */
  evaluate(call, options) {
    return this.#ask("/v1/evaluate", call, options);
  }

  /** Reports the end of a call that was checked with reports: true. */
  finished(report, options) {
    return this.#ask("/v1/calls/finished", report, options);
  }

  /** Lists the tools worth showing to the model. */
  offer(request = {}, options) {
    return this.#ask("/v1/offer", request, options);
  }

  async #ask(target, body, { signal } = {}) {
    const { response, proven, close } = await post(this.#at, this.#token, target, JSON.stringify(body), "application/json", signal);
    try {
      if (response.statusCode !== 200) throw await refusal(response, proven);
      const text = await whole(response);
      proven(200, text, response.headers["callgate-mac"]);
      return JSON.parse(text.toString("utf8"));
    } finally {
      close();
    }
  }

  /**
   * Answers one call: {allowed: true, input} with the input to run, or {allowed: false, message} for
   * the model. It never throws: every failure is a denial.
   */
  async permission(call, options) {
    try {
      const res = await this.check(call, options);
      if (res.decision.behavior !== "allow") return { allowed: false, message: res.decision.message || res.decision.reason || "Denied by Callgate." };
      return { allowed: true, input: res.input ?? call.input };
    } catch (err) {
      return { allowed: false, message: `Denied by Callgate: the call could not be checked: ${String(err?.message ?? err).replace(/\.$/, "")}.` };
    }
  }

  /** A canUseTool for the Claude Agent SDK. It sees only calls that the client would prompt for: see hooks. */
  canUseTool(context = {}) {
    return async (tool, input, { signal, toolUseID, agentID } = {}) => {
      const own = agentID ? { ...context, sub_agent: agentID } : context;
      const p = await this.permission({ tool, input, call_id: toolUseID, takes_input: true, context: own }, { signal });
      return p.allowed ? { behavior: "allow", updatedInput: p.input } : { behavior: "deny", message: p.message };
    };
  }

  /**
   * The hooks option of the Claude Agent SDK: every call, judged by the program callgate as Claude
   * Code's own hook judges it. binary is the absolute path of callgate.
   */
  hooks({ binary, timeoutSeconds = 3600, daemonUID } = {}) {
    if (!binary || !path.isAbsolute(binary)) throw new CallgateError("hooks: binary: want the absolute path of callgate");
    if (!this.#tokenFile) throw new CallgateError("hooks: want a client with a token file: a token does not go on a command line");
    const args = ["hook", "claude-code", "--endpoint", this.#endpoint, "--token-file", path.resolve(this.#tokenFile), "--timeout", `${timeoutSeconds}s`];
    if (daemonUID !== undefined) args.push("--daemon-uid", String(daemonUID));
    const before = [{ timeout: timeoutSeconds, onFailure: "block", hooks: [(input, _id, { signal } = {}) => hook(binary, args, input, signal)] }];
    const after = [{ timeout: timeoutSeconds, hooks: [(input, _id, { signal } = {}) => hook(binary, args, input, signal, true)] }];
    return { PreToolUse: before, PermissionRequest: before, PostToolUse: after, PostToolUseFailure: after };
  }
}

function readToken(file) {
  let text;
  try {
    const info = statSync(file);
    if (!info.isFile() || info.size > 4096) throw new Error("not a small regular file");
    if (process.platform !== "win32" && (info.mode & 0o022) !== 0) throw new Error("other accounts can write it: chmod go-w");
    text = readFileSync(file, "utf8").trim();
  } catch (err) {
    throw new CallgateError(`token ${file}: ${err.message}. Start the daemon once: callgate serve`, { code: "no_daemon", cause: err });
  }
  return text;
}

/** Reads a check's stream: only one with its one result as the last line, and with its MAC, gives it. */
async function result(response, proven, onProgress) {
  let rest = Buffer.alloc(0);
  let found;
  for await (const part of response) {
    rest = Buffer.concat([rest, part]);
    if (rest.length > maxLine) throw new CallgateError("the daemon's answer is too long");
    for (let at; (at = rest.indexOf(0x0a)) >= 0; rest = rest.subarray(at + 1)) {
      if (found) throw new CallgateError("the daemon's answer does not end with its result");
      found = line(rest.subarray(0, at).toString("utf8"), proven, onProgress);
    }
  }
  if (!found || rest.length > 0 || !response.complete) throw new CallgateError("the daemon's answer ended before its result", { code: "lost" });
  return found;
}

function line(text, proven, onProgress) {
  const last = /^(\{"(result|problem)":.*),"mac":"([0-9a-f]{64})"\}$/s.exec(text);
  if (!last) {
    const got = JSON.parse(text);
    if (Object.keys(got).join() !== "progress") throw new CallgateError("the daemon sent a line that is neither progress nor result");
    onProgress(got.progress);
    return undefined;
  }
  const signed = `${last[1]}}`;
  proven(200, signed, last[3]);
  const got = JSON.parse(signed);
  if (last[2] === "problem") throw problem(got.problem, 200);
  return got.result;
}

/** Refuses an allow without the signs of the gate's: audited, of a named stage, with a matching outcome. */
function sound(res) {
  const d = res?.decision;
  if (!["allow", "deny", "ask"].includes(d?.behavior)) throw new CallgateError("the daemon's answer has no decision");
  const good = ["allow", "ask_approved"].includes(res.outcome) && res.audit_seq > 0 && d.stage && /^\S{64}$/.test(res.digest ?? "");
  if (d.behavior === "allow" && !good) throw new CallgateError("the daemon's answer says allow but is incomplete, so it is ignored");
  return res;
}

/** Runs callgate for one event. Anything but one JSON document and exit code 0 throws, and with onFailure "block" a throw blocks. */
function hook(binary, args, input, signal, report = false) {
  return new Promise((resolve, reject) => {
    const child = spawn(binary, args, { signal, stdio: ["pipe", "pipe", "pipe"] });
    const out = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"]) {
      child[name].setEncoding("utf8");
      child[name].on("data", (text) => {
        if (out[name].length < 1 << 20) out[name] += text;
      });
    }
    child.stdin.on("error", () => {}); // the end of the program says more
    child.on("error", (err) => reject(new CallgateError(`callgate hook: ${err.message}`, { cause: err })));
    child.on("close", (code) => {
      try {
        const denial = code === 2 ? denied(out.stdout) : undefined;
        if (denial) return resolve(denial);
        if (code !== 0) throw new CallgateError(out.stderr.trim() || `callgate hook ended with ${code}`);
        if (report && out.stdout.trim() === "") return resolve({});
        const answer = JSON.parse(out.stdout);
        if (typeof answer !== "object" || answer === null || Array.isArray(answer)) throw new CallgateError("callgate hook: no JSON object");
        resolve(answer);
      } catch (err) {
        reject(err instanceof CallgateError ? err : new CallgateError(`callgate hook: ${err.message}`, { cause: err }));
      }
    });
    child.stdin.end(JSON.stringify(input));
  });
}

/** The client's own form of a denial, which the program writes besides code 2; undefined for anything else. */
function denied(text) {
  try {
    const answer = JSON.parse(text);
    return answer.hookSpecificOutput.permissionDecision === "deny" ? answer : undefined;
  } catch {
    return undefined;
  }
}
