/**
 * `cancel`: the task is being cancelled. `timeout`: the template's `timeout_seconds` are over. `lost`: the step is not this worker's
 * any more, or its lease has run out because no server answers. `shutdown`: the worker ends and the time to drain is over.
 */
export type StopReason = "cancel" | "timeout" | "lost" | "shutdown";

type Members = Record<string, any>;

/** Ten years: the longest time that a step waits for a retry, or after a yield. */
const LONGEST_DELAY = 315_360_000;

/** What a step asks the servers for while its handler runs. */
export interface StepCalls {
  /** Rejects if the checkpoint was not saved. */
  save(step: StepContext, checkpoint: unknown): Promise<void>;
  /** The results of ancestors by name. */
  results(step: StepContext, names: readonly string[]): Promise<Record<string, any>>;
  /** A page of the results of a batch; the cursor is undefined for the first. */
  batchResults(step: StepContext, name: string, cursor: string | undefined): Promise<{ results: BatchResult[]; next: string | null }>;
}

/** What became of one batch; neither result nor error if an operator resolved it. */
export interface BatchResult {
  readonly batch_number: number;
  readonly batch_id: string;
  readonly result?: any;
  readonly error?: { readonly type: string; readonly message: string };
}

/** A step that a handler is to run. */
export class StepContext {
  readonly taskUuid: string;
  readonly stepUuid: string;
  /** Names the claim. A later handoff of the same step makes results of this one stale. */
  readonly handoff: number;
  /** Counted from 1. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /**
   * For other systems, so that they do once what all attempts ask for, such as a payment. It changes only when an operator wants the effect
   * again.
   */
  readonly idempotencyToken: string;
  /** The step's name in the task. */
  readonly name: string;
  /** The template's `handler.callable`, `method` and `resolver`. */
  readonly handler: string;
  readonly method: string;
  readonly resolver: string | null;
  /** The template's configuration of the handler. */
  readonly initialization: Members;
  readonly timeoutSeconds: number | null;
  readonly namespace: string;
  readonly template: string;
  readonly version: string;
  readonly correlationId: string;
  readonly parentCorrelationId: string | null;
  /** The W3C `traceparent` of the task's request, to be passed on. */
  readonly traceParent: string | null;
  /** The task's input. */
  readonly context: Members;
  /** What an operator gave the step; for a worker of a batch `batch_id`, `batch_number`, `batch_count` and its cursor or items. */
  readonly inputs: Members;
  /** The results of the direct parents, by the step's name. {@link result} has those of farther ancestors as well. */
  readonly results: Members;
  readonly #stop = new AbortController();
  #reason: StopReason | undefined;
  #checkpoint: unknown;
  readonly #calls: StepCalls | undefined;
  readonly #ancestors = new Map<string, Promise<any>>();

  /**
   * @param claimed a step as the protocol has it
   * @param calls in a test of a handler there need be none
   */
  constructor(claimed: Members, calls?: StepCalls) {
    this.taskUuid = claimed["task_uuid"];
    this.stepUuid = claimed["step_uuid"];
    this.handoff = claimed["handoff"];
    this.attempt = claimed["attempt"];
    this.maxAttempts = claimed["max_attempts"];
    this.idempotencyToken = claimed["idempotency_token"];
    this.name = claimed["name"];
    this.handler = claimed["handler"];
    this.method = claimed["method"];
    this.resolver = claimed["resolver"];
    this.initialization = claimed["initialization"];
    this.timeoutSeconds = claimed["timeout_seconds"];
    this.namespace = claimed["namespace"];
    this.template = claimed["template"];
    this.version = claimed["version"];
    this.correlationId = claimed["correlation_id"];
    this.parentCorrelationId = claimed["parent_correlation_id"];
    this.traceParent = claimed["trace_parent"];
    this.context = claimed["context"];
    this.inputs = claimed["inputs"];
    this.results = claimed["results"];
    this.#checkpoint = claimed["checkpoint"];
    this.#calls = calls;
    if (claimed["cancel_requested"]) {
      this.requestStop("cancel");
    }
  }

  /** Another one for each attempt, and the same over its yields: for effects that each attempt must have anew. */
  get attemptToken(): string {
    return `${this.stepUuid}:${this.attempt}`;
  }

  /** Of a worker of a batch: what {@link Outcome.batches} was given for it. Undefined if its batch was cut by a path. */
  get cursor(): any {
    return this.inputs["cursor"];
  }

  /** Of a worker of a batch that was cut by a path: its items. */
  get items(): any[] | undefined {
    return this.inputs["items"];
  }

  /** The latest that was saved, by this attempt or an earlier one, or null. */
  get checkpoint(): any {
    return this.#checkpoint;
  }

  /**
   * The result of an ancestor; undefined if the step has no such ancestor, or the ancestor no result. Results of direct parents came with
   * the step, those of others are fetched when they are first read.
   * @throws StepCancelled if the handler is told to stop while it waits for a server
   */
  async result(name: string): Promise<any> {
    if (Object.hasOwn(this.results, name)) {
      return this.results[name];
    }
    let found = this.#ancestors.get(name);
    if (found === undefined && this.#calls !== undefined) {
      found = this.#calls.results(this, [name]).then((results) => (Object.hasOwn(results, name) ? results[name] : undefined));
      this.#ancestors.set(name, found);
      found.catch(() => this.#ancestors.delete(name));
    }
    return found;
  }

  /**
   * What became of each batch of an ancestor, in their order. Read page by page as the iteration goes on, so that a batch of 100 000 needs
   * no more memory than one of 100.
   * @param name of the batch step, an ancestor of this one
   * @throws StepCancelled if the handler is told to stop while it waits for a server
   * @throws ProblemError `invalid-request`, if the step has no such ancestor
   */
  async *batchResults(name: string): AsyncGenerator<BatchResult, void, void> {
    let cursor: string | undefined;
    while (this.#calls !== undefined) {
      const page = await this.#calls.batchResults(this, name, cursor);
      yield* page.results;
      if (page.next === null) {
        return;
      }
      cursor = page.next;
    }
  }

  /**
   * Saves how far the handler is, for a later attempt; the handler goes on. Waits for a server that is away. Also renews the lease, and
   * notices a cancel at once. Once a second is plenty: each call is a request and rewrites the whole checkpoint.
   * @param checkpoint any JSON but null, of at most 64 KiB
   * @throws StepCancelled if the step is not this worker's any more, or the handler is told to stop while it waits
   * @throws PermanentError `checkpoint_not_storable`, if it is too long or no JSON
   */
  async saveCheckpoint(checkpoint: unknown): Promise<void> {
    await this.#calls?.save(this, checkpoint);
    this.#checkpoint = checkpoint;
  }

  get isRetry(): boolean {
    return this.attempt > 1;
  }

  get isLastAttempt(): boolean {
    return this.attempt >= this.maxAttempts;
  }

  /** Aborted when the handler is to stop, for any {@link stopReason}. Pass it to `fetch` and to everything that takes one. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Why to stop; undefined: go on. Only for `cancel` what the handler returns still counts. */
  get stopReason(): StopReason | undefined {
    return this.#reason;
  }

  /** Whether the task is being cancelled: stop, and throw {@link StepCancelled}. A handler that finishes instead keeps its result. */
  get cancelRequested(): boolean {
    return this.#reason === "cancel";
  }

  /** @internal */
  requestStop(reason: StopReason): void {
    if (this.#reason === undefined || this.#reason === "cancel") {
      this.#reason = reason;
    }
    this.#stop.abort(new StepCancelled(`stopped: ${reason}`));
  }

  toString(): string {
    return `${this.name} of ${this.namespace}/${this.template}, step ${this.stepUuid}, attempt ${this.attempt}`;
  }
}

interface FailureOptions {
  /** The error's type in the answers; the class's name without it. */
  type?: string;
  details?: object;
}

/** Thrown by a handler: a retry would not help. */
export class PermanentError extends Error {
  readonly type: string;
  readonly details: object | undefined;

  constructor(message: string, options: FailureOptions = {}) {
    super(message);
    this.name = new.target.name;
    this.type = options.type ?? new.target.name;
    this.details = options.details;
  }
}

/** Thrown by a handler: try again, after `retryAfterSeconds` or the template's backoff. Any other error is retried too. */
export class RetryableError extends Error {
  readonly type: string;
  readonly details: object | undefined;
  readonly retryAfterSeconds: number | undefined;

  /** @throws RangeError if `retryAfterSeconds` is no time from 0 to ten years */
  constructor(message: string, options: FailureOptions & { retryAfterSeconds?: number } = {}) {
    super(message);
    this.name = new.target.name;
    this.type = options.type ?? new.target.name;
    this.details = options.details;
    if (options.retryAfterSeconds !== undefined) {
      milliseconds("retryAfterSeconds", options.retryAfterSeconds);
    }
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** Thrown by a handler that has stopped because it was asked to. */
export class StepCancelled extends Error {
  /** @param result what it has done so far */
  constructor(message = "stopped because of a cancel request", readonly result?: unknown) {
    super(message);
    this.name = "StepCancelled";
  }
}

/** What became of a step. A handler that returns anything else has succeeded with that as its result. */
export class Outcome {
  private constructor(readonly kind: "success" | "retryable_failure" | "permanent_failure" | "cancelled" | "yielded", private readonly members: Members) {}

  /** The step is complete, if the result fits the template's `result_schema`. Without a result it is `{}`. */
  static success(result?: unknown): Outcome {
    return new Outcome("success", { result: result ?? {} });
  }

  /** For a decision, and only for that: the names of the steps to create, empty for none. */
  static decide(steps: readonly string[], result?: unknown): Outcome {
    return new Outcome("success", { result: result ?? {}, decision: steps });
  }

  /** For a batchable step, and only for that: a cursor for each worker to create, empty for none. A cursor is any JSON of at most 16 KiB. */
  static batches(cursors: readonly unknown[], result?: unknown): Outcome {
    return new Outcome("success", { result: result ?? {}, batches: cursors });
  }

  /**
   * The step is tried again while attempts are left: after the template's backoff, or after `retryAfterSeconds`.
   * @throws RangeError if that is no time from 0 to ten years
   */
  static retryable(type: string, message: string, options: { details?: object | undefined; retryAfterSeconds?: number | undefined } = {}): Outcome {
    const after = options.retryAfterSeconds;
    return new Outcome("retryable_failure",
      { error: errorOf(type, message, options.details), retry_after_ms: after === undefined ? undefined : milliseconds("retryAfterSeconds", after) });
  }

  /** The step has failed and is not tried again. */
  static permanent(type: string, message: string, details?: object): Outcome {
    return new Outcome("permanent_failure", { error: errorOf(type, message, details) });
  }

  /** Stopped because of a cancel request, with a partial result if there is one. */
  static cancelled(reason = "", result?: unknown): Outcome {
    return new Outcome("cancelled", { result, error: reason ? errorOf("Cancelled", reason) : undefined });
  }

  /**
   * The step is not done: it goes on from the checkpoint, at the earliest after that many seconds, on any worker. Uses no attempt. Without a
   * checkpoint it keeps the latest one. More than 64 KiB, or 20 in a row at once with the same one, fail the step.
   * @throws RangeError if `afterSeconds` is no time from 0 to ten years
   */
  static yielded(checkpoint?: unknown, afterSeconds = 0): Outcome {
    return new Outcome("yielded", { checkpoint, after_ms: milliseconds("afterSeconds", afterSeconds) });
  }

  /** The outcome of a handler that threw. @internal */
  static of(error: unknown, step: StepContext, permanent: readonly (new (...parameters: any[]) => Error)[]): Outcome {
    if (error instanceof PermanentError) {
      return Outcome.permanent(error.type, error.message, error.details);
    }
    if (error instanceof RetryableError) {
      try {
        return Outcome.retryable(error.type, error.message, error);
      } catch (wrong) {
        // Set after it was constructed.
        return Outcome.of(wrong, step, permanent);
      }
    }
    const isStopped = error instanceof StepCancelled || (error instanceof Error && error.name === "AbortError");
    if (isStopped && step.cancelRequested) {
      return Outcome.cancelled(error.message, error instanceof StepCancelled ? error.result : undefined);
    }
    if (error instanceof StepCancelled) {
      return Outcome.retryable("Stopped", error.message);
    }
    if (error instanceof Error && permanent.some((each) => error instanceof each)) {
      return Outcome.permanent(error.name, error.message);
    }
    return error instanceof Error ? Outcome.retryable(error.name || "Error", error.message) : Outcome.retryable("Error", String(error));
  }

  /** What remains of an outcome that cannot be sent: a failure keeps its kind and its message, without its details. @internal */
  unstorable(why: string): Outcome {
    const error = this.members["error"] as { type: string; message: string } | undefined;
    if (error === undefined || !["retryable_failure", "permanent_failure", "cancelled"].includes(this.kind)) {
      return Outcome.permanent("result_not_storable", why);
    }
    return new Outcome(this.kind, { ...this.members, result: undefined, error: errorOf(error.type, error.message, { omitted: cut(why, 1000) }) });
  }

  /** @throws TypeError if a value is not JSON @internal */
  toText(stepUuid: string, handoff: number, milliseconds: number): string {
    return toJson({ step_uuid: stepUuid, handoff, outcome: this.kind, execution_time_ms: milliseconds, ...this.members });
  }
}

/** @throws TypeError if a value is not JSON @internal */
export function toJson(document: unknown): string {
  return JSON.stringify(document, (member, value: unknown) => {
    if ((typeof value === "number" && !Number.isFinite(value)) || typeof value === "function" || typeof value === "symbol") {
      throw new TypeError(`${member} is ${String(value)}, which cannot be written as JSON`);
    }
    return value;
  });
}

function milliseconds(name: string, seconds: number): number {
  if (!(seconds >= 0 && seconds <= LONGEST_DELAY)) {
    throw new RangeError(`${name} must be from 0 to ${LONGEST_DELAY} seconds, which is ten years, not ${seconds}`);
  }
  return Math.round(seconds * 1000);
}

function errorOf(type: string, message: string, details?: object): Members {
  const kind = clean(type, 200) || "Error";
  return { type: kind, message: clean(message, 4000) || kind, details };
}

/** Without what PostgreSQL does not store: a failure is not to fail for its message. Empty if nothing is left. */
function clean(text: string, most: number): string {
  const stored = cut(String(text ?? ""), most).replaceAll("\0", " ").replace(/\p{Surrogate}/gu, "?");
  return stored.trim() === "" ? "" : stored;
}

/** At most so many units of UTF-16, and no pair of surrogates cut in two. @internal */
export function cut(text: string, most: number): string {
  return text.slice(0, most).replace(text.length > most ? /[\ud800-\udbff]$/ : /$^/, "");
}
