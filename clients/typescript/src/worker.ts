import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { Client, LONGEST_TIMER, pauseMillis, type Request } from "./client.js";
import { ProblemError, TaskerError, UnreachableError, UnreadableError } from "./errors.js";
import { elementsOf, isBeyondNumbers, membersOf } from "./readable.js";
import { Outcome, PermanentError, StepCancelled, StepContext, cut, toJson, type StepCalls } from "./step.js";

/** What runs a step: returns its result, or an {@link Outcome}, or throws. */
export type Handler = (step: StepContext) => unknown;

/** Where messages go; `console` has this form. */
export interface Logger {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export interface WorkerOptions {
  /** For operators; host and process without it. */
  name?: string;
  /** Where it works; everywhere without them, which needs the permission everywhere. */
  namespaces?: string[];
  /** How many steps it runs at a time; 10. */
  capacity?: number;
  /** Address and credentials; made from the environment without it. The caller needs `steps:work`. */
  client?: Client;
  /** How often it renews its leases; after four missed heartbeats its steps are offered to others. 10. */
  heartbeatSeconds?: number;
  /** How long a request waits for steps on the server, at most 60; 30. */
  waitSeconds?: number;
  /** How long running steps may take when the worker is stopped; then they are asked to stop and given back as retryable failures. 30. */
  drainSeconds?: number;
  /** Errors after which a retry would not help: mistakes in the code of the handler. `[ReferenceError]`; with `[]` every error is retried. */
  permanent?: ErrorClass[];
  /** `console` without it. */
  log?: Logger;
}

/** A class of errors. */
export type ErrorClass = new (...parameters: any[]) => Error;

interface Key {
  step_uuid: string;
  handoff: number;
}

interface Unreported extends Key {
  claimed_ms_ago: number;
}

interface Verdict extends Key {
  verdict: "accepted" | "already" | "stale";
  error?: { type: string; message: string };
}

const CHECKPOINT_NOT_STORABLE = "checkpoint_not_storable";
const BEYOND_NUMBERS = "it has a number that is beyond the range of JavaScript";
/** In place of a step that cannot be read, beside its key. */
const COMPLAINT = "complaint";
const MOST_AT_ONCE = 100;
const LONGEST_BODY = 4 * 1024 * 1024;
const LONGEST_PAUSE = 15;
/** Milliseconds; only after a request that had several results. */
const GATHERING = 3;
/** One heartbeat that hangs must not keep back the next ones until the leases are over. */
const SHORTEST_PATIENCE = 5;
/** A name that is not there is not there in the next attempt either. A TypeError may be a fetch that failed, a SyntaxError a text that is no JSON. */
const MISTAKES: readonly ErrorClass[] = [ReferenceError];

function nameOf(key: Key): string {
  return `${key.step_uuid} ${key.handoff}`;
}

/** A step from its claim to the verdict of its result. Without `step`: a claim that never arrived, to be given back. */
class Run {
  readonly began = performance.now();
  hasReturned = false;
  /** Its outcome was decided, by the handler or by a time-out; what comes later is dropped. */
  isDecided = false;
  /** Nothing is to be submitted any more: there is a verdict, or the step was lost. */
  isOver = false;
  isRefused = false;
  /** What was decided. */
  outcome = Outcome.retryable("Unknown", "");
  timer: NodeJS.Timeout | undefined;

  constructor(readonly key: Key, readonly step?: StepContext) {}

  milliseconds(): number {
    return Math.round(performance.now() - this.began);
  }

  isTold(): boolean {
    return this.step === undefined || this.step.signal.aborted;
  }

  toString(): string {
    return this.step?.toString() ?? `step ${this.key.step_uuid}, handoff ${this.key.handoff}`;
  }
}

interface Settled {
  verdicts: Verdict[];
  steps: Record<string, any>[];
  state: string;
}

interface Submission {
  run: Run;
  text: string;
}

/**
 * Registers with its handlers, claims steps, runs them side by side and submits their results, until it is stopped.
 *
 * What a handler throws becomes a retryable failure with the error's name as its type, unless it is a `PermanentError`, a
 * `RetryableError`, `StepCancelled`, or a mistake in its code ({@link WorkerOptions.permanent}). A handler that is over its `timeout_seconds` is told so (`step.signal`) and its step is submitted
 * as `handler_timeout` at once; it occupies the worker until it returns.
 *
 * Heartbeats run on the same event loop: a handler that computes for long without an `await` belongs into a `worker_threads` thread.
 */
export class Worker {
  readonly name: string;
  readonly client: Client;
  readonly capacity: number;
  /** Chosen here, so that a registration whose answer was lost can be repeated. */
  readonly workerUuid = randomUUID();
  readonly #namespaces: string[] | undefined;
  readonly #waitSeconds: number;
  readonly #drainSeconds: number;
  readonly #permanent: readonly ErrorClass[];
  readonly #askedHeartbeatSeconds: number;
  readonly #log: Logger;
  readonly #path: string;
  readonly #handlers = new Map<string, Map<string | undefined, Handler>>();
  readonly #resolvers = new Map<string, Handler>();
  readonly #runs = new Map<string, Run>();
  #unsent: Submission[] = [];
  /** Slots: one is free again when the handler has returned and its result has a verdict. */
  #occupied = 0;
  #reserved = 0;
  /** Claims that are on the way, by the time of their first request: what they claimed is not to be given back. */
  readonly #asking = new Map<string, number>();
  #suspects = new Set<string>();
  #heartbeatSeconds: number;
  #leaseSeconds = 60;
  #renewed = 0;
  #registered = 0;
  #registering: Promise<boolean> | undefined;
  #isStarted = false;
  #isStopping = false;
  #hasEnded = false;
  #fault: unknown;
  #stopped: Promise<void> | undefined;
  /** What handlers ask for while they run. */
  readonly #calls: StepCalls = {
    save: (step, checkpoint) => this.#saveCheckpoint(step, checkpoint),
    results: async (step, names) =>
      (await this.#askForHandler(step, "GET", `${this.#path}/steps/${step.stepUuid}/results`, { query: { name: [...names] } })).results,
    batchResults: (step, name, cursor) =>
      this.#askForHandler(step, "GET", `${this.#path}/steps/${step.stepUuid}/batch-results`, { query: { name, limit: 1000, cursor } }),
  };
  readonly #ending = new AbortController();
  #waiters = new Set<() => void>();

  constructor(options: WorkerOptions = {}) {
    this.name = options.name ?? `${hostname()}-${process.pid}`;
    this.client = options.client ?? new Client();
    this.capacity = options.capacity ?? 10;
    this.#namespaces = options.namespaces;
    this.#waitSeconds = options.waitSeconds ?? 30;
    if (!(this.#waitSeconds >= 0 && this.#waitSeconds <= 60)) {
      throw new RangeError("waitSeconds must be from 0 to 60");
    }
    this.#drainSeconds = options.drainSeconds ?? 30;
    this.#permanent = options.permanent ?? MISTAKES;
    this.#heartbeatSeconds = this.#askedHeartbeatSeconds = options.heartbeatSeconds ?? 10;
    this.#log = options.log ?? console;
    this.#path = `/v1/workers/${this.workerUuid}`;
  }

  // ---- handlers

  /** The function runs the steps of `handler.callable`, of all methods or of the given one. @throws Error if there is one, or the worker has started */
  handler(callable: string, handler: Handler, method?: string): this {
    const methods = this.#handlers.get(callable) ?? new Map<string | undefined, Handler>();
    if (this.#isStarted) {
      throw this.#mistaken("the worker has registered: add handlers before it starts");
    }
    if (methods.has(method)) {
      throw this.#mistaken(`there are two handlers ${callable}${method === undefined ? "" : ` for method ${method}`}`);
    }
    this.#handlers.set(callable, methods.set(method, handler));
    return this;
  }

  /** The function runs all steps of `handler.resolver`, and finds the code for `step.handler` itself. */
  resolver(name: string, handler: Handler): this {
    if (this.#isStarted) {
      throw this.#mistaken("the worker has registered: add resolvers before it starts");
    }
    if (this.#resolvers.has(name)) {
      throw this.#mistaken(`there are two resolvers ${name}`);
    }
    this.#resolvers.set(name, handler);
    return this;
  }

  /** To be thrown; a line that is easier to find than the trace comes first. */
  #mistaken(message: string): Error {
    this.#log.error(message);
    return new Error(message);
  }

  #find(step: StepContext): Handler | undefined {
    if (step.resolver !== null) {
      return this.#resolvers.get(step.resolver);
    }
    const methods = this.#handlers.get(step.handler);
    return methods?.get(step.method) ?? methods?.get(undefined);
  }

  // ---- life

  /**
   * Works until SIGTERM or SIGINT, {@link stop}, or until an operator drains the worker; then it drains and returns. A second signal
   * ends the program at once.
   * @throws ProblemError if the registration is refused
   */
  async run(): Promise<void> {
    const signalled = () => {
      unlisten();
      this.#requestEnd();
    };
    const unlisten = () => {
      process.off("SIGTERM", signalled);
      process.off("SIGINT", signalled);
    };
    process.on("SIGTERM", signalled);
    process.on("SIGINT", signalled);
    try {
      await this.start();
      await this.#until(() => this.#isStopping);
      await this.stop();
    } finally {
      unlisten();
    }
    if (this.#fault !== undefined) {
      throw this.#fault;
    }
  }

  /**
   * Registers, and begins to work. Waits for a server that is away. A namespace need not exist yet: the worker gets its steps as soon
   * as its first template is registered.
   * @throws ProblemError if the registration is refused: no permission, wrong credentials
   */
  async start(): Promise<void> {
    if (this.#handlers.size === 0 && this.#resolvers.size === 0) {
      throw new Error("the worker has no handler");
    }
    if (this.#isStarted) {
      throw new Error("a worker starts once");
    }
    this.#isStarted = true;
    for (let attempt = 0; !(await this.#register()); attempt++) {
      if (this.#isStopping) {
        return;
      }
      await this.#sleep(pauseMillis(attempt, LONGEST_PAUSE));
    }
    for (const loop of [() => this.#claimLoop(), () => this.#submitLoop(), () => this.#heartbeatLoop()]) {
      loop().catch((error: unknown) => {
        // A bug, here: the worker must not look alive without one of its loops.
        this.#log.error(`the worker has failed: ${error instanceof Error ? error.stack : String(error)}`);
        this.#fault = error;
        this.#requestEnd();
      });
    }
  }

  /** Drains: claims nothing more, lets running steps end, submits their results, and tells the server. Idempotent. */
  stop(options: { drainSeconds?: number } = {}): Promise<void> {
    this.#requestEnd();
    this.#stopped ??= this.#isStarted ? this.#drained(options.drainSeconds ?? this.#drainSeconds) : Promise.resolve();
    return this.#stopped;
  }

  async #drained(drainSeconds: number): Promise<void> {
    const end = performance.now() + drainSeconds * 1000;
    this.#log.info(`worker ${this.workerUuid} drains`);
    await this.#drain();
    await this.#quiet(end);
    for (const run of this.#unfinished()) {
      this.#log.warn(`${run} has not ended within the time to drain`);
      run.step?.requestStop("shutdown");
      this.#decide(run, Outcome.retryable("worker_shutdown", "the worker was stopped before the handler had ended"));
    }
    await this.#quiet(performance.now() + 5000);
    await this.#drain();
    this.#hasEnded = true;
    this.#ending.abort();
    this.#notify();
    if (this.#runs.size > 0) {
      this.#log.warn(`${this.#runs.size} steps are left to the recovery of the servers: no server takes their results`);
    }
    this.#log.info(`worker ${this.workerUuid} has stopped`);
  }

  #unfinished(): Run[] {
    return [...this.#runs.values()].filter((run) => !run.isDecided && !run.isOver);
  }

  /** A request that waits on another server than the one that was told ends by itself, and gets nothing any more. */
  async #quiet(end: number): Promise<void> {
    await this.#until(() => this.#runs.size === 0, end - performance.now());
    await this.#until(() => this.#asking.size === 0, Math.min(2000, end - performance.now()));
    await this.#until(() => this.#runs.size === 0, end - performance.now());
  }

  /** Ends the request that waits, too. A fault is left to the recovery of lost workers. */
  async #drain(): Promise<void> {
    try {
      await this.client.request("DELETE", this.#path, { retries: 2 });
    } catch (error) {
      this.#log.warn(`the worker could not be drained: ${messageOf(error)}`);
    }
  }

  #requestEnd(): void {
    this.#isStopping = true;
    this.#notify();
  }

  #notify(): void {
    const waiters = this.#waiters;
    this.#waiters = new Set();
    waiters.forEach((wake) => wake());
  }

  /** Until it is so, or the time is over. */
  async #until(condition: () => boolean, milliseconds?: number): Promise<void> {
    const end = milliseconds === undefined ? Infinity : performance.now() + milliseconds;
    while (!condition()) {
      const left = end - performance.now();
      if (left <= 0) {
        return;
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => wake(), Math.min(left, LONGEST_TIMER));
        const wake = () => {
          clearTimeout(timer);
          this.#waiters.delete(wake);
          resolve();
        };
        this.#waiters.add(wake);
      });
    }
  }

  /** Not longer than until the worker is stopped. */
  #sleep(milliseconds: number): Promise<void> {
    return this.#until(() => this.#isStopping, milliseconds);
  }

  // ---- registration

  /** False if the server is away. */
  async #register(): Promise<boolean> {
    const body = {
      worker_uuid: this.workerUuid, name: cut(this.name, 128), namespaces: this.#namespaces, handlers: [...this.#handlers.keys()],
      resolvers: [...this.#resolvers.keys()], capacity: this.capacity, heartbeat_seconds: this.#askedHeartbeatSeconds,
    };
    let missing: string[];
    try {
      const { body: answer } = await this.client.request("POST", "/v1/workers", { body, retries: 0 });
      this.#heartbeatSeconds = answer.heartbeat_seconds;
      this.#leaseSeconds = answer.lease_seconds;
      missing = answer.missing_namespaces ?? [];
    } catch (error) {
      if (!(error instanceof TaskerError) || (error instanceof ProblemError && !error.isPassing)) {
        throw error;
      }
      this.#log.warn(`not registered yet, trying again: ${error.message}`);
      return false;
    }
    this.#renewed = this.#registered = performance.now();
    this.#log.info(`worker ${this.workerUuid} is registered as ${this.name}`);
    for (const namespace of missing) {
      this.#log.warn(`there is no template in namespace ${namespace} yet; its steps come when there is one`);
    }
    return true;
  }

  /** The server has forgotten the worker, and so has recovered its steps. */
  async #registerAgain(asked: number): Promise<void> {
    if (this.#registered > asked) {
      return;
    }
    if (this.#registering === undefined) {
      this.#log.warn("the server does not know the worker: it registers again");
      [...this.#runs.values()].forEach((run) => this.#lose(run));
      this.#registering = this.#register().finally(() => (this.#registering = undefined));
    }
    try {
      if (!(await this.#registering)) {
        await this.#sleep(1000);
      }
    } catch (error) {
      this.#log.error(`not registered: ${messageOf(error)}`);
      await this.#sleep(LONGEST_PAUSE * 1000);
    }
  }

  // ---- claims

  async #claimLoop(): Promise<void> {
    for (;;) {
      await this.#until(() => this.#isStopping || this.#free() > 0);
      if (this.#isStopping) {
        return;
      }
      const max = Math.min(this.#free(), MOST_AT_ONCE);
      const requestId = randomUUID();
      this.#reserved += max;
      try {
        const steps = await this.#askFor(requestId, max);
        this.#reserved -= max;
        this.#accept(steps);
      } finally {
        this.#asking.delete(requestId);
        this.#notify();
      }
    }
  }

  #free(): number {
    return this.capacity - this.#occupied - this.#reserved;
  }

  /** Repeats the request until it has an answer: with the same `request_id` no step is lost with an answer. */
  async #askFor(requestId: string, max: number): Promise<Record<string, any>[]> {
    this.#asking.set(requestId, performance.now());
    const body = { max, wait_seconds: this.#waitSeconds, request_id: requestId };
    for (let attempt = 0; ; attempt++) {
      let asked: number | undefined;
      const began = performance.now();
      try {
        const answer = await this.client.request("POST", `${this.#path}/claims`,
          { body, retries: 0, patience: this.#waitSeconds, signal: this.#ending.signal });
        return answer.body.steps;
      } catch (error) {
        if (this.#ending.signal.aborted) {
          return [];
        }
        const found = error instanceof UnreadableError ? readable(error.text)["steps"] : undefined;
        if (found !== undefined) {
          return found;
        }
        if (!(error instanceof TaskerError)) {
          throw error;
        }
        if (error instanceof ProblemError) {
          if (error.code === "worker-not-claiming") {
            await this.#onState(String(error.document.state));
            return [];
          }
          if (error.code === "worker-not-found") {
            await this.#registerAgain(began);
            return [];
          }
          asked = error.retryAfterSeconds;
        }
        this.#complain("no steps claimed", error);
      }
      if (this.#isStopping) {
        return [];
      }
      await this.#sleep(pauseMillis(attempt, LONGEST_PAUSE, asked));
    }
  }

  async #onState(state: string): Promise<void> {
    if (state === "lost") {
      this.#log.warn("the worker counted as lost: it sends a heartbeat");
      await this.#heartbeat();
    } else if (state === "draining" || state === "stopped") {
      if (!this.#isStopping) {
        this.#log.warn("an operator drains the worker: it ends");
      }
      this.#requestEnd();
    } else {
      await this.#sleep(this.#heartbeatSeconds * 1000);
    }
  }

  /** Occupies a slot for each step that is new, and starts it. */
  #accept(steps: Record<string, any>[]): void {
    for (const claimed of steps) {
      const { run, complaint } = this.#readStep(claimed);
      const step = run.step;
      if (this.#runs.has(nameOf(run.key))) {
        continue;
      }
      this.#runs.set(nameOf(run.key), run);
      this.#occupied++;
      const handler = step === undefined ? undefined : this.#find(step);
      if (this.#isStopping) {
        this.#giveBack(run, "released");
      } else if (step === undefined) {
        this.#log.error(`${run} cannot be read: ${complaint}`);
        run.hasReturned = true;
        this.#decide(run, Outcome.permanent("step_not_readable", `the worker cannot read the step: ${complaint}`));
      } else if (handler === undefined) {
        this.#log.error(`declined, because there is no such handler: ${step.handler}`);
        this.#giveBack(run, "declined");
      } else if (step.cancelRequested) {
        run.hasReturned = true;
        this.#decide(run, Outcome.cancelled("cancelled before it was started"));
      } else {
        this.#watchTime(run, step);
        void this.#call(run, step, handler);
      }
    }
    this.#notify();
  }

  /** One that cannot be read has no step, and must not stop the others. */
  #readStep(claimed: Record<string, any>): { run: Run; complaint: string } {
    const key = { step_uuid: claimed["step_uuid"] as string, handoff: claimed["handoff"] as number };
    if (COMPLAINT in claimed) {
      return { run: new Run(key), complaint: String(claimed[COMPLAINT]) };
    }
    if (isBeyondNumbers(claimed)) {
      return { run: new Run(key), complaint: BEYOND_NUMBERS };
    }
    try {
      return { run: new Run(key, new StepContext(claimed, this.#calls)), complaint: "" };
    } catch (error) {
      return { run: new Run(key), complaint: messageOf(error) };
    }
  }

  #giveBack(run: Run, outcome: "released" | "declined"): void {
    run.hasReturned = true;
    run.isDecided = true;
    this.#unsent.push({ run, text: JSON.stringify({ ...run.key, outcome }) });
    this.#notify();
  }

  // ---- steps

  async #call(run: Run, step: StepContext, handler: Handler): Promise<void> {
    let outcome: Outcome;
    try {
      const returned = await (async () => handler(step))();
      outcome = returned instanceof Outcome ? returned : Outcome.success(returned);
    } catch (error) {
      outcome = Outcome.of(error, step, this.#permanent);
      if (!run.isDecided) {
        this.#log.warn(`${run} has failed: ${error instanceof Error ? error.stack : String(error)}`);
      }
    }
    run.hasReturned = true;
    clearTimeout(run.timer);
    if (run.isDecided || run.isOver) {
      this.#log.info(`${run} has returned late: its outcome is dropped`);
    } else {
      this.#decide(run, outcome);
    }
    this.#freeSlot(run);
  }

  #watchTime(run: Run, step: StepContext): void {
    const seconds = step.timeoutSeconds;
    if (seconds === null || seconds * 1000 > LONGEST_TIMER) {
      return;
    }
    run.timer = setTimeout(() => {
      if (!run.isDecided && !run.isOver) {
        const message = `the handler has not returned within ${seconds} s`;
        this.#log.warn(`${run}: ${message}`);
        step.requestStop("timeout");
        this.#decide(run, Outcome.retryable("handler_timeout", message));
      }
    }, seconds * 1000);
    run.timer.unref();
  }

  #decide(run: Run, outcome: Outcome): void {
    let text: string;
    run.outcome = outcome;
    try {
      text = outcome.toText(run.key.step_uuid, run.key.handoff, run.milliseconds());
    } catch (error) {
      this.#log.error(`${run} has returned what is no JSON: ${messageOf(error)}`);
      text = outcome.unstorable(messageOf(error)).toText(run.key.step_uuid, run.key.handoff, run.milliseconds());
    }
    run.isDecided = true;
    this.#unsent.push({ run, text });
    this.#notify();
  }

  /** When the handler has returned or the result has a verdict: the later of the two frees the slot. */
  #freeSlot(run: Run): void {
    if (run.isOver) {
      this.#runs.delete(nameOf(run.key));
      if (run.hasReturned) {
        this.#occupied--;
      }
    }
    this.#notify();
  }

  /** The step is not the worker's any more. */
  #lose(run: Run): void {
    if (run.isOver) {
      return;
    }
    this.#log.warn(`${run} is lost: another attempt takes over, and its result is dropped`);
    run.isOver = true;
    clearTimeout(run.timer);
    run.step?.requestStop("lost");
    this.#unsent = this.#unsent.filter((each) => each.run !== run);
    this.#freeSlot(run);
  }

  // ---- what handlers ask for while they run

  async #saveCheckpoint(step: StepContext, checkpoint: unknown): Promise<void> {
    const key = { step_uuid: step.stepUuid, handoff: step.handoff };
    let body: string;
    try {
      body = toJson({ checkpoints: [{ ...key, checkpoint }] });
    } catch (error) {
      throw new PermanentError(`the checkpoint is no JSON: ${messageOf(error)}`, { type: CHECKPOINT_NOT_STORABLE });
    }
    let answer: { verdicts: { verdict: "saved" | "stale" }[]; cancels: Key[] };
    try {
      answer = await this.#askForHandler(step, "POST", `${this.#path}/checkpoints`, { body, contentType: "application/json" });
    } catch (error) {
      if (error instanceof ProblemError && (error.status === 400 || error.status === 413)) {
        throw new PermanentError(error.detail, { type: CHECKPOINT_NOT_STORABLE });
      }
      throw error;
    }
    if (answer.verdicts[0]?.verdict === "stale") {
      const run = this.#runs.get(nameOf(key));
      if (run !== undefined) {
        this.#lose(run);
      }
      throw new StepCancelled("stopped: lost");
    }
    if (answer.cancels.length > 0 && !step.signal.aborted) {
      this.#log.info(`${step} is asked to stop`);
      step.requestStop("cancel");
    }
  }

  /** Waits for a server that is away, until the handler is told to stop. */
  async #askForHandler(step: StepContext, method: string, path: string, request: Request): Promise<any> {
    for (let attempt = 0; ; attempt++) {
      let asked: number | undefined;
      try {
        const { body } = await this.client.request(method, path, { ...request, retries: 0 });
        if (isBeyondNumbers(body)) {
          throw new PermanentError(`the answer cannot be read: ${BEYOND_NUMBERS}`, { type: "answer_not_readable" });
        }
        return body;
      } catch (error) {
        if (error instanceof UnreadableError) {
          throw new PermanentError(error.message, { type: "answer_not_readable" });
        }
        if (!(error instanceof TaskerError)) {
          throw error;
        }
        if (error instanceof ProblemError) {
          if (error.code === "worker-not-found" || error.code === "step-not-claimed") {
            // The next heartbeat finds out which steps the worker has lost.
            throw new StepCancelled("stopped: lost");
          }
          if (!error.isPassing) {
            throw error;
          }
          asked = error.retryAfterSeconds;
        }
        this.#log.warn(`${step} waits for a server: ${error.message}`);
      }
      const isOver = () => step.stopReason !== undefined && step.stopReason !== "cancel";
      await this.#until(isOver, pauseMillis(attempt, LONGEST_PAUSE, asked));
      // A handler that has been told to cancel may still save what it has.
      if (isOver()) {
        throw new StepCancelled(`stopped: ${step.stopReason}`);
      }
    }
  }

  // ---- results

  async #submitLoop(): Promise<void> {
    for (let isBusy = false; ; ) {
      await this.#until(() => this.#hasEnded || this.#unsent.length > 0);
      if (isBusy) {
        // Handlers that end within moments of each other share a request, which is a transaction.
        await this.#until(() => this.#hasEnded || this.#unsent.length >= Math.min(this.#runs.size, MOST_AT_ONCE), GATHERING);
      }
      if (this.#hasEnded) {
        return;
      }
      let length = 0;
      let count = 0;
      while (count < Math.min(this.#unsent.length, MOST_AT_ONCE)) {
        length += this.#unsent[count]!.text.length;
        if (count > 0 && length > LONGEST_BODY) {
          break;
        }
        count++;
      }
      isBusy = count > 1;
      await this.#submit(this.#unsent.splice(0, count));
    }
  }

  /** Repeats the request until every result has a verdict; a repetition is answered `already`. */
  async #submit(submissions: Submission[]): Promise<void> {
    const requestId = randomUUID();
    let batch = submissions;
    let attempt = 0;
    try {
      for (;;) {
        batch = batch.filter((each) => !each.run.isOver);
        if (batch.length === 0 || this.#hasEnded) {
          return;
        }
        // The slots that these results free are asked for in the same request.
        const max = this.#isStopping ? 0 : batch.filter((each) => each.run.hasReturned).length;
        if (max > 0 && !this.#asking.has(requestId)) {
          this.#asking.set(requestId, performance.now());
        }
        const claims = max > 0 ? `,"claims":${JSON.stringify({ max, request_id: requestId })}` : "";
        const body = `{"results":[${batch.map((each) => each.text).join(",")}]${claims}}`;
        let asked: number | undefined;
        const began = performance.now();
        try {
          const answer = await this.client.request("POST", `${this.#path}/results`, { body, contentType: "application/json", retries: 0 });
          await this.#settle(batch, answer.body);
          return;
        } catch (error) {
          const document = error instanceof UnreadableError ? readable(error.text) : {};
          if (document["verdicts"] && document["steps"] && document["state"]) {
            await this.#settle(batch, document as unknown as Settled);
            return;
          }
          if (!(error instanceof TaskerError)) {
            throw error;
          }
          if (error instanceof ProblemError) {
            if (error.code === "worker-not-found") {
              await this.#registerAgain(began);
              continue;
            }
            if (error.status === 400 || error.status === 413) {
              batch = this.#withoutRefused(batch, error);
              continue;
            }
            asked = error.retryAfterSeconds;
          }
          this.#complain(`${batch.length} results not submitted yet`, error);
        }
        await this.#until(() => this.#hasEnded, pauseMillis(attempt++, LONGEST_PAUSE, asked));
      }
    } finally {
      this.#asking.delete(requestId);
      this.#notify();
    }
  }

  async #settle(batch: Submission[], answer: Settled): Promise<void> {
    const verdicts = new Map(answer.verdicts.map((each) => [nameOf(each), each]));
    for (const { run } of batch) {
      const verdict = verdicts.get(nameOf(run.key));
      if (verdict?.verdict === "stale") {
        this.#log.warn(`the result of ${run} is stale: the step is not this worker's any more`);
      } else if (verdict?.error) {
        this.#log.error(`the result of ${run} was refused: ${verdict.error.type}: ${verdict.error.message}`);
      }
      if (!run.isOver) {
        run.isOver = true;
        this.#freeSlot(run);
      }
    }
    this.#accept(answer.steps);
    if (["draining", "stopped"].includes(answer.state) && !this.#isStopping) {
      await this.#onState(answer.state);
    }
  }

  /** The request was refused and changed nothing: results that cannot be stored become permanent failures. */
  #withoutRefused(batch: Submission[], problem: ProblemError): Submission[] {
    const refused = new Map<number, string>();
    for (const violation of problem.violations) {
      const index = /^results\/(\d+)(\/|$)/.exec(violation.field)?.[1];
      if (index !== undefined) {
        refused.set(Number(index), violation.message);
      }
    }
    if (refused.size === 0) {
      if (batch.length > 1) {
        // Too long together: one at a time.
        this.#unsent.unshift(...batch.slice(1));
        return batch.slice(0, 1);
      }
      refused.set(0, problem.detail);
    }
    return batch.flatMap(({ run, text }, index) => {
      const why = refused.get(index);
      if (why === undefined) {
        return [{ run, text }];
      }
      this.#log.error(`the result of ${run} was refused: ${why}`);
      if (run.isRefused) {
        // Not even the failure is taken: the lease ends it.
        this.#lose(run);
        return [];
      }
      run.isRefused = true;
      const failure = run.outcome.unstorable(`the server refused the result: ${cut(why, 1000)}`);
      return [{ run, text: failure.toText(run.key.step_uuid, run.key.handoff, run.milliseconds()) }];
    });
  }

  // ---- heartbeats

  async #heartbeatLoop(): Promise<void> {
    for (let attempt = 0; ; ) {
      await this.#until(() => this.#hasEnded, attempt === 0 ? this.#heartbeatSeconds * 1000 : pauseMillis(attempt, this.#heartbeatSeconds));
      if (this.#hasEnded) {
        return;
      }
      attempt = (await this.#heartbeat()) ? 0 : attempt + 1;
    }
  }

  async #heartbeat(): Promise<boolean> {
    const named = [...this.#runs.values()].filter((run) => !run.isOver);
    const began = performance.now();
    let answer: { state: string; heartbeat_seconds: number; lease_seconds: number; lost: string[]; cancels: Key[]; unreported: Unreported[] };
    try {
      answer = (await this.client.request("POST", `${this.#path}/heartbeat`, {
        body: { steps: named.map((run) => run.key) }, retries: 0, timeoutSeconds: Math.max(SHORTEST_PATIENCE, this.#heartbeatSeconds),
      })).body;
    } catch (error) {
      if (!(error instanceof TaskerError)) {
        throw error;
      }
      this.#complain("no heartbeat", error);
      if (error instanceof ProblemError && error.code === "worker-not-found") {
        await this.#registerAgain(began);
      }
      this.#watchLeases();
      return false;
    }
    this.#renewed = performance.now();
    this.#heartbeatSeconds = answer.heartbeat_seconds;
    this.#leaseSeconds = answer.lease_seconds;
    // One whose result is on the way may have been settled meanwhile.
    named.filter((run) => answer.lost.includes(run.key.step_uuid) && !run.isDecided).forEach((run) => this.#lose(run));
    for (const cancel of answer.cancels) {
      const run = this.#runs.get(nameOf(cancel));
      if (run !== undefined && !run.isDecided && !run.isTold()) {
        this.#log.info(`${run} is asked to stop`);
        run.step?.requestStop("cancel");
      }
    }
    this.#giveBackUnknown(answer.unreported, this.#renewed);
    if (["draining", "stopped"].includes(answer.state) && !this.#isStopping) {
      await this.#onState(answer.state);
    }
    return true;
  }

  /** Steps that two heartbeats in a row list, and whose answer is not on the way: it was lost for ever. */
  #giveBackUnknown(unreported: Unreported[], received: number): void {
    const suspects = new Set<string>();
    for (const each of unreported) {
      const name = nameOf(each);
      const claimed = received - each.claimed_ms_ago;
      if (this.#runs.has(name) || [...this.#asking.values()].some((asked) => asked <= claimed + 5000)) {
        continue;
      }
      suspects.add(name);
      if (this.#suspects.has(name)) {
        this.#log.warn(`step ${each.step_uuid} was claimed and never arrived: given back`);
        const run = new Run({ step_uuid: each.step_uuid, handoff: each.handoff });
        this.#runs.set(name, run);
        this.#occupied++;
        this.#giveBack(run, "released");
      }
    }
    this.#suspects = suspects;
  }

  /** Without a server for as long as a lease, the steps may run elsewhere: their handlers are told before. */
  #watchLeases(): void {
    if (performance.now() - this.#renewed > (this.#leaseSeconds - this.#heartbeatSeconds) * 1000) {
      for (const run of this.#unfinished().filter((each) => !each.isTold())) {
        this.#log.warn(`the lease of ${run} runs out, because no server answers`);
        run.step?.requestStop("lost");
      }
    }
  }

  #complain(what: string, error: TaskerError): void {
    const isPassing = error instanceof UnreachableError || (error instanceof ProblemError && error.isPassing);
    this.#log[isPassing ? "warn" : "error"](`${what}: ${error.message}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The members of an answer that cannot be read as a whole, as far as they can be; of a step that cannot, its key and why. */
function readable(text: string): Record<string, any> {
  const document: Record<string, any> = {};
  try {
    for (const [name, value] of membersOf(text)) {
      document[name] = name === "steps" ? elementsOf(value).map(readableStep) : JSON.parse(value);
    }
  } catch {
    // What has been read so far; the caller asks again for what it misses.
  }
  return document;
}

function readableStep(text: string): Record<string, any> {
  try {
    return JSON.parse(text);
  } catch (error) {
    const members = membersOf(text);
    return { step_uuid: JSON.parse(members.get("step_uuid")!), handoff: JSON.parse(members.get("handoff")!), [COMPLAINT]: messageOf(error) };
  }
}
