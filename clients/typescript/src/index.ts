/**
 * Workers and client of Tasker EE, without dependencies.
 *
 * A {@link Worker} runs steps of workflows in this process, over HTTP. A {@link Client} submits tasks and follows them. Both take
 * address and credentials from arguments or from the environment (`TASKER_URL`, `TASKER_KEY` and others).
 */
export { Client } from "./client.js";
export type { Cancel, ClientOptions, Json, Reply, Request, Step, SubmittedTask, Task, TaskPage, TaskRequest, Verdict } from "./client.js";
export { ProblemError, TaskerError, UnreachableError, UnreadableError, WaitTimeout } from "./errors.js";
export type { Problem, Violation } from "./errors.js";
export { Outcome, PermanentError, RetryableError, StepCancelled, StepContext } from "./step.js";
export type { BatchResult, StopReason } from "./step.js";
export { Worker } from "./worker.js";
export type { Handler, Logger, WorkerOptions } from "./worker.js";
