/**
 * A worker for tests against a real server. Prints a line for what its handlers see.
 *
 * node live_worker.js CAPACITY PREFIX [METHOD [NAMESPACE]]    serves PREFIX.Echo and the others, only METHOD of them if it is given
 * node live_worker.js lie OTHER_STEP_UUID PREFIX    asks for more than its capacity, and submits a step that it does not hold
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, Outcome, PermanentError, StepCancelled, Worker, type Handler } from "tasker-ee";

const say = (...words: unknown[]) => console.log(...words);
const log = {
  info: (message: string) => console.log("INFO", message),
  warn: (message: string) => console.log("WARNING", message),
  error: (message: string) => console.log("ERROR", message),
};

const handlers: Record<string, Handler> = {
  Echo: (step) => ({ context: step.context, results: step.results, attempt: step.attempt, name: step.name }),

  /** Takes its time in the first attempt only. */
  Slow: async (step) => {
    say("begun", step.stepUuid, step.attempt);
    if (step.attempt === 1) {
      await sleep((step.initialization["seconds"] ?? 600) * 1000, undefined, { signal: step.signal }).catch(() => {});
      say("waited", step.stepUuid, step.stopReason ?? "to the end");
    }
    return { attempt: step.attempt, language: "typescript", parents: Object.keys(step.results).sort() };
  },

  UntilCancelled: async (step) => {
    say("begun", step.stepUuid, step.attempt);
    await sleep(600_000, undefined, { signal: step.signal }).catch(() => {});
    say("told", step.stopReason);
    throw new StepCancelled("half done", { half: 1 });
  },

  Big: (step) => "x".repeat(step.context["length"]),

  /** A cursor for each hundred. */
  Cut: (step) => {
    const total: number = step.context["total"];
    const starts = Array.from({ length: Math.ceil(total / 100) }, (_, n) => n * 100);
    return Outcome.batches(starts.map((start) => ({ start, end: Math.min(start + 100, total) })), { total });
  },

  Load: (step) => ({ rows: step.cursor.end - step.cursor.start, of: step.inputs["batch_count"], total: step.results["cut"].total }),

  /** Saves a checkpoint, and in the first attempt hangs; a later one goes on from it. */
  Resume: async (step) => {
    const startedAt: number = step.checkpoint?.row ?? 0;
    await step.saveCheckpoint({ row: startedAt + 7 });
    say("saved", step.stepUuid, step.attempt);
    if (step.attempt === 1) {
      await sleep(600_000, undefined, { signal: step.signal }).catch(() => {});
    }
    return {
      started_at: startedAt, row: step.checkpoint.row, first: await step.result("first"), second: await step.result("second"),
      none: (await step.result("none")) ?? null,
    };
  },

  Choosy: (step) => {
    if (step.context["amount"] < 0) {
      throw new PermanentError("the amount is negative", { type: "Negative", details: { amount: step.context["amount"] } });
    }
  },
};

async function work(capacity: number, prefix: string, method?: string, namespace = "remote"): Promise<void> {
  const worker = new Worker({ name: `live-${prefix}`, namespaces: [namespace], capacity, heartbeatSeconds: 1, waitSeconds: 20, drainSeconds: 20, log });
  Object.entries(handlers).forEach(([name, handler]) => worker.handler(`${prefix}.${name}`, handler, method));
  await worker.run();
  say("ended", worker.workerUuid);
}

async function lie(other: string, prefix: string): Promise<void> {
  const client = new Client();
  const uuid = randomUUID();
  const path = `/v1/workers/${uuid}`;
  await client.request("POST", "/v1/workers", { body: { worker_uuid: uuid, name: "liar", namespaces: ["remote"], capacity: 2, handlers: [`${prefix}.Echo`] } });
  const held: { step_uuid: string; handoff: number }[] = [];
  for (let i = 0; i < 20; i++) {
    held.push(...(await client.request("POST", `${path}/claims`, { body: { max: 100, wait_seconds: 0 } })).body.steps);
    await sleep(100);
  }
  const results: object[] = held.map(({ step_uuid, handoff }) => ({ step_uuid, handoff, outcome: "released" }));
  results.push({ step_uuid: other, handoff: 1, outcome: "success", result: "stolen" });
  const { verdicts } = (await client.request("POST", `${path}/results`, { body: { results } })).body;
  await client.request("DELETE", path);
  say("held", held.length, "verdict", verdicts.at(-1).verdict);
}

const [first = "1", second = "", third, fourth] = process.argv.slice(2);
await (first === "lie" ? lie(second, third ?? "") : work(Number(first), second, third, fourth));
