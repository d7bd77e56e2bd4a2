export type Behavior = "allow" | "deny" | "ask";

/** A call as POST /v1/check takes it; docs/reference/api.md of Callgate has every member. */
export interface Call {
  tool: string;
  input: Record<string, unknown>;
  /** Your id of the call. An approval belongs to it. */
  call_id?: string;
  context?: CallContext;
  /** You report the end of the call with finished. */
  reports?: boolean;
  /** You run a changed input in place of yours. */
  takes_input?: boolean;
}

/** What a call says of itself; it may narrow the decision and never widen it. */
export interface CallContext {
  session?: string;
  cwd?: string;
  mode?: string;
  user?: string;
  sub_agent?: string;
  kind?: "main" | "interactive_fork" | "background";
  [member: string]: unknown;
}

export interface Decision {
  behavior: Behavior;
  stage?: string;
  code?: string;
  reason?: string;
  /** For the model. */
  message?: string;
  offending?: string[];
  permitted?: string[];
  [member: string]: unknown;
}

export interface Result {
  decision: Decision;
  outcome: "allow" | "deny" | "ask_approved" | "ask_denied" | "ask_timeout" | "ask_cancelled" | "";
  ask_id?: string;
  decided_by?: string;
  action?: string;
  digest?: string;
  /** The input to run, if a person changed it. */
  input?: Record<string, unknown>;
  audit_seq?: number;
  [member: string]: unknown;
}

export interface Progress {
  state: string;
  ask_id?: string;
  position?: number;
  deadline?: string;
  reason?: string;
}

export interface Options {
  /** The daemon's socket, or its loopback address. Default: the account's own daemon. */
  endpoint?: string;
  tokenFile?: string;
  token?: string;
  /** The agent whose token is read without tokenFile and token. Default "default". */
  agent?: string;
}

export interface CheckOptions {
  signal?: AbortSignal;
  /** Shortens the wait for a person. */
  timeoutSeconds?: number;
  onProgress?(progress: Progress): void;
}

export type Permission = { allowed: true; input: Record<string, unknown> } | { allowed: false; message: string };

/** The answer of canUseTool in the Claude Agent SDK. */
export type PermissionResult =
  | { behavior: "allow"; updatedInput: Record<string, unknown> }
  | { behavior: "deny"; message: string };

/** A hook's callback in the Claude Agent SDK. */
export type HookCallback = (input: any, toolUseID: string | undefined, options: { signal: AbortSignal }) => Promise<Record<string, unknown>>;

export interface HookMatcher {
  timeout: number;
  onFailure?: "block";
  hooks: HookCallback[];
}

export declare class CallgateError extends Error {
  /** A stable word, such as "no_daemon", "lost", "cancelled", or one of the daemon's. */
  readonly code: string;
  readonly field: string;
  readonly status: number;
}

export declare class Callgate {
  constructor(options?: Options);
  check(call: Call, options?: CheckOptions): Promise<Result>;
  evaluate(call: Call, options?: { signal?: AbortSignal }): Promise<Result>;
  finished(report: { call_id: string; tool: string; input: Record<string, unknown>; context?: CallContext; failed?: boolean }, options?: { signal?: AbortSignal }): Promise<{ match: boolean; reason?: string }>;
  offer(request?: { context?: CallContext; tools?: string[]; all?: boolean }, options?: { signal?: AbortSignal }): Promise<{ tools: { name: string; offered: boolean; why?: string }[]; [member: string]: unknown }>;
  permission(call: Call, options?: CheckOptions): Promise<Permission>;
  canUseTool(context?: CallContext): (tool: string, input: Record<string, unknown>, options: { signal: AbortSignal; toolUseID: string; agentID?: string }) => Promise<PermissionResult>;
  hooks(options: { binary: string; timeoutSeconds?: number; daemonUID?: number }): Record<"PreToolUse" | "PermissionRequest" | "PostToolUse" | "PostToolUseFailure", HookMatcher[]>;
}
