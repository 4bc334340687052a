/** The client against a server that fails on the way. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { Client, ProblemError, UnreachableError, WaitTimeout, type ClientOptions } from "tasker-ee";
import { FakeServer, problem, type Answer } from "./fake.js";

const TASK = { task_uuid: "u", state: "complete", version: "1.0.0", correlation_id: "c", duplicate: false };
const RUNNING: Answer = [200, { ...TASK, state: "steps_in_process" }];
let server: FakeServer;
let client: Client;

beforeEach(async () => {
  server = await FakeServer.started();
  client = new Client({ url: server.url, key: "tkr_test", timeoutSeconds: 5 });
});

afterEach(() => server.close());

test("submission is repeated with the same key", async () => {
  server.plan["tasks"] = ["broken", problem(503, "unavailable"), [201, TASK]];

  const task = await client.submit({ namespace: "shop", name: "order", context: { n: 1 }, priority: 3 });

  assert.equal(task.task_uuid, "u");
  const keys = server.requests.map((each) => each.headers["idempotency-key"]);
  assert.deepEqual([keys.length, new Set(keys).size, typeof keys[0]], [3, 1, "string"]);
  assert.deepEqual(server.of("tasks")[0], { namespace: "shop", name: "order", context: { n: 1 }, priority: 3 });
});

test("request without a key is not repeated once it was sent", async () => {
  server.plan["users"] = ["broken", "broken"];

  await assert.rejects(client.request("POST", "/v1/access/users", { body: {} }), (error) => error instanceof UnreachableError && error.wasSent);

  assert.equal(server.of("users").length, 1);
});

test("refusal is an error with its violations and not repeated", async () => {
  server.plan["tasks"] = [problem(400, "invalid-context", { violations: [{ field: "context/n", message: "must be less" }] })];

  await assert.rejects(client.submit({ namespace: "shop", name: "order", context: {} }), (error: unknown) => {
    assert.ok(error instanceof ProblemError);
    assert.deepEqual([error.status, error.code, error.type, error.detail], [400, "invalid-context", "urn:tasker:problem:invalid-context", "of a test"]);
    assert.deepEqual(error.violations, [{ field: "context/n", message: "must be less" }]);
    assert.match(error.message, /context\/n: must be less/);
    return true;
  });

  assert.equal(server.of("tasks").length, 1);
});

test("answer of another program is a refusal", async () => {
  server.plan["GET"] = [[404, "<html>"]];

  await assert.rejects(client.get("u"), (error) => error instanceof ProblemError && error.status === 404 && error.code === "refused");
});

test("wait polls until the task ends and no longer than asked", async () => {
  server.plan["GET"] = [RUNNING, [200, TASK]];
  assert.equal((await client.wait("u", { timeoutSeconds: 30 })).state, "complete");

  // More than can be asked for in that time.
  server.plan["GET"] = Array(10_000).fill(RUNNING);
  await assert.rejects(client.wait("u", { timeoutSeconds: 0.05 }), (error) => error instanceof WaitTimeout && error.task.state === "steps_in_process");
});

test("all pages are read", async () => {
  server.plan["GET"] = [[200, { tasks: [TASK, TASK], next: "c" }], [200, { tasks: [TASK], next: null }]];

  const read = [];
  for await (const task of client.tasks({ state: ["complete", "error"] })) {
    read.push(task);
  }

  assert.equal(read.length, 3);
});

test("server that is away is unreachable", async () => {
  await server.close();

  await assert.rejects(new Client({ url: server.url, retries: 1 }).get("u"), (error) => error instanceof UnreachableError && !error.wasSent);
  server = await FakeServer.started();
});

test("no answer in time is unreachable, and a request can be ended", async () => {
  server.plan["GET"] = Array(3).fill(() => new Promise<Answer>(() => {}));

  await assert.rejects(new Client({ url: server.url, timeoutSeconds: 0.1, retries: 0 }).get("u"), /no answer within 0.1 s/);
  await assert.rejects(client.get("u", { signal: AbortSignal.timeout(100) }), (error) => (error as Error).name === "TimeoutError");
});

test("a time-out of more than 24 days is not over at once", async () => {
  server.plan["GET"] = [() => new Promise<Answer>((resolve) => setTimeout(() => resolve([200, TASK]), 100))];

  assert.equal((await new Client({ url: server.url, timeoutSeconds: 2 ** 31, retries: 0 }).get("u")).task_uuid, "u");
});

test("credentials come from arguments or the environment", async () => {
  const variables: Record<string, string> = { TASKER_KEY: "tkr_env", TASKER_TOKEN: "eyJ", TASKER_USER: "ann", TASKER_PASSWORD: "secret" };
  const { TASKER_KEY: _, ...withoutKey } = variables;
  const { TASKER_TOKEN: __, ...user } = withoutKey;
  const cases: [ClientOptions, Record<string, string>, string | undefined][] = [
    [{}, {}, undefined],
    [{ key: "tkr_a" }, variables, "Bearer tkr_a"],
    [{ user: "bo", password: "p" }, variables, "Basic Ym86cA=="],
    [{ token: async () => "now" }, variables, "Bearer now"],
    [{}, variables, "Bearer tkr_env"],
    [{}, withoutKey, "Bearer eyJ"],
    [{}, user, "Basic YW5uOnNlY3JldA=="],
  ];
  const before = { ...process.env };
  try {
    for (const [options, environment, expected] of cases) {
      for (const name of Object.keys(variables)) {
        delete process.env[name];
      }
      Object.assign(process.env, environment, { TASKER_URL: server.url });
      server.plan["GET"] = [[200, TASK]];
      await new Client(options).get("u");
      assert.equal(server.requests.at(-1)!.headers.authorization, expected);
    }
  } finally {
    process.env = before;
  }
});

test("address with a password is refused without showing it", () => {
  assert.throws(() => new Client({ url: "https://ann:secret@example.org" }), (error) => !(error as Error).message.includes("secret"));
  for (const url of ["example.org", "ftp://example.org", "http://example.org?x=1"]) {
    assert.throws(() => new Client({ url }), TypeError);
  }
});
