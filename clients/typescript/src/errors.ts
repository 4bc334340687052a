/** What is wrong with one member or parameter of a request. */
export interface Violation {
  field: string;
  message: string;
}

/** A problem document of RFC 9457, with the members that some problems have. */
export interface Problem {
  type?: string;
  title?: string;
  status?: number;
  detail?: string;
  code?: string;
  violations?: Violation[];
  state?: string;
  task_uuid?: string;
  [member: string]: unknown;
}

/** The base of all errors of this package that concern the server. */
export class TaskerError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** No answer came: no connection, a broken one, or none in time. */
export class UnreachableError extends TaskerError {
  /** @param wasSent false if the request has certainly not reached the server; otherwise it may have taken effect */
  constructor(message: string, readonly wasSent: boolean, options?: ErrorOptions) {
    super(message, options);
  }
}

/** An answer came that is no JSON. The request has taken effect. */
export class UnreadableError extends TaskerError {
  /** @param text the answer as it came */
  constructor(message: string, readonly text: string, options?: ErrorOptions) {
    super(message, options);
  }
}

/** The server refused a request. An answer that is no problem document, for instance of a proxy, has the code `refused`. */
export class ProblemError extends TaskerError {
  /** The kind of problem, `duplicate-task` for instance. */
  readonly code: string;
  /** The URI of the kind of problem: `urn:tasker:problem:` and the code. */
  readonly type: string;
  readonly title: string;
  readonly detail: string;
  /** The wrong members and parameters; empty if the problem is another one. */
  readonly violations: readonly Violation[];

  /** @param retryAfterSeconds from the header `Retry-After` */
  constructor(readonly status: number, readonly document: Problem, readonly retryAfterSeconds?: number) {
    const violations = document.violations ?? [];
    const title = document.title ?? `HTTP status ${status}`;
    const code = document.code ?? "refused";
    super([`${title}: ${document.detail ?? ""} (${code})`, ...violations.map((each) => `${each.field}: ${each.message}`)].join("\n  "));
    this.code = code;
    this.type = document.type ?? "about:blank";
    this.title = title;
    this.detail = document.detail ?? "";
    this.violations = violations;
  }

  /** Whether the same request may succeed later, unchanged. */
  get isPassing(): boolean {
    return [408, 429, 502, 503, 504].includes(this.status) || this.code === "request-in-progress";
  }
}

/** A task was neither terminal nor blocked when the time was over. */
export class WaitTimeout extends TaskerError {
  /** @param task as it was then */
  constructor(readonly task: { task_uuid: string; state: string; [member: string]: unknown }, seconds: number) {
    super(`task ${task.task_uuid} is ${task.state} after ${seconds} s`);
  }
}
