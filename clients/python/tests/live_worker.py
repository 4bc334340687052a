"""A worker for tests against a real server. Prints a line for what its handlers see.

python3 live_worker.py CAPACITY PREFIX [METHOD [NAMESPACE]]    serves PREFIX.Echo and the others, only METHOD of them if it is given
python3 live_worker.py lie OTHER_STEP_UUID PREFIX    asks for more than its capacity, and submits a step that it does not hold
"""

import logging
import sys
import time
import uuid

from tasker_ee import Client, Outcome, PermanentError, StepCancelled, StepContext, Worker


def say(*words: object) -> None:
    print(*words, flush=True)


def echo(step: StepContext):
    return {"context": step.context, "results": step.results, "attempt": step.attempt, "name": step.name}


def slow(step: StepContext):
    """Takes its time in the first attempt only."""
    say("begun", step.step_uuid, step.attempt)
    if step.attempt == 1:
        stopped = step.wait(step.initialization.get("seconds", 600))
        say("waited", step.step_uuid, step.stop_reason if stopped else "to the end")
    return {"attempt": step.attempt, "language": "python", "parents": sorted(step.results)}


def until_cancelled(step: StepContext):
    say("begun", step.step_uuid, step.attempt)
    step.wait(600)
    say("told", step.stop_reason)
    raise StepCancelled("half done", result={"half": 1})


def big(step: StepContext):
    return "x" * step.context["length"]


def choosy(step: StepContext):
    if step.context["amount"] < 0:
        raise PermanentError("the amount is negative", type="Negative", details={"amount": step.context["amount"]})
    return {}


def cut(step: StepContext):
    """A cursor for each hundred."""
    total = step.context["total"]
    return Outcome.batches(({"start": start, "end": min(start + 100, total)} for start in range(0, total, 100)), result={"total": total})


def load(step: StepContext):
    return {"rows": step.cursor["end"] - step.cursor["start"], "of": step.inputs["batch_count"], "total": step.results["cut"]["total"]}


def resume(step: StepContext):
    """Saves a checkpoint, and in the first attempt hangs; a later one goes on from it."""
    started_at = 0 if step.checkpoint is None else step.checkpoint["row"]
    step.save_checkpoint({"row": started_at + 7})
    say("saved", step.step_uuid, step.attempt)
    if step.attempt == 1:
        step.wait(600)
    return {"started_at": started_at, "row": step.checkpoint["row"], "first": step.result("first"), "second": step.result("second"),
            "none": step.result("none")}


def work(capacity: int, prefix: str, method=None, namespace="remote") -> None:
    worker = Worker(name="live-" + prefix, namespaces=[namespace], capacity=capacity, heartbeat_seconds=1, wait_seconds=20, drain_seconds=20)
    for name, function in {"Echo": echo, "Slow": slow, "UntilCancelled": until_cancelled, "Big": big, "Choosy": choosy, "Cut": cut,
                           "Load": load, "Resume": resume}.items():
        worker.add_handler("%s.%s" % (prefix, name), function, method)
    worker.run()
    say("ended", worker.worker_uuid)


def lie(other: str, prefix: str) -> None:
    client = Client()
    path = "/v1/workers/" + str(uuid.uuid4())
    client.request("POST", "/v1/workers", body={"worker_uuid": path[12:], "name": "liar", "namespaces": ["remote"], "capacity": 2,
                                                "handlers": [prefix + ".Echo"]})
    held = []
    for _ in range(20):
        held += client.request("POST", path + "/claims", body={"max": 100, "wait_seconds": 0}).body["steps"]
        time.sleep(0.1)
    results = [{"step_uuid": step["step_uuid"], "handoff": step["handoff"], "outcome": "released"} for step in held]
    stale = {"step_uuid": other, "handoff": 1, "outcome": "success", "result": "stolen"}
    verdicts = client.request("POST", path + "/results", body={"results": results + [stale]}).body["verdicts"]
    client.request("DELETE", path)
    say("held", len(held), "verdict", verdicts[-1]["verdict"])


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(levelname)s %(message)s")
    if sys.argv[1] == "lie":
        lie(sys.argv[2], sys.argv[3])
    else:
        work(int(sys.argv[1]), *sys.argv[2:])
