// The connection to the daemon: it proves that it knows the token before it gets it, and each answer
// proves that it belongs to its request. host/internal/client/caller does the same in Go.
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { realpathSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import path from "node:path";

const proofPatience = 5_000;
const maxHead = 64 << 10;
const maxAnswer = 64 << 20;

/** An error of the daemon, or on the way to it. A call with an error must not run. */
export class CallgateError extends Error {
  constructor(message, { code = "", field = "", status = 0, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "CallgateError";
    this.code = code;
    this.field = field;
    this.status = status;
  }
}

/** Reads an endpoint: a socket's path, or a loopback address with its port. */
export function parseEndpoint(text) {
  const plain = text.replace(/^unix:/, "").replace(/^http:\/\//, "").replace(/\/$/, "");
  if (path.isAbsolute(plain)) return { path: plain, host: "callgate" };
  const found = /^(127\.0\.0\.1|localhost|\[::1\]):([0-9]{1,5})$/.exec(plain);
  if (!found) throw new CallgateError(`endpoint ${JSON.stringify(text)}: want the absolute path of a socket, or a loopback address with port`);
  const address = found[1] === "localhost" ? "127.0.0.1" : found[1].replace(/[[\]]/g, "");
  return { address, port: Number(found[2]), host: `${found[1] === "localhost" ? "127.0.0.1" : found[1]}:${found[2]}` };
}

const sha256 = (data) => createHash("sha256").update(data).digest();

function mac(key, parts) {
  const sum = createHmac("sha256", key);
  for (const part of parts) sum.update(part).update("\0");
  return sum.digest("hex");
}

function same(a, b) {
  const [x, y] = [Buffer.from(String(a)), Buffer.from(String(b))];
  return x.length === y.length && timingSafeEqual(x, y);
}

const nonce = () => randomBytes(20).toString("hex");

/** Opens a connection on which the daemon has proved itself. */
async function connect(at, token, signal) {
  const real = at.path && path.join(realpathSync(path.dirname(at.path)), path.basename(at.path));
  const socket = real ? net.connect({ path: real }) : net.connect({ host: at.address, port: at.port });
  try {
    await demandProof(socket, at, real, token, signal);
    return socket;
  } catch (err) {
    socket.destroy();
    throw err;
  }
}

const notOurs = "the process listening there is not the Callgate daemon (authentication failed)";

function demandProof(socket, at, real, token, signal) {
  return new Promise((resolve, reject) => {
    const key = sha256(token);
    const own = nonce();
    let got = Buffer.alloc(0);
    const end = (err) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", aborted);
      socket.removeAllListeners();
      if (err) reject(err instanceof CallgateError ? err : new CallgateError(`connect to the daemon: ${err.message}. Start it: callgate serve`, { code: "no_daemon", cause: err }));
      else resolve();
    };
    const aborted = () => end(new CallgateError("the check was cancelled", { code: "cancelled" }));
    const timer = setTimeout(() => end(new CallgateError(notOurs, { code: "not_ours" })), proofPatience);
    if (signal?.aborted) return aborted();
    signal?.addEventListener("abort", aborted);
    socket.on("error", end);
    socket.on("close", () => end(new CallgateError(notOurs, { code: "not_ours" })));
    socket.on("connect", () => {
      const id = sha256(Buffer.concat([Buffer.from("callgate key id\0"), key])).subarray(0, 8).toString("hex");
      socket.write(`GET /v1/health?key=${id}&nonce=${own} HTTP/1.1\r\nHost: ${at.host}\r\n\r\n`);
    });
    socket.on("data", (data) => {
      got = Buffer.concat([got, data]);
      const body = wholeBody(got);
      if (body === undefined && got.length <= maxHead) return;
      const address = real ?? (at.address.includes(":") ? `[${at.address}]:${at.port}` : `${at.address}:${at.port}`);
      const want = mac(key, ["callgate proof", own, real ? "unix" : "tcp", address]);
      let proof;
      try {
        proof = JSON.parse(body).proof;
      } catch {
        proof = "";
      }
      end(same(proof, want) ? undefined : new CallgateError(`${notOurs}; or the token was revoked (callgate tokens list)`, { code: "not_ours" }));
    });
  });
}

/** The body of a whole answer with status 200 and nothing behind it; undefined for half of one, "" for any other. */
function wholeBody(data) {
  const at = data.indexOf("\r\n\r\n");
  if (at < 0) return undefined;
  const head = data.subarray(0, at).toString("latin1");
  const length = /^content-length: *([0-9]+)$/im.exec(head);
  if (!head.startsWith("HTTP/1.1 200 ") || !length || /^connection:/im.test(head)) return "";
  const rest = data.subarray(at + 4);
  if (rest.length < Number(length[1])) return undefined;
  return rest.length === Number(length[1]) ? rest.toString("utf8") : "";
}

/**
 * Posts a request. It gives the response, and proven(status, text, mac), which throws on an answer of
 * anybody else.
 */
export async function post(at, token, target, body, accept, signal) {
  const socket = await connect(at, token, signal);
  const own = nonce();
  const key = sha256(token);
  const sums = { body: sha256(body).toString("hex"), none: sha256("").toString("hex") };
  const proven = (status, text, got) => {
    const want = mac(key, ["callgate answer", own, "POST", target, status >= 400 ? sums.none : sums.body, String(status), sha256(text).toString("hex")]);
    if (!same(got, want)) throw new CallgateError("the answer is not authenticated as the daemon's answer to this request", { code: "unproven" });
  };
  const response = await new Promise((resolve, reject) => {
    const request = http.request({
      createConnection: () => socket,
      method: "POST",
      path: target,
      signal,
      headers: { Host: at.host, Authorization: `Bearer ${token}`, "Content-Type": "application/json", Accept: accept, "Callgate-Nonce": own, "Content-Length": Buffer.byteLength(body), Connection: "close" },
    });
    request.on("response", resolve);
    request.on("error", (err) => reject(new CallgateError(`the connection to the daemon broke: ${err.message}`, { code: signal?.aborted ? "cancelled" : "lost", cause: err })));
    request.end(body);
  });
  return { response, proven, close: () => socket.destroy() };
}

/** Reads a whole body of bounded length. */
export async function whole(response) {
  const parts = [];
  let size = 0;
  for await (const part of response) {
    if ((size += part.length) > maxAnswer) throw new CallgateError("the daemon's answer is too long");
    parts.push(part);
  }
  if (!response.complete) throw new CallgateError("the daemon's answer ended before its result", { code: "lost" });
  return Buffer.concat(parts);
}

/** The error of a refusal. */
export async function refusal(response, proven) {
  const text = await whole(response);
  proven(response.statusCode, text, response.headers["callgate-mac"]);
  return problem(JSON.parse(text.toString("utf8")), response.statusCode);
}

export function problem(body, status) {
  const { code = "", message = `the daemon refused the request with status ${status}`, field = "" } = body?.error ?? {};
  return new CallgateError(field && !message.startsWith(field) ? `${field}: ${message}` : message, { code, field, status });
}
