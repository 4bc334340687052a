/** The worker against a server that loses answers, refuses, forgets and is away. docs/workers.md is the protocol. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { Client, Outcome, PermanentError, ProblemError, RetryableError, StepCancelled, Worker, type Handler, type WorkerOptions } from "tasker-ee";
import { FakeServer, problem, writing } from "./fake.js";

const ABSENT = "00000000-0000-7000-8000-000000000001";
const quiet = { info() {}, warn() {}, error() {} };
let server: FakeServer;
let workers: Worker[];
let calls: string[];

beforeEach(async () => {
  server = await FakeServer.started();
  workers = [];
  calls = [];
});

afterEach(async () => {
  await Promise.all(workers.map((each) => each.stop({ drainSeconds: 0 })));
  await server.close();
});

const note: Handler = (step) => {
  calls.push(step.stepUuid);
  return { n: calls.length };
};

function made(handlers: Record<string, Handler> = { a: note }, options: WorkerOptions = {}): Worker {
  const worker = new Worker({
    name: "test", namespaces: ["shop"], client: new Client({ url: server.url, key: "tkr_test" }), capacity: 2, heartbeatSeconds: 1,
    waitSeconds: 1, drainSeconds: 5, log: quiet, ...options,
  });
  Object.entries(handlers).forEach(([name, handler]) => worker.handler(name, handler));
  return worker;
}

async function started(handlers?: Record<string, Handler>, options?: WorkerOptions): Promise<Worker> {
  const worker = made(handlers, options);
  workers.push(worker);
  await worker.start();
  return worker;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener("abort", () => resolve())));
}

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// ---- lost answers

test("lost answer to claims is repeated with its request_id and the step runs once", async () => {
  const step = server.offer("a");
  server.plan["claims"] = ["lost", "lost"];
  await started();

  const result = await server.result(step);

  assert.deepEqual([result["outcome"], result["result"]], ["success", { n: 1 }]);
  const claims = server.of("claims");
  assert.deepEqual(claims[1], claims[0]);
  assert.deepEqual(claims[2], claims[0]);
  assert.deepEqual(calls, [step]);
});

test("lost answer to results is repeated and the next steps are not lost", async () => {
  const step = server.offer("a");
  const following = server.offer("a");
  server.plan["results"] = ["lost", "lost"];
  await started(undefined, { capacity: 1 });

  await server.result(step);
  await server.result(following);

  const results = server.of("results");
  assert.deepEqual(results.slice(1, 3), [results[0], results[0]], "the same request, with the same request_id");
  assert.deepEqual(calls, [step, following]);
});

test("broken connections and 503 are overcome", async () => {
  server.plan["workers"] = ["broken", problem(503, "unavailable")];
  server.plan["claims"] = ["broken", problem(503, "server-busy"), [502, "not json"]];
  server.plan["results"] = ["broken", problem(503, "role-off"), "broken"];
  const step = server.offer("a");
  await started();

  await server.result(step);

  assert.deepEqual(calls, [step]);
});

test("step that never arrives is given back after two heartbeats", async () => {
  await started();
  server.unreported = [{ step_uuid: ABSENT, handoff: 3, claimed_ms_ago: 60_000 }];

  const result = await server.result(ABSENT);

  assert.deepEqual([result["outcome"], result["handoff"]], ["released", 3]);
  assert.ok(server.of("heartbeat").length >= 2);
});

test("step that may be on the way is not given back", async () => {
  await started();
  server.unreported = [{ step_uuid: ABSENT, handoff: 3, claimed_ms_ago: 0 }];

  await server.until(() => server.of("heartbeat").length >= 3);

  assert.deepEqual(server.of("results"), []);
});

// ---- checkpoints, and results of ancestors

test("handler saves checkpoints and goes on although answers are lost", async () => {
  server.plan["checkpoints"] = ["lost", "broken", problem(503, "unavailable")];
  const step = server.offer("a", { checkpoint: { row: 1 }, handoff: 3 });
  await started({
    a: async (each) => {
      for (let row = each.checkpoint.row + 1; row < 4; row++) {
        await each.saveCheckpoint({ row });
      }
      return each.checkpoint;
    },
  });

  assert.deepEqual((await server.result(step))["result"], { row: 3 });
  assert.deepEqual(server.saved.map((each) => each["checkpoint"].row), [2, 2, 3]);
  assert.ok(server.saved.every((each) => each["step_uuid"] === step && each["handoff"] === 3));
});

test("stale checkpoint stops the handler and drops its result", async () => {
  server.offer("a");
  const following = server.offer("b");
  await started({
    a: async (step) => {
      server.lost.push(step.stepUuid);
      await assert.rejects(step.saveCheckpoint(1), StepCancelled);
      calls.push(String(step.stopReason));
    },
    b: () => {},
  }, { capacity: 1, heartbeatSeconds: 300 });

  await server.result(following);

  assert.deepEqual(calls, ["lost"]);
  assert.deepEqual(server.saved, []);
  assert.deepEqual([...server.verdicts.keys()], [following]);
});

test("saved checkpoint tells of a cancel without a heartbeat", async () => {
  const step = server.offer("a");
  await started({
    a: async (each) => {
      server.cancels = [{ step_uuid: each.stepUuid, handoff: 1, force_in_ms: 5000 }];
      await each.saveCheckpoint({ row: 1 });
      each.signal.throwIfAborted();
    },
  }, { heartbeatSeconds: 300 });

  assert.equal((await server.result(step))["outcome"], "cancelled");
});

test("checkpoint that cannot be stored fails its step permanently", async () => {
  server.plan["checkpoints"] = [problem(400, "invalid-request")];
  const steps = [server.offer("refused"), server.offer("no_json")];
  await started({ refused: (step) => step.saveCheckpoint("x"), no_json: (step) => step.saveCheckpoint({ row: NaN }) });

  for (const step of steps) {
    const result = await server.result(step);
    assert.deepEqual([result["outcome"], result["error"].type], ["permanent_failure", "checkpoint_not_storable"]);
  }
});

test("results of distant ancestors are fetched once when they are read", async () => {
  server.ancestors = { far: { total: 3 } };
  server.plan["ancestors"] = ["broken"];
  const step = server.offer("a", { results: { near: 1 } });
  await started({ a: async (each) => Promise.all(["near", "far", "far", "none"].map(async (name) => (await each.result(name)) ?? null)) });

  assert.deepEqual((await server.result(step))["result"], [1, { total: 3 }, { total: 3 }, null]);
  assert.deepEqual(server.of("ancestors").map((each) => each["name"]).sort(), [["far"], ["far"], ["none"]]);
});

test("results of a batch are fetched page by page", async () => {
  server.batch = [1, 2, 3, 4, 5].map((n) => ({ batch_number: n, batch_id: `00${n}`, result: n }));
  server.plan["batch"] = ["broken"];
  const step = server.offer("a");
  await started({
    a: async (each) => {
      const results = [];
      for await (const one of each.batchResults("load")) {
        results.push(one.result);
      }
      return results;
    },
  });

  assert.deepEqual((await server.result(step))["result"], [1, 2, 3, 4, 5]);
  assert.deepEqual(server.of("batch").map((each) => `${each["name"]} ${each["cursor"] ?? "first"}`), ["load first", "load first", "load 2", "load 4"]);
});

// ---- the worker is forgotten, lost, drained

test("worker that is forgotten registers again", async () => {
  server.plan["claims"] = [problem(404, "worker-not-found")];
  const step = server.offer("a");
  await started();

  await server.result(step);

  assert.equal(server.registrations, 2);
});

test("worker that counts as lost sends a heartbeat and claims again", async () => {
  server.plan["claims"] = [problem(409, "worker-not-claiming", { state: "lost" })];
  const step = server.offer("a");
  await started(undefined, { heartbeatSeconds: 300 });

  await server.result(step);

  assert.deepEqual(server.requests.map((each) => each.kind).slice(0, 4), ["workers", "claims", "heartbeat", "claims"]);
});

test("worker that an operator drains ends", async () => {
  server.plan["claims"] = [problem(409, "worker-not-claiming", { state: "draining" })];

  await made().run();

  assert.equal(server.of("claims").length, 1);
  assert.ok(server.requests.some((each) => each.kind === "DELETE"));
});

test("refused registration is thrown", async () => {
  server.plan["workers"] = [problem(403, "not-permitted")];

  await assert.rejects(made().run(), (error) => error instanceof ProblemError && error.status === 403 && error.code === "not-permitted");
});

test("namespace that does not exist yet is told", async () => {
  server.plan["workers"] = [[201, { heartbeat_seconds: 10, lease_seconds: 60, steps: [], missing_namespaces: ["shop"] }]];
  const warnings: string[] = [];
  const step = server.offer("a");

  await started(undefined, { log: { ...quiet, warn: (message) => warnings.push(message) } });

  await server.result(step);
  assert.equal(warnings.filter((each) => each.includes("there is no template in namespace shop yet")).length, 1);
});

test("mistake in a registration is thrown", async () => {
  server.plan["workers"] = [problem(400, "invalid-request", { violations: [{ field: "namespaces", message: "must name one" }] })];

  await assert.rejects(made().run(), (error) => error instanceof ProblemError && error.status === 400);
});

test("second handler of a name is told in a line before it is thrown", () => {
  const errors: string[] = [];
  const worker = made({ a: note }, { log: { ...quiet, error: (message) => errors.push(message) } }).resolver("r", note);

  assert.throws(() => worker.handler("a", note), /there are two handlers a/);
  assert.throws(() => worker.resolver("r", note), /there are two resolvers r/);
  assert.deepEqual(errors, ["there are two handlers a", "there are two resolvers r"]);
});

test("name that is not there is not retried unless that is asked for", async () => {
  const mistaken = () => (globalThis as any).eval("noSuchName");
  await started({ mistaken, broken: () => (undefined as any).member });

  const mistake = await server.result(server.offer("mistaken"));
  assert.deepEqual([mistake["outcome"], mistake["error"].type], ["permanent_failure", "ReferenceError"]);
  assert.equal((await server.result(server.offer("broken")))["outcome"], "retryable_failure");
});

test("worker that is asked to retries everything", async () => {
  await started({ mistaken: () => (globalThis as any).eval("noSuchName") }, { permanent: [] });

  assert.equal((await server.result(server.offer("mistaken")))["outcome"], "retryable_failure");
});

test("what cannot work is refused before anything is sent", async () => {
  assert.throws(() => made({}, { waitSeconds: 61 }), RangeError);
  await assert.rejects(made({}).run(), /has no handler/);
  assert.throws(() => made().handler("a", note), /two handlers/);
  assert.deepEqual(server.requests, []);
});

// ---- what cannot be read

test("step that cannot be read fails alone", async () => {
  const huge = server.offer("a", { context: { list: [{ n: "HUGE" }] } });
  const broken = server.offer("a", { context: { n: "BROKEN" } });
  const good = server.offer("a", { context: { text: 'a "quoted" [text], {with} \\\\ all' } });
  server.plan["claims"] = [writing({ HUGE: "1".repeat(400), BROKEN: "NaN" })];
  await started(undefined, { capacity: 3 });

  const results = await Promise.all([huge, broken, good].map((step) => server.result(step)));

  assert.deepEqual(results.map((each) => each["error"]?.type ?? each["outcome"]), ["step_not_readable", "step_not_readable", "success"]);
  assert.match(results[0]!["error"].message, /beyond the range/);
  const following = server.offer("a");
  await server.result(following);
  assert.deepEqual(calls, [good, following]);
});

test("step that cannot be read in the answer to results fails alone", async () => {
  const first = server.offer("a");
  server.plan["results"] = [writing({ BROKEN: "NaN" })];
  const broken = server.offer("a", { context: { n: "BROKEN" } });
  await started(undefined, { capacity: 1 });

  assert.equal((await server.result(first))["outcome"], "success");
  assert.equal((await server.result(broken))["error"].type, "step_not_readable");
  assert.deepEqual(calls, [first]);
});

test("answer that is no JSON is asked for again", async () => {
  const step = server.offer("a");
  server.plan["claims"] = [[200, '{"steps": ['], [200, "no JSON"]];
  server.plan["heartbeat"] = [[200, "{"]];
  server.plan["workers"] = [[200, "{"]];
  server.plan["results"] = [[200, '{"verdicts": [']];
  await started();

  assert.equal((await server.result(step))["outcome"], "success");
  await server.until(() => server.of("heartbeat").length > 1);
});

test("result of an ancestor that cannot be read fails the step that asks for it", async () => {
  server.ancestors = { far: "BROKEN", large: "HUGE" };
  server.plan["ancestors"] = [writing({ BROKEN: "NaN" })];
  const broken = server.offer("far");
  await started({ far: (step) => step.result("far"), large: (step) => step.result("large") });
  assert.deepEqual([(await server.result(broken))["outcome"], server.verdicts.get(broken)!["error"].type], ["permanent_failure", "answer_not_readable"]);

  server.plan["ancestors"] = [writing({ HUGE: "1".repeat(400) })];
  const large = server.offer("large");

  assert.match((await server.result(large))["error"].message, /beyond the range/);
});

// ---- failures keep their kind

test("failure whose message or details cannot be stored stays retryable", async () => {
  const emoji = "\u{1f600}";
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  const outcomes: Record<string, Outcome> = {
    nul: Outcome.retryable("T\0", "a\0b"), half: Outcome.retryable("T", "x\ud83d"), long: Outcome.retryable("T", "x" + emoji.repeat(3000)),
    blank: Outcome.retryable("", "\0"), circle: Outcome.retryable("T", "with details", { details: circle }),
  };
  const steps = Object.keys(outcomes).map((name) => server.offer(name));
  await started(Object.fromEntries(Object.entries(outcomes).map(([name, outcome]) => [name, () => outcome])), { capacity: 5 });

  const [nul, half, long, blank, details] = await Promise.all(steps.map((step) => server.result(step)));

  assert.deepEqual([nul, half, long, blank, details].map((each) => each!["outcome"]), Array(5).fill("retryable_failure"));
  assert.deepEqual([nul!["error"].type, nul!["error"].message], ["T ", "a b"]);
  assert.equal(half!["error"].message, "x?");
  assert.equal(long!["error"].message, "x" + emoji.repeat(1999));
  assert.deepEqual([blank!["error"].type, blank!["error"].message], ["Error", "Error"]);
  assert.equal(details!["error"].message, "with details");
  assert.match(details!["error"].details.omitted, /circular/);
});

test("failure that the server refuses is sent again without its details", async () => {
  const step = server.offer("failing");
  server.plan["results"] = [problem(400, "invalid-request", { violations: [{ field: "results/0/error/details", message: "must have at most 1048576 bytes" }] })];
  await started({ failing: () => Outcome.retryable("Busy", "try again", { details: { a: 1 }, retryAfterSeconds: 5 }) });

  const result = await server.result(step);

  assert.deepEqual([result["outcome"], result["error"].type, result["error"].message, result["retry_after_ms"]],
    ["retryable_failure", "Busy", "try again", 5000]);
});

// ---- results

test("stale result is dropped and the worker goes on", async () => {
  const step = server.offer("a");
  server.plan["results"] = [[200, { verdicts: [{ step_uuid: step, handoff: 1, verdict: "stale" }], state: "healthy", steps: [], lease_seconds: 60 }]];
  await started(undefined, { capacity: 1 });
  await server.until(() => server.of("results").length === 1);
  const following = server.offer("a");

  await server.result(following);

  assert.ok(!server.verdicts.has(step));
  assert.equal(server.of("results").length, 2);
});

test("result that the server refuses becomes a permanent failure", async () => {
  const step = server.offer("a");
  server.plan["results"] = [problem(400, "invalid-request", { violations: [{ field: "results/0/result", message: "must not be longer than 1048576 bytes" }] })];
  await started();

  const result = await server.result(step);

  assert.deepEqual([result["outcome"], result["error"].type], ["permanent_failure", "result_not_storable"]);
  assert.match(result["error"].message, /1048576/);
});

test("outcomes", async () => {
  class OutOfStock extends PermanentError {}
  const raising = (error: unknown): Handler => () => {
    throw error;
  };
  const cycle: Record<string, unknown> = {};
  cycle["cycle"] = cycle;
  const cases: Record<string, [Handler, string, string | undefined]> = {
    nothing: [() => undefined, "success", undefined],
    list: [async () => [1], "success", undefined],
    decide: [() => Outcome.decide(["x", "y"], 1), "success", undefined],
    decideNone: [() => Outcome.decide([]), "success", undefined],
    batches: [() => Outcome.batches([{ start: 0 }, { start: 10 }]), "success", undefined],
    batchesNone: [() => Outcome.batches([], "empty"), "success", undefined],
    workerOfBatch: [(step) => [step.cursor ?? "none", step.items ?? "none", step.inputs], "success", undefined],
    yield: [() => Outcome.yielded({ row: 7 }, 2.5), "yielded", undefined],
    yieldNone: [() => Outcome.yielded(), "yielded", undefined],
    yieldYears: [() => Outcome.yielded(undefined, 3 * 31_536_000), "yielded", undefined],
    yieldForever: [() => Outcome.yielded(undefined, 315_360_001), "retryable_failure", "RangeError"],
    retryYears: [raising(new RetryableError("busy", { retryAfterSeconds: 3 * 31_536_000 })), "retryable_failure", "RetryableError"],
    retryNever: [() => Outcome.retryable("Busy", "m", { retryAfterSeconds: Infinity }), "retryable_failure", "RangeError"],
    retryEarlier: [raising(Object.assign(new RetryableError("busy"), { retryAfterSeconds: -1 })), "retryable_failure", "RangeError"],
    tokens: [(step) => [step.idempotencyToken, step.attemptToken], "success", undefined],
    permanent: [raising(new PermanentError("no", { type: "Declined", details: { a: 1 } })), "permanent_failure", "Declined"],
    subclass: [raising(new OutOfStock("no")), "permanent_failure", "OutOfStock"],
    retryable: [raising(new RetryableError("busy", { retryAfterSeconds: 1.5 })), "retryable_failure", "RetryableError"],
    any: [async () => Promise.reject(new RangeError("r")), "retryable_failure", "RangeError"],
    text: [raising("text"), "retryable_failure", "Error"],
    empty: [raising(new Error()), "retryable_failure", "Error"],
    cyclic: [() => cycle, "permanent_failure", "result_not_storable"],
    big: [() => 1n, "permanent_failure", "result_not_storable"],
    nan: [() => ({ a: Number.NaN }), "permanent_failure", "result_not_storable"],
    stopped: [raising(new StepCancelled("enough")), "retryable_failure", "Stopped"],
  };
  const steps = Object.keys(cases).map((name) => [name, server.offer(name)] as const);
  await started(Object.fromEntries(Object.entries(cases).map(([name, [handler]]) => [name, handler])), { capacity: 20 });

  const results: Record<string, Record<string, any>> = {};
  for (const [name, step] of steps) {
    results[name] = await server.result(step);
  }

  for (const [name, [, outcome, type]] of Object.entries(cases)) {
    assert.deepEqual([results[name]!["outcome"], results[name]!["error"]?.type], [outcome, type], name);
  }
  assert.deepEqual(results["nothing"]!["result"], {});
  assert.deepEqual([results["decide"]!["decision"], results["decide"]!["result"]], [["x", "y"], 1]);
  assert.deepEqual(results["decideNone"]!["decision"], []);
  assert.deepEqual([results["batches"]!["batches"], results["batches"]!["result"]], [[{ start: 0 }, { start: 10 }], {}]);
  assert.deepEqual([results["batchesNone"]!["batches"], results["batchesNone"]!["result"]], [[], "empty"]);
  assert.deepEqual(results["workerOfBatch"]!["result"], ["none", "none", {}]);
  assert.deepEqual([results["yield"]!["checkpoint"], results["yield"]!["after_ms"]], [{ row: 7 }, 2500]);
  assert.deepEqual(["checkpoint" in results["yieldNone"]!, results["yieldNone"]!["after_ms"]], [false, 0]);
  assert.equal(results["retryable"]!["retry_after_ms"], 1500);
  assert.deepEqual([results["yieldYears"]!["after_ms"], results["retryYears"]!["retry_after_ms"]], [94_608_000_000, 94_608_000_000]);
  assert.match(results["yieldForever"]!["error"].message, /afterSeconds must be from 0 to 315360000 seconds/);
  assert.match(results["retryNever"]!["error"].message, /retryAfterSeconds must be from 0/);
  assert.deepEqual(results["tokens"]!["result"], ["t", steps.find(([name]) => name === "tokens")![1] + ":1"]);
  for (const wrong of [-0.001, 315_360_001, Number.NaN]) {
    assert.throws(() => new RetryableError("busy", { retryAfterSeconds: wrong }), RangeError);
  }
  assert.deepEqual(results["permanent"]!["error"].details, { a: 1 });
});

test("step without a handler is declined and one that is cancelled not started", async () => {
  const unknown = server.offer("b");
  const cancelled = server.offer("a", { cancel_requested: true });
  await started();

  assert.equal((await server.result(unknown))["outcome"], "declined");
  assert.equal((await server.result(cancelled))["outcome"], "cancelled");
  assert.deepEqual(calls, []);
});

test("methods and resolvers find their handler", async () => {
  const steps = [server.offer("a", { method: "other" }), server.offer("a"), server.offer("b", { resolver: "scripts" })];
  const worker = made({});
  workers.push(worker);
  worker.handler("a", () => "any").handler("a", () => "other", "other").resolver("scripts", (step) => `script ${step.handler}`);
  await worker.start();

  const results = [];
  for (const step of steps) {
    results.push((await server.result(step))["result"]);
  }

  assert.deepEqual(results, ["other", "any", "script b"]);
  assert.deepEqual([server.of("workers")[0]!["handlers"], server.of("workers")[0]!["resolvers"]], [["a"], ["scripts"]]);
});

// ---- cancel, time-out, lost

test("cancel request is told to the handler", async () => {
  const step = server.offer("a");
  server.cancels = [{ step_uuid: step, handoff: 1, force_in_ms: 1000 }];
  await started({
    a: async ({ signal }) => {
      await aborted(signal);
      throw new StepCancelled("half done", { half: 1 });
    },
  });

  const result = await server.result(step);

  assert.deepEqual([result["outcome"], result["result"]], ["cancelled", { half: 1 }]);
});

test("what throws because its signal was aborted by a cancel is cancelled", async () => {
  const step = server.offer("a");
  server.cancels = [{ step_uuid: step, handoff: 1, force_in_ms: 1000 }];
  await started({
    a: async ({ signal }) => {
      await aborted(signal);
      signal.throwIfAborted();
    },
  });

  assert.equal((await server.result(step))["outcome"], "cancelled");
});

test("time-out is submitted at once and the slot is not used before the handler returns", async () => {
  const told: unknown[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const step = server.offer("slow", { timeout_seconds: 1 });
  await started({
    a: note,
    slow: async (each) => {
      await released;
      told.push(each.stopReason);
      return "late";
    },
  }, { capacity: 1 });

  const result = await server.result(step);
  assert.deepEqual([result["outcome"], result["error"].type], ["retryable_failure", "handler_timeout"]);
  const following = server.offer("a");
  await sleep(500);
  assert.ok(!server.claims.has(following), "the only slot is in use");
  release();
  await server.result(following);
  assert.deepEqual(told, ["timeout"]);
});

test("lost step is told and its result not submitted", async () => {
  const reasons: unknown[] = [];
  const step = server.offer("slow");
  server.lost = [step];
  await started({
    a: note,
    slow: async (each) => {
      await aborted(each.signal);
      reasons.push(each.stopReason);
    },
  }, { capacity: 1 });
  await server.until(() => reasons.length > 0);
  const following = server.offer("a");

  await server.result(following);

  assert.deepEqual(reasons, ["lost"]);
  assert.ok(!server.verdicts.has(step));
});

test("handlers are told when no heartbeat gets through for a lease", async () => {
  const reasons: unknown[] = [];
  server.plan["workers"] = [[201, { worker_uuid: "x", heartbeat_seconds: 1, lease_seconds: 2, steps: [] }]];
  server.plan["heartbeat"] = Array(1000).fill("broken");
  const step = server.offer("a");
  await started({
    a: async (each) => {
      await aborted(each.signal);
      reasons.push(each.stopReason);
    },
  });

  assert.equal((await server.result(step))["outcome"], "success", "the server decides whether it is stale");
  assert.deepEqual(reasons, ["lost"]);
});

test("heartbeats name every step until its result has a verdict", async () => {
  const step = server.offer("a");
  server.plan["results"] = Array(6).fill("broken");
  await started();

  await server.result(step, 30);

  assert.ok(server.of("heartbeat").some((beat) => beat["steps"].some((each: { step_uuid: string }) => each.step_uuid === step)));
});

test("heartbeat that hangs does not keep back the next", async () => {
  server.plan["heartbeat"] = [() => new Promise(() => {})];
  await started();

  await server.until(() => server.of("heartbeat").length >= 2, 10);
});

// ---- capacity and the end

test("never holds more than its capacity and uses all of it", async () => {
  let running = 0;
  let most = 0;
  const steps = Array.from({ length: 60 }, () => server.offer("a"));
  await started({
    a: async () => {
      most = Math.max(most, ++running);
      await server.until(() => most >= 4);
      running--;
    },
  }, { capacity: 4 });
  for (const step of steps) {
    await server.result(step);
  }

  assert.equal(most, 4);
  const asked = [...server.of("claims").map((body) => body["max"]), ...server.of("results").flatMap((body) => body["claims"]?.max ?? [])];
  assert.ok(Math.max(...asked) <= 4);
});

test("stop lets the running step end and claims no more", async () => {
  let begun = false;
  const step = server.offer("a");
  const worker = await started({
    a: async () => {
      begun = true;
      await sleep(500);
      return "done";
    },
  }, { capacity: 1 });
  await server.until(() => begun);

  await worker.stop();

  assert.equal(server.verdicts.get(step)!["result"], "done");
  assert.equal(server.of("results").at(-1)!["claims"], undefined);
  assert.equal(server.requests.at(-1)!.kind, "DELETE");
});

test("stop gives back what does not end in time", async () => {
  const reasons: unknown[] = [];
  let begun = false;
  const step = server.offer("a");
  const worker = await started({
    a: async (each) => {
      begun = true;
      await aborted(each.signal);
      reasons.push(each.stopReason);
    },
  });
  await server.until(() => begun);

  await worker.stop({ drainSeconds: 0.1 });

  assert.deepEqual([server.verdicts.get(step)!["outcome"], server.verdicts.get(step)!["error"].type], ["retryable_failure", "worker_shutdown"]);
  await server.until(() => reasons[0] === "shutdown");
});

test("steps that arrive while it stops are given back unstarted", async () => {
  server.plan["claims"] = [async (usual) => {
    await server.until(() => server.isDrained);
    return usual();
  }];
  const step = server.offer("a");
  const worker = await started();
  await server.until(() => server.of("claims").length > 0);

  await worker.stop();

  assert.equal(server.verdicts.get(step)!["outcome"], "released");
  assert.deepEqual(calls, []);
});

test("stop ends although the server is away", async () => {
  let begun = false;
  server.offer("a");
  for (const kind of ["results", "DELETE", "heartbeat"]) {
    server.plan[kind] = Array(1000).fill("broken");
  }
  const worker = await started({ a: () => void (begun = true) });
  await server.until(() => begun);
  const start = performance.now();

  await worker.stop({ drainSeconds: 0.5 });

  assert.ok(performance.now() - start < 12_000);
});
