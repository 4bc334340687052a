import { randomUUID } from "node:crypto";
import { ProblemError, UnreachableError, UnreadableError, WaitTimeout, type Problem, type Violation } from "./errors.js";

/** Any value that JSON can have. Numbers are those of JavaScript: of integers above 2^53, digits are lost. */
export type Json = string | number | boolean | null | Json[] | { [member: string]: Json };

/** A task as the interface describes it; the OpenAPI document has all members. */
export interface Task {
  task_uuid: string;
  state: string;
  namespace: string;
  name: string;
  version: string;
  [member: string]: any;
}

/** A step of a task with its result or error. */
export interface Step {
  step_uuid: string;
  name: string;
  state: string;
  attempts: number;
  [member: string]: any;
}

/** A task that the server has committed, or the earlier one that the request duplicates. */
export interface SubmittedTask {
  task_uuid: string;
  state: string;
  version: string;
  correlation_id: string;
  duplicate: boolean;
}

/** A request for a task: the template and its input. */
export interface TaskRequest {
  namespace: string;
  /** Of the template. */
  name: string;
  /** The task's input. */
  context: object;
  /** Of the template; the highest without it. */
  version?: string;
  /** −100 to 100; a point is worth a minute of waiting. */
  priority?: number;
  tags?: string[];
  initiator?: string;
  source_system?: string;
  reason?: string;
  requested_at?: string;
  correlation_id?: string;
  parent_correlation_id?: string;
  parent_task_uuid?: string;
  trace_parent?: string;
  /** Identifies the task, so that a second request with it is a duplicate. */
  idempotency_key?: string;
  on_duplicate?: "refuse" | "return";
}

/** What became of one of many requests: `status` 201 or 200 with the task, 409 with the earlier one, otherwise the problem. */
export interface Verdict {
  status: number;
  task_uuid?: string;
  state?: string;
  correlation_id?: string;
  version?: string;
  code?: string;
  detail?: string;
  violations?: Violation[];
}

/** `next` is the cursor of the next page, or null. */
export interface TaskPage {
  tasks: Task[];
  next: string | null;
}

export interface Cancel {
  reason: string;
  requested_by?: string;
  policy?: "cancel_running" | "allow_finish";
  grace_seconds?: number;
  children?: "leave" | "cancel";
}

/** A parameter that is undefined or null is left out; a list is repeated. */
export type Query = Record<string, string | number | boolean | null | undefined | readonly (string | number)[]>;

/** Any request. */
export interface Request {
  query?: Query | undefined;
  /** Values that become JSON; text if `contentType` is given. */
  body?: unknown;
  contentType?: string;
  headers?: Record<string, string>;
  /** One of the caller's, so that a repetition by a later process takes effect once. */
  idempotencyKey?: string;
  /** Seconds that the request asks the server to wait. */
  patience?: number;
  /** For one answer, without `patience`; the client's by default. */
  timeoutSeconds?: number;
  retries?: number;
  /** Ends the request. */
  signal?: AbortSignal | undefined;
}

/** The answer to any request; `body` is a JSON value, or text if it is no JSON, or null. */
export interface Reply {
  status: number;
  headers: Headers;
  body: any;
}

/**
 * Where the server is, and who asks. Credentials that are not given come from the environment: `TASKER_KEY`, else `TASKER_TOKEN`,
 * else `TASKER_USER` and `TASKER_PASSWORD`.
 */
export interface ClientOptions {
  /** With its context root if it has one; `TASKER_URL`, or `http://localhost:8080`. */
  url?: string;
  /** An API key. */
  key?: string;
  /** A signed token (JWT), or a function that returns the present one. */
  token?: string | (() => string | Promise<string>);
  user?: string;
  password?: string;
  /** For one answer, without what the request asks the server to wait; 30. */
  timeoutSeconds?: number;
  /** How often a request is repeated at most; 4. */
  retries?: number;
}

const LOCAL = "http://localhost:8080";
const LONGEST_WAIT = 60;
const LONGEST_PAUSE = 30;
/** Milliseconds. A longer timer would ring at once. @internal */
export const LONGEST_TIMER = 2 ** 31 - 1;
const TERMINAL_OR_BLOCKED = new Set(["complete", "error", "cancelled", "resolved_manually", "blocked_by_failures"]);
/** Operations that accept no Idempotency-Key: see docs/rest.md, "Send a request again". */
const WITHOUT_KEY = /^\/v1\/(access\/|templates\/validate$|workers\/[^/]+\/(claims|results|checkpoints|heartbeat)$)/;
/** They can be repeated in another way, or change nothing. */
const REPEATABLE = /^\/v1\/(templates\/validate$|workers\/[^/]+\/(claims|results|checkpoints|heartbeat)$)/;
/** With these the request has not reached the server. */
const NEVER_SENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"]);

/**
 * Speaks to a Tasker EE server, or to several behind one address; one for a program is enough. Certificates are verified; further
 * ones come with `NODE_EXTRA_CA_CERTS`.
 *
 * **Errors.** A refusal is a {@link ProblemError}; no answer is an {@link UnreachableError}, and one that is no JSON an
 * {@link UnreadableError}.
 *
 * **Repetitions.** A request is repeated if the connection breaks, no answer comes in time, or the server is unavailable, but only if
 * that cannot take effect twice: if it reads, has an `Idempotency-Key` (the client makes one for every operation that accepts it), or
 * was never sent.
 */
export class Client {
  readonly url: string;
  readonly #authorization: () => string | undefined | Promise<string>;
  readonly #timeoutSeconds: number;
  readonly #retries: number;

  constructor(options: ClientOptions = {}) {
    this.url = checked(options.url ?? (process.env["TASKER_URL"] || LOCAL));
    this.#authorization = authorization(options);
    this.#timeoutSeconds = options.timeoutSeconds ?? 30;
    this.#retries = options.retries ?? 4;
  }

  /** Submits a task and returns when it is committed. @throws ProblemError `duplicate-task`, `unknown-template`, `invalid-context` … */
  async submit(request: TaskRequest): Promise<SubmittedTask> {
    return (await this.request("POST", "/v1/tasks", { body: request })).body;
  }

  /** Submits up to 1000 tasks. Each succeeds or fails on its own; the verdicts are in the same order. */
  async submitMany(requests: readonly TaskRequest[]): Promise<Verdict[]> {
    return (await this.request("POST", "/v1/tasks:batch", { body: requests })).body.verdicts;
  }

  /**
   * The task. With `wait` the server answers when it is terminal or blocked, or after so many seconds (at most 60).
   * @throws ProblemError `task-not-found`
   */
  async get(taskUuid: string, options: { wait?: number; signal?: AbortSignal } = {}): Promise<Task> {
    const wait = options.wait || undefined;
    return (await this.request("GET", `/v1/tasks/${encodeURIComponent(taskUuid)}`, { query: { wait }, patience: wait ?? 0, signal: options.signal })).body;
  }

  /**
   * Waits until the task is terminal or blocked, by long polls.
   * @throws WaitTimeout if it is neither when the time is over; 300 s without another
   */
  async wait(taskUuid: string, options: { timeoutSeconds?: number; signal?: AbortSignal } = {}): Promise<Task> {
    const seconds = options.timeoutSeconds ?? 300;
    const end = performance.now() + seconds * 1000;
    for (;;) {
      const left = Math.max(0, (end - performance.now()) / 1000);
      const wait = Math.min(LONGEST_WAIT, Math.ceil(left));
      const task = await this.get(taskUuid, options.signal ? { wait, signal: options.signal } : { wait });
      if (TERMINAL_OR_BLOCKED.has(task.state)) {
        return task;
      }
      if (left <= 0) {
        throw new WaitTimeout(task, seconds);
      }
    }
  }

  /** A page of tasks, newest first: with `limit`, `cursor`, and filters as `namespace`, `name`, `state`, `tag`, `attribute`. */
  async list(query: Query = {}): Promise<TaskPage> {
    return (await this.request("GET", "/v1/tasks", { query })).body;
  }

  /** All tasks that match, newest first; reads page by page. */
  async *tasks(filters: Query = {}): AsyncGenerator<Task, void, void> {
    for (let cursor: string | null = null, first = true; first || cursor !== null; first = false) {
      const page: TaskPage = await this.list({ limit: 100, ...filters, cursor });
      yield* page.tasks;
      cursor = page.next;
    }
  }

  /** The steps of a task with results and errors. */
  async steps(taskUuid: string): Promise<Step[]> {
    return (await this.request("GET", `/v1/tasks/${encodeURIComponent(taskUuid)}/workflow_steps`)).body.steps;
  }

  /**
   * The workers of a batch with results and errors, in the order of the batches; reads page by page.
   * @param batchStepUuid `step_uuid` of one of the task's `batches`
   * @param state only the workers in this state
   */
  async *batchWorkers(taskUuid: string, batchStepUuid: string, state?: string): AsyncGenerator<Step, void, void> {
    for (let cursor: string | null = null, first = true; first || cursor !== null; first = false) {
      const query: Query = { batch: batchStepUuid, limit: 100, cursor, state };
      const page: { steps: Step[]; next: string | null } = (await this.request("GET", `/v1/tasks/${encodeURIComponent(taskUuid)}/workflow_steps`, { query })).body;
      yield* page.steps;
      cursor = page.next;
    }
  }

  /** Asks for a cancel; a second request changes nothing. Returns the task as it is now, which may still run. */
  async cancel(taskUuid: string, cancel: Cancel): Promise<Task> {
    return (await this.request("DELETE", `/v1/tasks/${encodeURIComponent(taskUuid)}`, { query: { ...cancel } })).body;
  }

  /** Registers a template; the same again changes nothing. @throws ProblemError `invalid-template` with all violations, `template-exists` */
  async registerTemplate(yaml: string): Promise<{ registered: boolean; [member: string]: unknown }> {
    return (await this.request("POST", "/v1/templates", { body: yaml, contentType: "application/yaml" })).body;
  }

  /**
   * Sends any request of docs/rest.md.
   * @param path from `/v1` on; values in it are to be encoded
   * @throws ProblemError if the server refuses it
   * @throws UnreachableError if no answer comes
   * @throws UnreadableError if an answer comes that is no JSON
   */
  async request(method: string, path: string, request: Request = {}): Promise<Reply> {
    const retries = request.retries ?? this.#retries;
    const headers: Record<string, string> = { Accept: "application/json, */*;q=0.5", "User-Agent": "tasker-ee-typescript" };
    if (request.body !== undefined) {
      headers["Content-Type"] = request.contentType ?? "application/json";
    }
    if (request.idempotencyKey) {
      headers["Idempotency-Key"] = request.idempotencyKey;
    } else if (method !== "GET" && !WITHOUT_KEY.test(path) && retries > 0) {
      headers["Idempotency-Key"] = randomUUID();
    }
    Object.assign(headers, request.headers);
    const body = request.body === undefined ? undefined : request.contentType ? String(request.body) : JSON.stringify(request.body);
    const isRepeatable = method === "GET" || "Idempotency-Key" in headers || REPEATABLE.test(path);
    for (let attempt = 0; ; attempt++) {
      let asked: number | undefined;
      try {
        return await this.#once(method, path + parameters(request.query), body, headers, request);
      } catch (error) {
        if (error instanceof ProblemError) {
          // A login that was refused too often is not tried again by itself.
          if (attempt >= retries || !isRepeatable || !error.isPassing || error.status === 429) {
            throw error;
          }
          asked = error.retryAfterSeconds;
        } else if (!(error instanceof UnreachableError) || attempt >= retries || (error.wasSent && !isRepeatable)) {
          throw error;
        }
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMillis(attempt, LONGEST_PAUSE, asked)));
    }
  }

  async #once(method: string, target: string, body: string | undefined, headers: Record<string, string>, request: Request): Promise<Reply> {
    request.signal?.throwIfAborted();
    const seconds = (request.timeoutSeconds ?? this.#timeoutSeconds) + (request.patience ?? 0);
    const ended = new AbortController();
    const end = () => ended.abort();
    request.signal?.addEventListener("abort", end, { once: true });
    const timer = setTimeout(end, Math.min(seconds * 1000, LONGEST_TIMER));
    try {
      const authorization = await this.#authorization();
      const answer = await fetch(this.url + target, {
        method, redirect: "manual", signal: ended.signal,
        headers: authorization ? { ...headers, Authorization: authorization } : headers,
        ...(body === undefined ? {} : { body }),
      });
      const text = await answer.text();
      if (!answer.ok) {
        throw problem(answer, text);
      }
      const isJson = (answer.headers.get("content-type") ?? "").includes("json");
      return { status: answer.status, headers: answer.headers, body: text === "" ? null : isJson ? this.#parsed(text) : text };
    } catch (error) {
      if (error instanceof ProblemError || error instanceof UnreadableError) {
        throw error;
      }
      request.signal?.throwIfAborted();
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      const code = (cause as { code?: string }).code ?? "";
      const why = ended.signal.aborted ? `no answer within ${seconds} s` : (cause instanceof Error && cause.message) || code || String(cause);
      throw new UnreachableError(`Cannot reach ${this.url}: ${why}`, !NEVER_SENT.has(code), { cause: error });
    } finally {
      clearTimeout(timer);
      request.signal?.removeEventListener("abort", end);
    }
  }

  #parsed(text: string): any {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new UnreadableError(`the answer of ${this.url} cannot be read: ${error instanceof Error ? error.message : String(error)}`, text, { cause: error });
    }
  }
}

/** How long to wait after the given failed attempt, counted from 0: doubling, with full jitter, never less than asked for. */
export function pauseMillis(attempt: number, longestSeconds: number, askedSeconds?: number): number {
  const own = 0.05 + Math.random() * (Math.min(longestSeconds, 0.2 * 2 ** Math.min(attempt, 10)) - 0.05);
  return 1000 * Math.max(own, Math.min(askedSeconds ?? 0, longestSeconds));
}

function checked(text: string): string {
  const complaint = "is not an address of the form https://host:port, without user, query and fragment";
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new TypeError(`"${text}" ${complaint}`);
  }
  if (!["http:", "https:"].includes(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new TypeError(`"${url.password || url.username ? "…" : text}" ${complaint}`);
  }
  return text.replace(/\/+$/, "");
}

function authorization(options: ClientOptions): () => string | undefined | Promise<string> {
  const isGiven = options.key || options.token || options.user;
  const key = isGiven ? options.key : process.env["TASKER_KEY"];
  const token = isGiven ? options.token : process.env["TASKER_TOKEN"];
  const user = isGiven ? options.user : process.env["TASKER_USER"];
  const password = options.password ?? (isGiven ? undefined : process.env["TASKER_PASSWORD"]);
  if (key) {
    return () => `Bearer ${key}`;
  }
  if (token) {
    return typeof token === "function" ? async () => `Bearer ${await token()}` : () => `Bearer ${token}`;
  }
  if (user) {
    if (password === undefined) {
      throw new TypeError("there is a user and no password");
    }
    const header = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
    return () => header;
  }
  return () => undefined;
}

function parameters(query: Query | undefined): string {
  const found = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== null && each !== undefined) {
        found.append(name, String(each));
      }
    }
  }
  const text = found.toString();
  return text ? `?${text}` : "";
}

function problem(answer: Response, text: string): ProblemError {
  const after = answer.headers.get("retry-after") ?? "";
  let document: Problem | undefined;
  if ((answer.headers.get("content-type") ?? "").includes("json")) {
    try {
      const read: unknown = JSON.parse(text);
      if (typeof read === "object" && read !== null && "code" in read) {
        document = read as Problem;
      }
    } catch {
      // As any other body that is no problem document.
    }
  }
  const detail = Math.floor(answer.status / 100) === 3 ? `the address redirects to ${answer.headers.get("location")}; use that one`
    : "the answer does not come from a Tasker EE server, or not in its form";
  return new ProblemError(answer.status, document ?? { title: `HTTP status ${answer.status}`, status: answer.status, code: "refused", detail },
    /^\d{1,6}$/.test(after) ? Number(after) : undefined);
}
