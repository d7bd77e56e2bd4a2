// Callgate's plugin for opencode, written by "callgate hook opencode --install"; --uninstall removes it.
import { spawn } from "node:child_process"

const command = []
const patience = 0

// judge resolves when Callgate allows a call; every other end rejects, and opencode does not run the call.
function judge(call) {
  return new Promise((resolve, reject) => {
    const out = [], err = []
    const deny = (why) => reject(new Error(Buffer.concat(err).toString().trim() || "Denied: Callgate could not check this call: " + why + '. Do not retry. Ask the user to run "callgate doctor".'))
    const child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "pipe"] })
    const timer = setTimeout(() => { child.kill("SIGKILL"); deny("no answer in time") }, patience)
    child.on("error", (e) => { clearTimeout(timer); deny(e.message) })
    child.stdout.on("data", (d) => out.push(d))
    child.stderr.on("data", (d) => err.push(d))
    child.stdin.on("error", () => {}) // its end says more
    child.on("close", (code) => {
      clearTimeout(timer)
      if (code === 0 && Buffer.concat(out).toString() === '{"decision":"allow"}') resolve()
      else deny("its hook ended with code " + code)
    })
    child.stdin.end(JSON.stringify(call))
  })
}

// freeze makes the arguments those that were judged: a plugin that changes them afterwards throws.
function freeze(value) {
  if (value !== null && typeof value === "object" && !Object.isFrozen(value)) {
    Object.freeze(value)
    Object.values(value).forEach(freeze)
  }
}

export const Callgate = async ({ client, directory }) => {
  const allowed = new Set()
  const name = (session, call) => JSON.stringify([session, call])
  return {
    "tool.execute.before": async (input, output) => {
      freeze(output.args)
      Object.freeze(output)
      const mcp = await client.config.get().then((r) => r.data?.mcp ?? {}, () => null)
      await judge({ hook_event_name: "tool.execute.before", session_id: input.sessionID, call_id: input.callID, cwd: directory, tool_name: input.tool, tool_input: output.args, mcp })
      allowed.add(name(input.sessionID, input.callID))
    },
    "tool.execute.after": async (input) => {
      allowed.delete(name(input.sessionID, input.callID))
    },
    // With "permission": {"*": "ask"} opencode itself asks before each call, so that nothing runs without this
    // plugin. It answers for the calls that Callgate has allowed, and for no others.
    event: async ({ event }) => {
      const ask = event.properties
      if (event.type === "permission.asked" && ask.tool && allowed.has(name(ask.sessionID, ask.tool.callID)))
        await client.postSessionIdPermissionsPermissionId({ path: { id: ask.sessionID, permissionID: ask.id }, body: { response: "once" } })
    },
  }
}
