/**
 * `cancel`: the task is being cancelled. `timeout`: the template's `timeout_seconds` are over. `lost`: the step is not this worker's
 * any more, or its lease has run out because no server answers. `shutdown`: the worker ends and the time to drain is over.
 */
export type StopReason = "cancel" | "timeout" | "lost" | "shutdown";

type Members = Record<string, any>;

/** A step that a handler is to run. */
export class StepContext {
  readonly taskUuid: string;
  /** Use it for effects outside that must happen once per step, whatever the attempt. */
  readonly stepUuid: string;
  /** Names the claim. A later handoff of the same step makes results of this one stale. */
  readonly handoff: number;
  /** Counted from 1. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Of this attempt, for other systems. */
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
  /** What an operator gave the step, otherwise empty. */
  readonly inputs: Members;
  /** The results of the direct parents, by the step's name. */
  readonly results: Members;
  /** What an earlier attempt saved, or null. */
  readonly checkpoint: unknown;
  readonly #stop = new AbortController();
  #reason: StopReason | undefined;

  /** @internal */
  constructor(claimed: Members) {
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
    this.checkpoint = claimed["checkpoint"];
    if (claimed["cancel_requested"]) {
      this.requestStop("cancel");
    }
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

  constructor(message: string, options: FailureOptions & { retryAfterSeconds?: number } = {}) {
    super(message);
    this.name = new.target.name;
    this.type = options.type ?? new.target.name;
    this.details = options.details;
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

  /** The step is tried again while attempts are left: after the template's backoff, or after `retryAfterSeconds`. */
  static retryable(type: string, message: string, options: { details?: object | undefined; retryAfterSeconds?: number | undefined } = {}): Outcome {
    const after = options.retryAfterSeconds;
    return new Outcome("retryable_failure",
      { error: errorOf(type, message, options.details), retry_after_ms: after === undefined ? undefined : Math.max(0, Math.round(after * 1000)) });
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
   */
  static yielded(checkpoint?: unknown, afterSeconds = 0): Outcome {
    return new Outcome("yielded", { checkpoint, after_ms: Math.max(0, Math.round(afterSeconds * 1000)) });
  }

  /** The outcome of a handler that threw. @internal */
  static of(error: unknown, step: StepContext): Outcome {
    if (error instanceof PermanentError) {
      return Outcome.permanent(error.type, error.message, error.details);
    }
    if (error instanceof RetryableError) {
      return Outcome.retryable(error.type, error.message, error);
    }
    const isStopped = error instanceof StepCancelled || (error instanceof Error && error.name === "AbortError");
    if (isStopped && step.cancelRequested) {
      return Outcome.cancelled(error.message, error instanceof StepCancelled ? error.result : undefined);
    }
    if (error instanceof StepCancelled) {
      return Outcome.retryable("Stopped", error.message);
    }
    return error instanceof Error ? Outcome.retryable(error.name || "Error", error.message) : Outcome.retryable("Error", String(error));
  }

  /** @throws TypeError if a value is not JSON @internal */
  toText(stepUuid: string, handoff: number, milliseconds: number): string {
    return JSON.stringify({ step_uuid: stepUuid, handoff, outcome: this.kind, execution_time_ms: milliseconds, ...this.members },
      (member, value: unknown) => {
        if ((typeof value === "number" && !Number.isFinite(value)) || typeof value === "function" || typeof value === "symbol") {
          throw new TypeError(`${member} is ${String(value)}, which cannot be written as JSON`);
        }
        return value;
      });
  }
}

function errorOf(type: string, message: string, details?: object): Members {
  return { type: (type || "Error").slice(0, 200), message: (message || type || "Error").slice(0, 4000), details };
}
