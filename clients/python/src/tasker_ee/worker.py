"""Runs steps in this process: the protocol of docs/workers.md."""

from __future__ import annotations

import collections
import logging
import os
import queue
import re
import signal
import socket
import threading
import time
import uuid
from typing import Any, Callable, Deque, Dict, List, Mapping, Optional, Sequence, Set, Tuple, Type

from . import _json
from ._http import pause_seconds
from .client import Client
from .errors import ProblemError, TaskerError, UnreachableError, UnreadableError
from .step import MISTAKES, Outcome, PermanentError, StepCancelled, StepContext, outcome_of

log = logging.getLogger("tasker_ee")

#: What runs a step: returns its result, or an :class:`Outcome`, or raises.
Handler = Callable[[StepContext], Any]
_Key = Tuple[str, int]

_MOST_AT_ONCE = 100
_LONGEST_BODY = 4 * 1024 * 1024
_LONGEST_PAUSE = 15.0
# Seconds; only after a request that had several results.
_GATHERING = 0.003
# One heartbeat that hangs must not keep back the next ones until the leases are over.
_SHORTEST_PATIENCE = 5.0
_CHECKPOINT_NOT_STORABLE = "checkpoint_not_storable"
_NOT_READABLE = "step_not_readable"
# In place of a step that cannot be read, beside its key.
_COMPLAINT = "complaint"
_RESULT_FIELD = re.compile(r"results/(\d+)(/|$)")


class _Run:
    """A step from its claim to the verdict of its result. Without ``step``: a claim that never arrived, to be given back."""

    def __init__(self, key: _Key, step: Optional[StepContext] = None) -> None:
        self.key = key
        self.step = step
        self.began = time.monotonic()
        self.has_returned = False
        #: Its outcome was decided, by the handler or by a time-out; what comes later is dropped.
        self.is_decided = False
        #: Nothing is to be submitted any more: there is a verdict, or the step was lost.
        self.is_over = False
        self.is_refused = False
        #: What was decided.
        self.outcome = Outcome.retryable("Unknown", "")

    def milliseconds(self) -> int:
        return round((time.monotonic() - self.began) * 1000)

    def request_stop(self, reason: str) -> None:
        if self.step is not None:
            self.step._request_stop(reason)

    def is_told(self) -> bool:
        return self.step is None or self.step.stop_requested

    def __repr__(self) -> str:
        return "step %s, handoff %d" % self.key if self.step is None else repr(self.step)


def _mistaken(message: str) -> ValueError:
    """To be raised; a line that is easier to find than the trace comes first."""
    log.error(message)
    return ValueError(message)


class Worker:
    """Registers with its handlers, claims steps, runs them on threads and submits their results, until it is stopped.

    :param name: for operators; host and process without it
    :param namespaces: where it works; everywhere without them, which needs the permission everywhere
    :param capacity: how many steps it runs at a time, each on a thread
    :param client: address and credentials; made from the environment without it. The caller needs ``steps:work``.
    :param heartbeat_seconds: how often it renews its leases; after four missed heartbeats its steps are offered to others
    :param wait_seconds: how long a request waits for steps on the server, at most 60
    :param drain_seconds: how long running steps may take when the worker is stopped; then they are asked to stop and given back as
        retryable failures

    :param permanent: exceptions after which a retry would not help: mistakes in the code of the handler, :data:`~tasker_ee.MISTAKES`.
        With ``()`` every exception is retried.

    What else a handler raises becomes a retryable failure with the class's name as its type, unless it is a
    :class:`~tasker_ee.PermanentError`, a :class:`~tasker_ee.RetryableError` or :class:`~tasker_ee.StepCancelled`.

    A handler that is over its ``timeout_seconds`` is told so (:attr:`StepContext.stop_requested`) and its step is submitted as
    ``handler_timeout`` at once; Python cannot end a thread, so the worker has one fewer until the handler returns.

    Messages go to the logger ``tasker_ee``.
    """

    def __init__(self, *, name: Optional[str] = None, namespaces: Optional[Sequence[str]] = None, capacity: int = 10,
                 client: Optional[Client] = None, heartbeat_seconds: int = 10, wait_seconds: int = 30,
                 drain_seconds: float = 30.0, permanent: Sequence[Type[BaseException]] = MISTAKES) -> None:
        if not 0 <= wait_seconds <= 60:
            raise ValueError("wait_seconds must be from 0 to 60")
        self.name = name or "%s-%d" % (socket.gethostname(), os.getpid())
        self.namespaces = None if namespaces is None else list(namespaces)
        self.capacity = capacity
        self.client = client or Client()
        self.wait_seconds = wait_seconds
        self.drain_seconds = drain_seconds
        self.permanent = tuple(permanent)
        #: Chosen here, so that a registration whose answer was lost can be repeated.
        self.worker_uuid = str(uuid.uuid4())
        self._handlers: Dict[Tuple[str, Optional[str]], Handler] = {}
        self._resolvers: Dict[str, Handler] = {}
        self._path = "/v1/workers/" + self.worker_uuid
        self._heartbeat_seconds: float = heartbeat_seconds
        self._asked_heartbeat_seconds = heartbeat_seconds
        self._lease_seconds = 60.0

        # Everything below belongs to the lock of _changed.
        self._changed = threading.Condition()
        self._runs: Dict[_Key, _Run] = {}
        self._unsent: Deque[Tuple[_Run, str]] = collections.deque()
        self._sending = 0
        #: Slots are counted, not threads: one is free again when the handler has returned and its result has a verdict.
        self._occupied = 0
        self._reserved = 0
        #: Claims that are on the way, by the time of their first request: what they claimed is not to be given back.
        self._asking: Dict[str, float] = {}
        self._threads = 0
        self._idle_threads = 0
        self._renewed = self._registered = time.monotonic()
        self._is_started = False
        self._is_stopping = False
        self._is_draining = False
        self._has_ended = False
        self._fault: Optional[BaseException] = None
        self._suspects: Set[_Key] = set()

        self._tasks: "queue.SimpleQueue[Optional[Tuple[_Run, StepContext, Handler]]]" = queue.SimpleQueue()
        self._registering = threading.Lock()
        self._ended = threading.Event()
        self._signalled = False

    # ---- handlers

    def handler(self, callable: str, method: Optional[str] = None) -> Callable[[Handler], Handler]:
        """A decorator: the function runs the steps of ``handler.callable``, of all methods or of the given one."""
        def decorate(function: Handler) -> Handler:
            self.add_handler(callable, function, method)
            return function
        return decorate

    def add_handler(self, callable: str, function: Handler, method: Optional[str] = None) -> None:
        """The same as :meth:`handler`, for any callable. Raises ValueError if there is one, or the worker has started."""
        if self._is_started:
            raise _mistaken("the worker has registered: add handlers before it starts")
        if (callable, method) in self._handlers:
            raise _mistaken("there are two handlers %r%s" % (callable, "" if method is None else " for method %r" % method))
        self._handlers[callable, method] = function

    def resolver(self, name: str) -> Callable[[Handler], Handler]:
        """A decorator: the function runs all steps of ``handler.resolver``, and finds the code for ``step.handler`` itself."""
        def decorate(function: Handler) -> Handler:
            if self._is_started:
                raise _mistaken("the worker has registered: add resolvers before it starts")
            if name in self._resolvers:
                raise _mistaken("there are two resolvers %r" % name)
            self._resolvers[name] = function
            return function
        return decorate

    def _find(self, step: StepContext) -> Optional[Handler]:
        if step.resolver is not None:
            return self._resolvers.get(step.resolver)
        return self._handlers.get((step.handler, step.method)) or self._handlers.get((step.handler, None))

    # ---- life

    def run(self) -> None:
        """Works until SIGTERM or SIGINT, :meth:`stop`, or until an operator drains the worker; then it drains and returns.

        A second signal ends the program at once. Handlers of signals are set only on the main thread.

        :raises ProblemError: if the registration is refused
        """
        old: Dict[signal.Signals, Any] = {}
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                old[number] = signal.signal(number, self._on_signal)
        try:
            self.start()
            while not (self._signalled or self._is_stopping):
                self._ended.wait(0.2)
            for number in old:
                signal.signal(number, signal.SIG_DFL if number == signal.SIGTERM else signal.default_int_handler)
            self.stop()
        finally:
            for number, previous in old.items():
                signal.signal(number, previous)
        if self._fault is not None:
            raise self._fault

    def _on_signal(self, number: int, frame: Any) -> None:
        # Nothing that takes a lock: the main thread may hold it.
        self._signalled = True

    def start(self) -> None:
        """Registers, and starts the threads. Waits for a server that is away. A namespace need not exist yet: the worker gets its
        steps as soon as its first template is registered.

        :raises ProblemError: if the registration is refused: no permission, wrong credentials
        """
        if not self._handlers and not self._resolvers:
            raise ValueError("the worker has no handler")
        if self._is_started:
            raise ValueError("a worker starts once")
        self._is_started = True
        attempt = 0
        while not self._register():
            if self._signalled or self._is_stopping:
                return
            self._sleep(pause_seconds(attempt, _LONGEST_PAUSE))
            attempt += 1
        for loop in (self._claim_loop, self._submit_loop, self._heartbeat_loop, self._timeout_loop):
            threading.Thread(target=self._guarded, args=(loop,), name="tasker-%s" % loop.__name__.strip("_"), daemon=True).start()

    def __enter__(self) -> "Worker":
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def stop(self, drain_seconds: Optional[float] = None) -> None:
        """Drains: claims nothing more, lets running steps end, submits their results, and tells the server. Idempotent.

        :param drain_seconds: instead of the worker's
        """
        with self._changed:
            self._is_stopping = True
            self._changed.notify_all()
            is_first, self._is_draining = not self._is_draining, True
        if not self._is_started:
            return
        if not is_first:
            self._ended.wait()
            return
        end = time.monotonic() + (self.drain_seconds if drain_seconds is None else drain_seconds)
        log.info("worker %s drains", self.worker_uuid)
        self._drain()
        self._await_quiet(end)
        with self._changed:
            for run in self._unfinished():
                log.warning("%r has not ended within the time to drain", run)
                run.request_stop("shutdown")
                self._decide(run, Outcome.retryable("worker_shutdown", "the worker was stopped before the handler had ended"))
        self._await_quiet(time.monotonic() + 5)
        self._drain()
        with self._changed:
            self._has_ended = True
            left = len(self._runs)
            self._changed.notify_all()
        for _ in range(self._threads):
            self._tasks.put(None)
        self.client.close()
        self._ended.set()
        if left:
            log.warning("%d steps are left to the recovery of the servers: no server takes their results", left)
        log.info("worker %s has stopped", self.worker_uuid)

    def _unfinished(self) -> List[_Run]:
        return [run for run in self._runs.values() if not run.is_decided and not run.is_over]

    def _await_quiet(self, end: float) -> None:
        # A request that waits on another server than the one that was told ends by itself, and gets nothing any more.
        asked = min(end, time.monotonic() + 2)
        with self._changed:
            while self._runs and time.monotonic() < end or self._asking and time.monotonic() < asked:
                self._changed.wait(0.1)

    def _drain(self) -> None:
        """Ends the request that waits, too. A fault is left to the recovery of lost workers."""
        try:
            self.client.request("DELETE", self._path, retries=2)
        except TaskerError as e:
            log.warning("the worker could not be drained: %s", e)

    def _guarded(self, loop: Callable[[], None]) -> None:
        try:
            loop()
        except BaseException as e:  # A bug, here: the worker must not look alive without one of its loops.
            log.exception("%s has failed", loop.__name__)
            self._fault = e
            self._request_end()

    def _request_end(self) -> None:
        with self._changed:
            self._is_stopping = True
            self._changed.notify_all()

    def _sleep(self, seconds: float) -> None:
        """Not longer than until the worker is stopped."""
        end = time.monotonic() + seconds
        with self._changed:
            while not self._is_stopping and not self._signalled and time.monotonic() < end:
                self._changed.wait(min(0.2, max(0.0, end - time.monotonic())))

    # ---- registration

    def _register(self) -> bool:
        """False if the server is away."""
        body: Dict[str, Any] = {"worker_uuid": self.worker_uuid, "name": self.name[:128], "namespaces": self.namespaces,
                                "handlers": sorted({name for name, _ in self._handlers}), "resolvers": sorted(self._resolvers),
                                "capacity": self.capacity, "heartbeat_seconds": self._asked_heartbeat_seconds}
        with self._registering:
            try:
                answer = self.client.request("POST", "/v1/workers", body=body, retries=0).body
            except ProblemError as e:
                if not e.is_passing:
                    raise
                log.warning("not registered yet, trying again: %s", e)
                return False
            except (UnreachableError, UnreadableError) as e:
                log.warning("not registered yet, trying again: %s", e)
                return False
        self._heartbeat_seconds = answer["heartbeat_seconds"]
        self._lease_seconds = answer["lease_seconds"]
        self._renewed = self._registered = time.monotonic()
        log.info("worker %s is registered as %s", self.worker_uuid, self.name)
        for namespace in answer.get("missing_namespaces", ()):
            log.warning("there is no template in namespace %s yet; its steps come when there is one", namespace)
        return True

    # ---- claims

    def _claim_loop(self) -> None:
        while True:
            with self._changed:
                while not self._is_stopping and self._free() <= 0:
                    self._changed.wait()
                if self._is_stopping:
                    return
                count = min(self._free(), _MOST_AT_ONCE)
                self._reserved += count
            request_id = str(uuid.uuid4())
            try:
                steps = self._ask_for(request_id, {"max": count, "wait_seconds": self.wait_seconds, "request_id": request_id})
                with self._changed:
                    self._reserved -= count
                    count = 0
                    self._accept(steps)
            finally:
                with self._changed:
                    self._reserved -= count
                    self._asking.pop(request_id, None)
                    self._changed.notify_all()

    def _free(self) -> int:
        return self.capacity - self._occupied - self._reserved

    def _ask_for(self, request_id: str, body: Dict[str, Any]) -> List[Dict[str, Any]]:
        """Repeats the request until it has an answer: with the same ``request_id`` no step is lost with an answer."""
        with self._changed:
            self._asking[request_id] = time.monotonic()
        attempt = 0
        while True:
            asked: Optional[float] = None
            began = time.monotonic()
            try:
                steps: List[Dict[str, Any]] = self.client.request("POST", self._path + "/claims", body=body, retries=0,
                                                                  patience=body["wait_seconds"]).body["steps"]
                return steps
            except ProblemError as e:
                if e.code == "worker-not-claiming":
                    self._on_state(str(e.document.get("state")))
                    return []
                if e.code == "worker-not-found":
                    self._register_again(began)
                    return []
                asked = e.retry_after
                log.log(logging.WARNING if e.is_passing else logging.ERROR, "no steps claimed: %s", e)
            except UnreachableError as e:
                log.warning("no steps claimed: %s", e)
            except UnreadableError as e:
                found: Optional[List[Dict[str, Any]]] = _readable(e.text).get("steps")
                if found is not None:
                    return found
                log.error("no steps claimed: %s", e)
            if self._is_stopping:
                return []
            # Steps that the lost answer may have had are wanted now; there is no need to wait for others first.
            self._sleep(pause_seconds(attempt, _LONGEST_PAUSE, asked))
            attempt += 1

    def _on_state(self, state: str) -> None:
        if state == "lost":
            log.warning("the worker counted as lost: it sends a heartbeat")
            self._heartbeat()
        elif state in ("draining", "stopped"):
            if not self._is_stopping:
                log.warning("an operator drains the worker: it ends")
            self._request_end()
        else:
            self._sleep(self._heartbeat_seconds)

    def _register_again(self, asked: float) -> None:
        """The server has forgotten the worker, and so has recovered its steps."""
        with self._changed:
            if self._registered > asked:
                return
            log.warning("the server does not know the worker: it registers again")
            for run in list(self._runs.values()):
                self._lose(run)
        try:
            if not self._register():
                self._sleep(1.0)
        except ProblemError as e:
            log.error("not registered: %s", e)
            self._sleep(_LONGEST_PAUSE)

    def _accept(self, steps: Sequence[Mapping[str, Any]]) -> int:
        """With the lock. Occupies a slot for each step that is new, and starts it. Returns how many slots that took."""
        taken = 0
        for claimed in steps:
            run, complaint = self._read_step(claimed)
            step = run.step
            if run.key in self._runs:
                continue
            self._runs[run.key] = run
            self._occupied += 1
            taken += 1
            handler = None if step is None else self._find(step)
            if self._is_stopping:
                self._give_back(run, "released")
            elif step is None:
                log.error("%r cannot be read: %s", run, complaint)
                run.has_returned = True
                self._decide(run, Outcome.permanent(_NOT_READABLE, "the worker cannot read the step: " + complaint))
            elif handler is None:
                log.error("declined, because there is no such handler: %s", step.handler)
                self._give_back(run, "declined")
            elif step.cancel_requested:
                run.has_returned = True
                self._decide(run, Outcome.cancelled("cancelled before it was started"))
            else:
                if self._idle_threads == 0:
                    self._threads += 1
                    threading.Thread(target=self._run_steps, name="tasker-handler-%d" % self._threads, daemon=True).start()
                else:
                    self._idle_threads -= 1
                self._tasks.put((run, step, handler))
        self._changed.notify_all()
        return taken

    def _read_step(self, claimed: Mapping[str, Any]) -> Tuple[_Run, str]:
        """One that cannot be read has no step, and must not stop the others."""
        key = (claimed["step_uuid"], claimed["handoff"])
        if _COMPLAINT in claimed:
            return _Run(key), claimed[_COMPLAINT]
        try:
            return _Run(key, StepContext(claimed, self._save_checkpoint, self._fetch_results, self._fetch_batch)), ""
        except (KeyError, TypeError) as e:
            return _Run(key), "%s: %s" % (type(e).__name__, e)

    def _give_back(self, run: _Run, outcome: str) -> None:
        run.has_returned = True
        run.is_decided = True
        self._unsent.append((run, _json.dumps({"step_uuid": run.key[0], "handoff": run.key[1], "outcome": outcome})))

    # ---- steps

    def _run_steps(self) -> None:
        while True:
            task = self._tasks.get()
            if task is None:
                return
            run, step, handler = task
            try:
                returned = handler(step)
                outcome = returned if isinstance(returned, Outcome) else Outcome.success(returned)
            except BaseException as e:
                outcome = outcome_of(e, step, self.permanent)
                log.log(logging.DEBUG if run.is_decided else logging.WARNING, "%r has failed", run, exc_info=True)
            with self._changed:
                run.has_returned = True
                self._idle_threads += 1
                if run.is_decided or run.is_over:
                    log.info("%r has returned late: its outcome is dropped", run)
                else:
                    self._decide(run, outcome)
                self._free_slot(run)

    def _decide(self, run: _Run, outcome: Outcome) -> None:
        """With the lock."""
        milliseconds = run.milliseconds()
        run.outcome = outcome
        try:
            text = outcome._json(run.key[0], run.key[1], milliseconds)
        except (TypeError, ValueError, RecursionError) as e:
            log.error("%r has returned what is no JSON: %s", run, e)
            text = outcome._unstorable(str(e))._json(run.key[0], run.key[1], milliseconds)
        run.is_decided = True
        self._unsent.append((run, text))
        self._changed.notify_all()

    def _free_slot(self, run: _Run) -> None:
        """With the lock, when the handler has returned or the result has a verdict: the later of the two frees the slot."""
        if run.is_over:
            self._runs.pop(run.key, None)
            if run.has_returned:
                self._occupied -= 1
        self._changed.notify_all()

    def _lose(self, run: _Run) -> None:
        """With the lock: the step is not the worker's any more."""
        if run.is_over:
            return
        log.warning("%r is lost: another attempt takes over, and its result is dropped", run)
        run.is_over = True
        run.request_stop("lost")
        self._unsent = collections.deque(each for each in self._unsent if each[0] is not run)
        self._free_slot(run)

    def _timeout_loop(self) -> None:
        with self._changed:
            while not self._has_ended:
                left = 60.0
                for run in self._unfinished():
                    seconds = None if run.step is None else run.step.seconds_left
                    if run.step is None or seconds is None:
                        continue
                    if seconds > 0:
                        left = min(left, seconds)
                        continue
                    message = "the handler has not returned within %s s" % run.step.timeout_seconds
                    log.warning("%r: %s", run, message)
                    run.request_stop("timeout")
                    self._decide(run, Outcome.retryable("handler_timeout", message))
                self._changed.wait(left)

    # ---- what handlers ask for while they run

    def _save_checkpoint(self, step: StepContext, checkpoint: Any) -> None:
        key = (step.step_uuid, step.handoff)
        try:
            body = _json.dumps({"checkpoints": [{"step_uuid": key[0], "handoff": key[1], "checkpoint": checkpoint}]}).encode()
        except (TypeError, ValueError, RecursionError) as e:
            raise PermanentError("the checkpoint is no JSON: %s" % e, type=_CHECKPOINT_NOT_STORABLE) from e
        try:
            answer = self._ask_for_handler(step, "POST", self._path + "/checkpoints", body=body)
        except ProblemError as e:
            if e.status in (400, 413):
                raise PermanentError(e.detail, type=_CHECKPOINT_NOT_STORABLE) from e
            raise
        if answer["verdicts"][0]["verdict"] == "stale":
            with self._changed:
                if key in self._runs:
                    self._lose(self._runs[key])
            raise StepCancelled("stopped: lost")
        if answer["cancels"] and not step.stop_requested:
            log.info("%r is asked to stop", step)
            step._request_stop("cancel")

    def _fetch_results(self, step: StepContext, names: List[str]) -> Dict[str, Any]:
        results: Dict[str, Any] = self._ask_for_handler(step, "GET", "%s/steps/%s/results" % (self._path, step.step_uuid),
                                                        query={"name": names})["results"]
        return results

    def _fetch_batch(self, step: StepContext, name: str, cursor: Optional[str]) -> Dict[str, Any]:
        page: Dict[str, Any] = self._ask_for_handler(step, "GET", "%s/steps/%s/batch-results" % (self._path, step.step_uuid),
                                                     query={"name": name, "limit": 1000, "cursor": cursor})
        return page

    def _ask_for_handler(self, step: StepContext, method: str, path: str, **request: Any) -> Any:
        """Waits for a server that is away, until the handler is told to stop."""
        attempt = 0
        while True:
            try:
                return self.client.request(method, path, retries=0, **request).body
            except ProblemError as e:
                if e.code in ("worker-not-found", "step-not-claimed"):
                    # The next heartbeat finds out which steps the worker has lost.
                    raise StepCancelled("stopped: lost") from e
                if not e.is_passing:
                    raise
                asked = e.retry_after
                log.warning("%r waits for a server: %s", step, e)
            except UnreadableError as e:
                raise PermanentError(str(e), type="answer_not_readable") from e
            except UnreachableError as e:
                asked = None
                log.warning("%r waits for a server: %s", step, e)
            pause = pause_seconds(attempt, _LONGEST_PAUSE, asked)
            if step.stop_requested:
                time.sleep(pause)
            else:
                step.wait(pause)
            # A handler that has been told to cancel may still save what it has.
            if step.stop_reason not in (None, "cancel"):
                raise StepCancelled("stopped: %s" % step.stop_reason)
            attempt += 1

    # ---- results

    def _submit_loop(self) -> None:
        is_busy = False
        while True:
            with self._changed:
                while not self._unsent and not self._has_ended:
                    self._changed.wait()
                if is_busy:
                    # Handlers that end within moments of each other share a request, which is a transaction.
                    self._changed.wait_for(lambda: len(self._unsent) >= min(len(self._runs), _MOST_AT_ONCE) or self._has_ended, _GATHERING)
                if self._has_ended:
                    return
                batch, length = [self._unsent.popleft()], 0
                while self._unsent and len(batch) < _MOST_AT_ONCE:
                    length += len(batch[-1][1])
                    if length + len(self._unsent[0][1]) > _LONGEST_BODY:
                        break
                    batch.append(self._unsent.popleft())
                is_busy = len(batch) > 1
            self._submit(batch)

    def _submit(self, batch: List[Tuple[_Run, str]]) -> None:
        """Repeats the request until every result has a verdict; a repetition is answered ``already``."""
        request_id = str(uuid.uuid4())
        attempt = 0
        reserved = 0
        try:
            while True:
                with self._changed:
                    batch = [each for each in batch if not each[0].is_over]
                    if not batch or self._has_ended:
                        return
                    # The slots that these results free are asked for in the same request.
                    if not self._is_stopping:
                        reserved = sum(run.has_returned for run, _ in batch)
                        if reserved:
                            self._asking.setdefault(request_id, time.monotonic())
                    claims = ',"claims":' + _json.dumps({"max": reserved, "request_id": request_id}) if reserved else ""
                body = ('{"results":[' + ",".join(text for _, text in batch) + "]" + claims + "}").encode()
                asked: Optional[float] = None
                began = time.monotonic()
                try:
                    answer = self.client.request("POST", self._path + "/results", body=body, retries=0).body
                    self._settle(batch, answer)
                    return
                except ProblemError as e:
                    if e.code == "worker-not-found":
                        self._register_again(began)
                        continue
                    if e.status in (400, 413):
                        batch = self._without_refused(batch, e)
                        continue
                    asked = e.retry_after
                    log.log(logging.WARNING if e.is_passing else logging.ERROR, "%d results not submitted yet: %s", len(batch), e)
                except UnreachableError as e:
                    log.warning("%d results not submitted yet: %s", len(batch), e)
                except UnreadableError as e:
                    document = _readable(e.text)
                    if {"verdicts", "steps", "state"} <= document.keys():
                        self._settle(batch, document)
                        return
                    log.error("%d results not submitted yet: %s", len(batch), e)
                # The first repetition is made even while the worker drains.
                with self._changed:
                    self._changed.wait_for(lambda: self._has_ended, pause_seconds(attempt, _LONGEST_PAUSE, asked))
                attempt += 1
        finally:
            with self._changed:
                self._asking.pop(request_id, None)
                self._changed.notify_all()

    def _settle(self, batch: List[Tuple[_Run, str]], answer: Mapping[str, Any]) -> None:
        with self._changed:
            verdicts = {(each["step_uuid"], each["handoff"]): each for each in answer["verdicts"]}
            for run, _ in batch:
                verdict = verdicts[run.key]
                if verdict["verdict"] == "stale":
                    log.warning("the result of %r is stale: the step is not this worker's any more", run)
                elif "error" in verdict:
                    log.error("the result of %r was refused: %s: %s", run, verdict["error"]["type"], verdict["error"]["message"])
                if not run.is_over:
                    run.is_over = True
                    self._free_slot(run)
            self._accept(answer["steps"])
            state = answer["state"]
        if state in ("draining", "stopped") and not self._is_stopping:
            self._on_state(state)

    def _without_refused(self, batch: List[Tuple[_Run, str]], problem: ProblemError) -> List[Tuple[_Run, str]]:
        """The request was refused and changed nothing: results that cannot be stored become permanent failures."""
        found = [_RESULT_FIELD.match(violation.field) for violation in problem.violations]
        refused = {int(match.group(1)): violation.message for match, violation in zip(found, problem.violations) if match}
        if not refused:
            if len(batch) > 1:
                # Too long together: one at a time.
                with self._changed:
                    self._unsent.extendleft(reversed(batch[1:]))
                return batch[:1]
            refused = {0: problem.detail}
        kept: List[Tuple[_Run, str]] = []
        for index, (run, text) in enumerate(batch):
            if index not in refused:
                kept.append((run, text))
                continue
            log.error("the result of %r was refused: %s", run, refused[index])
            if run.is_refused:
                # Not even the failure is taken: the lease ends it.
                with self._changed:
                    self._lose(run)
                continue
            run.is_refused = True
            failure = run.outcome._unstorable("the server refused the result: " + refused[index][:1000])
            kept.append((run, failure._json(run.key[0], run.key[1], run.milliseconds())))
        return kept

    # ---- heartbeats

    def _heartbeat_loop(self) -> None:
        attempt = 0
        while True:
            pause = self._heartbeat_seconds if attempt == 0 else pause_seconds(attempt, self._heartbeat_seconds)
            end = time.monotonic() + pause
            with self._changed:
                while not self._has_ended and time.monotonic() < end:
                    self._changed.wait(max(0.0, end - time.monotonic()))
                if self._has_ended:
                    return
            attempt = 0 if self._heartbeat() else attempt + 1

    def _heartbeat(self) -> bool:
        with self._changed:
            named = {run.key: run for run in self._runs.values() if not run.is_over}
        body = {"steps": [{"step_uuid": step, "handoff": handoff} for step, handoff in named]}
        began = time.monotonic()
        try:
            answer = self.client.request("POST", self._path + "/heartbeat", body=body, retries=0,
                                         timeout=max(_SHORTEST_PATIENCE, self._heartbeat_seconds)).body
        except ProblemError as e:
            log.log(logging.WARNING if e.is_passing else logging.ERROR, "no heartbeat: %s", e)
            if e.code == "worker-not-found":
                self._register_again(began)
            self._watch_leases()
            return False
        except (UnreachableError, UnreadableError) as e:
            log.warning("no heartbeat: %s", e)
            self._watch_leases()
            return False
        received = time.monotonic()
        with self._changed:
            self._renewed = received
            self._heartbeat_seconds = answer["heartbeat_seconds"]
            self._lease_seconds = answer["lease_seconds"]
            lost = set(answer["lost"])
            for run in named.values():
                # One whose result is on the way may have been settled meanwhile.
                if run.key[0] in lost and not run.is_decided:
                    self._lose(run)
            for cancel in answer["cancels"]:
                found = self._runs.get((cancel["step_uuid"], cancel["handoff"]))
                if found is not None and not found.is_decided and not found.is_told():
                    log.info("%r is asked to stop", found)
                    found.request_stop("cancel")
            self._give_back_unknown(answer["unreported"], received)
        if answer["state"] in ("draining", "stopped") and not self._is_stopping:
            self._on_state(answer["state"])
        return True

    def _give_back_unknown(self, unreported: Sequence[Mapping[str, Any]], received: float) -> None:
        """With the lock. Steps that two heartbeats in a row list, and whose answer is not on the way: it was lost for ever."""
        suspects: Set[_Key] = set()
        for each in unreported:
            key = (each["step_uuid"], each["handoff"])
            claimed = received - each["claimed_ms_ago"] / 1000
            if key in self._runs or any(asked <= claimed + 5 for asked in self._asking.values()):
                continue
            suspects.add(key)
            if key in self._suspects:
                log.warning("step %s was claimed and never arrived: given back", key[0])
                run = self._runs[key] = _Run(key)
                self._occupied += 1
                self._give_back(run, "released")
        self._suspects = suspects
        self._changed.notify_all()

    def _watch_leases(self) -> None:
        """Without a server for as long as a lease, the steps may run elsewhere: their handlers are told before."""
        with self._changed:
            if time.monotonic() - self._renewed > self._lease_seconds - self._heartbeat_seconds:
                for run in self._unfinished():
                    if not run.is_told():
                        log.warning("the lease of %r runs out, because no server answers", run)
                        run.request_stop("lost")



def _readable(text: str) -> Dict[str, Any]:
    """The members of an answer that cannot be read as a whole, as far as they can be; of a step that cannot, its key and why."""
    try:
        members = _json.members(text)
    except ValueError:
        return {}
    document: Dict[str, Any] = {}
    for name, value in members.items():
        try:
            document[name] = [_readable_step(each) for each in _json.elements(value)] if name == "steps" else _json.loads(value, False)
        except (ValueError, RecursionError, KeyError):
            pass
    return document


def _readable_step(text: str) -> Dict[str, Any]:
    try:
        step: Dict[str, Any] = _json.loads(text, False)
        return step
    except (ValueError, RecursionError) as e:
        members = _json.members(text)
        return {"step_uuid": _json.loads(members["step_uuid"], False), "handoff": _json.loads(members["handoff"], False), _COMPLAINT: str(e)}
