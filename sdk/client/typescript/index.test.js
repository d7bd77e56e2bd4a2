// Run by TestTypeScript of host/client, with a daemon that allows Deploy, denies Destroy, and asks
// about the rest for a second.
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { Callgate, CallgateError } from "./index.js";

const endpoint = process.env.CALLGATE_ENDPOINT;
const tokenFile = process.env.CALLGATE_TOKEN_FILE;
const gate = () => new Callgate({ endpoint, tokenFile });
const call = (tool, id = tool) => ({ tool, input: { n: 1 }, call_id: id, reports: true, context: { session: "s" } });

test("an allowed call, and its report", async () => {
  const res = await gate().check(call("Deploy"));
  assert.equal(res.decision.behavior, "allow");
  assert.deepEqual(await gate().finished({ call_id: "Deploy", tool: "Deploy", input: { n: 1 }, context: { session: "s" } }), { match: true });
});

test("a denied call, and one that no person answers", async () => {
  assert.equal((await gate().check(call("Destroy"))).decision.behavior, "deny");
  const states = [];
  const res = await gate().check(call("Other"), { timeoutSeconds: 0.2, onProgress: (p) => states.push(p.state) });
  assert.notEqual(res.decision.behavior, "allow");
  assert.equal((await gate().evaluate(call("Other"))).decision.behavior, "ask");
});

test("canUseTool", async () => {
  const can = gate().canUseTool({ session: "c" });
  const options = { signal: new AbortController().signal, toolUseID: "u1" };
  assert.deepEqual(await can("Deploy", { n: 1 }, options), { behavior: "allow", updatedInput: { n: 1 } });
  const denied = await can("Destroy", {}, { ...options, toolUseID: "u2" });
  assert.equal(denied.behavior, "deny");
  assert.match(denied.message, /Destroy/);
});

test("the tools worth showing", async () => {
  const { tools } = await gate().offer({ tools: ["Deploy", "Destroy"] });
  assert.ok(tools.some((t) => t.name === "Deploy") && !tools.some((t) => t.name === "Destroy"));
});

test("a cancelled check throws", async () => {
  await assert.rejects(gate().check(call("Other", "x"), { signal: AbortSignal.abort() }), (err) => err instanceof CallgateError && err.code === "cancelled");
});

test("a refused request names its member", async () => {
  await assert.rejects(gate().check({ tool: "Deploy", input: {}, unknown: 1 }), (err) => err instanceof CallgateError && err.code === "unknown_field");
});

const dir = mkdtempSync(path.join(os.tmpdir(), "cg"));

test("no daemon denies", async () => {
  const p = await new Callgate({ endpoint: path.join(dir, "none.sock"), tokenFile }).permission(call("Deploy"));
  assert.equal(p.allowed, false);
  assert.match(p.message, /callgate serve/);
  assert.throws(() => new Callgate({ endpoint, tokenFile: path.join(dir, "none") }), CallgateError);
});

test("another program on the socket never gets the token", async () => {
  let heard = "";
  const impostor = net.createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (data) => {
      heard += data;
      const body = '{"proof":"0000"}';
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    });
  });
  const at = path.join(dir, "impostor.sock");
  await new Promise((resolve) => impostor.listen(at, resolve));
  const p = await new Callgate({ endpoint: at, tokenFile }).permission(call("Deploy"));
  impostor.close();
  assert.equal(p.allowed, false);
  assert.match(heard, /^GET \/v1\/health/);
  assert.ok(!heard.includes("Authorization"));
});

test("an answer that was changed on its way is no answer", async () => {
  // It passes everything to the daemon. Its own path differs, so the proof fails already.
  const middle = net.createServer((socket) => {
    const up = net.connect(endpoint);
    for (const s of [socket, up]) s.on("error", () => {});
    socket.pipe(up).pipe(socket);
  });
  const at = path.join(dir, "middle.sock");
  await new Promise((resolve) => middle.listen(at, resolve));
  const p = await new Callgate({ endpoint: at, tokenFile }).permission(call("Deploy"));
  middle.close();
  assert.equal(p.allowed, false);
});

test("hooks: everything but one document with code 0 throws", async () => {
  const program = (name, text) => {
    const file = path.join(dir, name);
    writeFileSync(file, `#!/bin/sh\ncat >/dev/null\n${text}\n`);
    chmodSync(file, 0o755);
    return file;
  };
  const run = (binary) => gate().hooks({ binary }).PreToolUse[0].hooks[0]({ hook_event_name: "PreToolUse" }, "t", { signal: new AbortController().signal });
  assert.deepEqual(await run(program("good", `echo '{"a":1}'`)), { a: 1 });
  const denial = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "why" } };
  assert.deepEqual(await run(program("deny", `echo '${JSON.stringify(denial)}'; echo why >&2; exit 2`)), denial);
  for (const [name, text] of Object.entries({ silent: "exit 0", crash: "kill -9 $$", code: `echo '{}'; exit 1`, denied: `echo '{}'; echo why >&2; exit 2`, garbage: "echo hello", two: `echo '{}'; echo '{}'` })) {
    await assert.rejects(run(program(name, text)), CallgateError, name);
  }
  await assert.rejects(run(path.join(dir, "missing")), CallgateError);
  assert.equal(gate().hooks({ binary: "/x" }).PreToolUse[0].onFailure, "block");
  assert.throws(() => gate().hooks({ binary: "callgate" }), CallgateError);
});
