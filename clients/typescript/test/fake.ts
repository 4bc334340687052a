import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export type Answer = [status: number, document: unknown];
type Members = Record<string, any>;

/** The example of the OpenAPI document. */
const CLAIMED_STEP: Members = JSON.parse(readFileSync(new URL("../../../claimed_step.json", import.meta.url), "utf8"));

/** "lost": the request has taken effect and its connection breaks. "broken": it breaks before. */
export type Plan = "lost" | "broken" | Answer | ((usual: () => Promise<Answer>) => Promise<Answer>);

export function problem(status: number, code: string, members: Members = {}): Answer {
  return [status, { type: `urn:tasker:problem:${code}`, title: code, status, detail: "of a test", code, ...members }];
}

/** A server that misbehaves on demand. Knows one worker and hands out the offered steps; `plan` has answers for the next requests of a kind. */
export class FakeServer {
  readonly requests: { kind: string; body: Members; headers: IncomingHttpHeaders }[] = [];
  readonly plan: Record<string, Plan[]> = {};
  readonly claims = new Map<string, Members>();
  readonly verdicts = new Map<string, Members>();
  offers: Members[] = [];
  saved: Members[] = [];
  ancestors: Members = {};
  batch: Members[] = [];
  lost: string[] = [];
  cancels: Members[] = [];
  unreported: Members[] = [];
  registrations = 0;
  isDrained = false;
  url = "";
  #http!: Server;

  static async started(): Promise<FakeServer> {
    const server = new FakeServer();
    server.#http = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", async () => {
        const text = Buffer.concat(parts).toString();
        const url = new URL(request.url!, "http://localhost");
        const isAncestors = request.method === "GET" && url.pathname.endsWith("/results");
        const isBatch = request.method === "GET" && url.pathname.endsWith("/batch-results");
        const body: Members = isBatch ? Object.fromEntries(url.searchParams) : isAncestors ? { name: url.searchParams.getAll("name") } : text ? JSON.parse(text) : {};
        const kind = isBatch ? "batch" : isAncestors ? "ancestors" : request.method === "POST" ? url.pathname.split("/").pop()! : request.method!;
        server.requests.push({ kind, body, headers: request.headers });
        const usual = () => server.answer(kind, body);
        const planned = server.plan[kind]?.shift();
        if (planned === "lost") {
          await usual();
        }
        if (planned === "lost" || planned === "broken") {
          request.socket.destroy();
          return;
        }
        const [status, document] = planned === undefined ? await usual() : typeof planned === "function" ? await planned(usual) : planned;
        response.writeHead(status, { "Content-Type": status >= 400 ? "application/problem+json" : "application/json" });
        response.end(typeof document === "string" ? document : JSON.stringify(document));
      });
    });
    await new Promise<void>((resolve) => server.#http.listen(0, "127.0.0.1", resolve));
    server.url = `http://127.0.0.1:${(server.#http.address() as AddressInfo).port}`;
    return server;
  }

  async close(): Promise<void> {
    this.isDrained = true;
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  offer(handler: string, members: Members = {}): string {
    const step = {
      ...CLAIMED_STEP, step_uuid: randomUUID(), task_uuid: randomUUID(), handler, idempotency_token: "t", timeout_seconds: null, results: {}, ...members,
    };
    this.offers.push(step);
    return step.step_uuid;
  }

  async answer(kind: string, body: Members): Promise<Answer> {
    switch (kind) {
      case "workers":
        this.registrations++;
        return [201, { worker_uuid: body["worker_uuid"], heartbeat_seconds: body["heartbeat_seconds"], lease_seconds: 60, steps: [] }];
      case "claims": {
        let steps = this.#claimed(body);
        for (let i = 0; steps.length === 0 && i < 25 && !this.isDrained; i++) {
          await new Promise((resolve) => setTimeout(resolve, 20));
          steps = this.#claimed(body);
        }
        return [200, { steps, lease_seconds: 60 }];
      }
      case "results": {
        const verdicts = (body["results"] as Members[]).map((each) => {
          const verdict = this.verdicts.has(each["step_uuid"]) ? "already" : "accepted";
          if (verdict === "accepted") {
            this.verdicts.set(each["step_uuid"], each);
          }
          return { step_uuid: each["step_uuid"], handoff: each["handoff"], verdict };
        });
        return [200, { verdicts, state: "healthy", lease_seconds: 60, steps: body["claims"] ? this.#claimed(body["claims"]) : [] }];
      }
      case "checkpoints": {
        const given = body["checkpoints"] as Members[];
        this.saved.push(...given.filter((each) => !this.lost.includes(each["step_uuid"])));
        return [200, {
          verdicts: given.map((each) => ({ step_uuid: each["step_uuid"], handoff: each["handoff"], verdict: this.lost.includes(each["step_uuid"]) ? "stale" : "saved" })),
          cancels: this.cancels.filter((cancel) => given.some((each) => each["step_uuid"] === cancel["step_uuid"])), lease_seconds: 60,
        }];
      }
      case "ancestors":
        return [200, { results: Object.fromEntries(Object.entries(this.ancestors).filter(([name]) => (body["name"] as string[]).includes(name))) }];
      case "batch": {
        const first = Number(body["cursor"] ?? 0);
        return [200, { results: this.batch.slice(first, first + 2), next: first + 2 < this.batch.length ? String(first + 2) : null }];
      }
      case "heartbeat":
        return [200, { state: "healthy", heartbeat_seconds: 1, lease_seconds: 60, lost: this.lost, cancels: this.cancels, unreported: this.unreported }];
      default:
        this.isDrained = true;
        return [200, { state: "stopped", claimed: 0 }];
    }
  }

  #claimed(body: Members): Members[] {
    let steps = [...this.claims.values()].filter((step) => step["request_id"] === body["request_id"] && !this.verdicts.has(step["step_uuid"]));
    if (steps.length === 0) {
      steps = this.offers.splice(0, body["max"]).map((step) => ({ ...step, request_id: body["request_id"] }));
      steps.forEach((step) => this.claims.set(step["step_uuid"], step));
    }
    return steps.map(({ request_id: _, ...step }) => step);
  }

  of(kind: string): Members[] {
    return this.requests.filter((each) => each.kind === kind).map((each) => each.body);
  }

  async result(step: string, seconds = 10): Promise<Members> {
    await this.until(() => this.verdicts.has(step), seconds);
    return this.verdicts.get(step)!;
  }

  async until(condition: () => boolean, seconds = 10): Promise<void> {
    for (const end = performance.now() + seconds * 1000; !condition(); ) {
      if (performance.now() > end) {
        throw new Error(`not within ${seconds} s; requests: ${JSON.stringify(this.requests)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/** The usual answer, in which some strings are replaced by other text. */
export function writing(texts: Record<string, string>): Plan {
  return async (usual) => {
    const [status, document] = await usual();
    const text = Object.entries(texts).reduce((written, [marker, other]) => written.replaceAll(JSON.stringify(marker), other), JSON.stringify(document));
    return [status, text];
  };
}
