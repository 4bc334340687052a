"""What a handler receives and what it may return."""

from __future__ import annotations

import re
import threading
import time
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple, Type

from . import _json

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
#: Ten years: the longest time that a step waits for a retry, or after a yield.
_LONGEST_DELAY = 315360000


class StepContext:
    """A step that a handler is to run. Its methods may be called from several threads.

    :param claimed: a step as the protocol has it
    :param save: sends a checkpoint, and raises if it was not saved; in a test of a handler there need be none
    :param fetch: gets the results of ancestors by name
    :param fetch_batch: gets a page of the results of a batch: its name and the cursor of the page, None for the first
    """

    def __init__(self, claimed: Mapping[str, Any], save: Optional[Callable[["StepContext", Any], None]] = None,
                 fetch: Optional[Callable[["StepContext", List[str]], Dict[str, Any]]] = None,
                 fetch_batch: Optional[Callable[["StepContext", str, Optional[str]], Dict[str, Any]]] = None) -> None:
        self.task_uuid: str = claimed["task_uuid"]
        self.step_uuid: str = claimed["step_uuid"]
        #: Names the claim. A later handoff of the same step makes results of this one stale.
        self.handoff: int = claimed["handoff"]
        #: Counted from 1.
        self.attempt: int = claimed["attempt"]
        self.max_attempts: int = claimed["max_attempts"]
        #: For other systems, so that they do once what all attempts ask for, such as a payment. It changes only when an operator wants the
        #: effect again.
        self.idempotency_token: str = claimed["idempotency_token"]
        #: The step's name in the task.
        self.name: str = claimed["name"]
        #: The template's ``handler.callable``, ``method`` and ``resolver``.
        self.handler: str = claimed["handler"]
        self.method: str = claimed["method"]
        self.resolver: Optional[str] = claimed["resolver"]
        #: The template's configuration of the handler.
        self.initialization: Dict[str, Any] = claimed["initialization"]
        self.timeout_seconds: Optional[int] = claimed["timeout_seconds"]
        self.namespace: str = claimed["namespace"]
        self.template: str = claimed["template"]
        self.version: str = claimed["version"]
        self.correlation_id: str = claimed["correlation_id"]
        self.parent_correlation_id: Optional[str] = claimed["parent_correlation_id"]
        #: The W3C ``traceparent`` of the task's request, to be passed on.
        self.trace_parent: Optional[str] = claimed["trace_parent"]
        #: The task's input.
        self.context: Dict[str, Any] = claimed["context"]
        #: What an operator gave the step; for a worker of a batch ``batch_id``, ``batch_number``, ``batch_count`` and its cursor or items.
        self.inputs: Dict[str, Any] = claimed["inputs"]
        #: The results of the direct parents, by the step's name. :meth:`result` has those of farther ancestors as well.
        self.results: Dict[str, Any] = claimed["results"]
        #: The latest that was saved, by this attempt or an earlier one (:meth:`save_checkpoint`, :meth:`Outcome.yielded`), or None.
        self.checkpoint: Any = claimed["checkpoint"]
        self._save = save
        self._fetch = fetch
        self._fetch_batch = fetch_batch
        self._ancestors: Dict[str, Any] = {}
        self._stop = threading.Event()
        self._reason: Optional[str] = "cancel" if claimed["cancel_requested"] else None
        self._end = None if self.timeout_seconds is None else time.monotonic() + self.timeout_seconds
        if self._reason:
            self._stop.set()

    @property
    def attempt_token(self) -> str:
        """Another one for each attempt, and the same over its yields: for effects that each attempt must have anew."""
        return "%s:%d" % (self.step_uuid, self.attempt)

    @property
    def cursor(self) -> Any:
        """Of a worker of a batch: what :meth:`Outcome.batches` was given for it. None if its batch was cut by a path."""
        return self.inputs.get("cursor")

    @property
    def items(self) -> Optional[List[Any]]:
        """Of a worker of a batch that was cut by a path: its items."""
        return self.inputs.get("items")

    def result(self, name: str) -> Any:
        """The result of an ancestor; None if the step has no such ancestor, or the ancestor no result. Results of direct parents came
        with the step, those of others are fetched when they are first read.

        :raises StepCancelled: if the handler is told to stop while it waits for a server
        """
        if name in self.results:
            return self.results[name]
        if name not in self._ancestors and self._fetch is not None:
            self._ancestors[name] = self._fetch(self, [name]).get(name)
        return self._ancestors.get(name)

    def batch_results(self, name: str) -> Iterator[Dict[str, Any]]:
        """What became of each batch of an ancestor, in their order: ``batch_number`` and ``batch_id`` with ``result``, or with ``error``
        if its worker failed, or with neither if an operator resolved it. Read page by page as the iteration goes on, so that a batch
        of 100 000 needs no more memory than one of 100.

        :param name: of the batch step, an ancestor of this one
        :raises StepCancelled: if the handler is told to stop while it waits for a server
        :raises ProblemError: ``invalid-request``, if the step has no such ancestor
        """
        cursor: Optional[str] = None
        while self._fetch_batch is not None:
            page = self._fetch_batch(self, name, cursor)
            yield from page["results"]
            cursor = page["next"]
            if cursor is None:
                return

    def save_checkpoint(self, checkpoint: Any) -> None:
        """Saves how far the handler is, for a later attempt; the handler goes on. Waits for a server that is away. Also renews the
        lease, and notices a cancel at once. Once a second is plenty: each call is a request and rewrites the whole checkpoint.

        :param checkpoint: any JSON but None, of at most 64 KiB
        :raises StepCancelled: if the step is not this worker's any more, or the handler is told to stop while it waits
        :raises PermanentError: ``checkpoint_not_storable``, if it is too long or no JSON
        """
        if self._save is not None:
            self._save(self, checkpoint)
        self.checkpoint = checkpoint

    @property
    def is_retry(self) -> bool:
        return self.attempt > 1

    @property
    def is_last_attempt(self) -> bool:
        return self.attempt >= self.max_attempts

    @property
    def cancel_requested(self) -> bool:
        """Whether the task is being cancelled: stop, and raise :class:`StepCancelled`. A handler that finishes instead keeps its result."""
        return self._reason == "cancel"

    @property
    def stop_requested(self) -> bool:
        """Whether to stop, for any :attr:`stop_reason`. Only for ``cancel`` what the handler returns still counts."""
        return self._stop.is_set()

    @property
    def stop_reason(self) -> Optional[str]:
        """``cancel``: the task is being cancelled. ``timeout``: the template's ``timeout_seconds`` are over. ``lost``: the step is
        not this worker's any more, or its lease has run out because no server answers. ``shutdown``: the worker ends and the time
        to drain is over. None: go on."""
        return self._reason

    @property
    def seconds_left(self) -> Optional[float]:
        """Until the time-out; None without one."""
        return None if self._end is None else max(0.0, self._end - time.monotonic())

    def wait(self, seconds: float) -> bool:
        """Sleeps, but not longer than until :attr:`stop_requested`, which it returns."""
        return self._stop.wait(seconds)

    def raise_if_stopped(self) -> None:
        """Raises :class:`StepCancelled` if :attr:`stop_requested`."""
        if self._stop.is_set():
            raise StepCancelled("stopped: %s" % self._reason)

    def _request_stop(self, reason: str) -> None:
        if self._reason is None or self._reason == "cancel":
            self._reason = reason
        self._stop.set()

    def __repr__(self) -> str:
        return "StepContext(%s of %s/%s, step_uuid=%s, attempt=%d)" % (self.name, self.namespace, self.template, self.step_uuid, self.attempt)


class Outcome:
    """What became of a step. A handler that returns anything else has succeeded with that as its result."""

    def __init__(self, kind: str, members: Mapping[str, Any]) -> None:
        self.kind = kind
        self._members = {name: value for name, value in members.items() if value is not None}

    @classmethod
    def success(cls, result: Any = None) -> "Outcome":
        """The step is complete, if the result fits the template's ``result_schema``. Without a result it is ``{}``."""
        return cls("success", {"result": {} if result is None else result})

    @classmethod
    def decide(cls, *steps: str, result: Any = None) -> "Outcome":
        """For a decision, and only for that: the names of the steps to create, none for none."""
        return cls("success", {"result": {} if result is None else result, "decision": list(steps)})

    @classmethod
    def batches(cls, cursors: Iterable[Any], result: Any = None) -> "Outcome":
        """For a batchable step, and only for that: a cursor for each worker to create, none for none. A cursor is any JSON of at most 16 KiB."""
        return cls("success", {"result": {} if result is None else result, "batches": list(cursors)})

    @classmethod
    def retryable(cls, type: str, message: str, details: Optional[Mapping[str, Any]] = None,
                  retry_after: Optional[float] = None) -> "Outcome":
        """The step is tried again while attempts are left: after the template's backoff, or after ``retry_after`` seconds.

        :raises ValueError: if ``retry_after`` is no time from 0 to ten years
        """
        return cls("retryable_failure", {"error": _error(type, message, details),
                                         "retry_after_ms": None if retry_after is None else _milliseconds("retry_after", retry_after)})

    @classmethod
    def permanent(cls, type: str, message: str, details: Optional[Mapping[str, Any]] = None) -> "Outcome":
        """The step has failed and is not tried again."""
        return cls("permanent_failure", {"error": _error(type, message, details)})

    @classmethod
    def cancelled(cls, reason: str = "", result: Any = None) -> "Outcome":
        """Stopped because of a cancel request, with a partial result if there is one."""
        return cls("cancelled", {"result": result, "error": _error("Cancelled", reason, None) if reason else None})

    @classmethod
    def yielded(cls, checkpoint: Any = None, after: float = 0) -> "Outcome":
        """The step is not done: it goes on from the checkpoint, at the earliest after that many seconds, on any worker. Uses no
        attempt. Without a checkpoint it keeps the latest one. More than 64 KiB, or 20 in a row at once with the same one, fail the step.

        :raises ValueError: if ``after`` is no time from 0 to ten years
        """
        return cls("yielded", {"checkpoint": checkpoint, "after_ms": _milliseconds("after", after)})

    def _unstorable(self, why: str) -> "Outcome":
        """What remains of an outcome that cannot be sent: a failure keeps its kind and its message, without its details."""
        error = self._members.get("error")
        if self.kind in ("retryable_failure", "permanent_failure", "cancelled") and error is not None:
            members = {name: value for name, value in self._members.items() if name != "result"}
            return Outcome(self.kind, {**members, "error": {**_error(error["type"], error["message"], None), "details": {"omitted": why[:1000]}}})
        return Outcome.permanent("result_not_storable", why)

    def _json(self, step_uuid: str, handoff: int, milliseconds: int) -> str:
        """Raises TypeError or ValueError if a value is not JSON."""
        return _json.dumps({"step_uuid": step_uuid, "handoff": handoff, "outcome": self.kind,
                            "execution_time_ms": milliseconds, **self._members})


def _milliseconds(name: str, seconds: float) -> int:
    if not 0 <= seconds <= _LONGEST_DELAY:
        raise ValueError("%s must be from 0 to %d seconds, which is ten years, not %r" % (name, _LONGEST_DELAY, seconds))
    return round(seconds * 1000)


def _error(type: str, message: str, details: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
    kind = _clean(str(type)) or "Error"
    error: Dict[str, Any] = {"type": kind[:200], "message": (_clean(str(message)) or kind)[:4000]}
    if details is not None:
        error["details"] = dict(details)
    return error


def _clean(text: str) -> str:
    """Without what PostgreSQL does not store: a failure is not to fail for its message. Blank if nothing is left."""
    return _UNSTORABLE.sub(lambda found: " " if found.group() == "\0" else "?", text) if text.strip() else ""


class _Failure(Exception):
    def __init__(self, message: str, *, type: Optional[str] = None, details: Optional[Mapping[str, Any]] = None) -> None:
        super().__init__(message)
        self.type = type
        self.details = details


class PermanentError(_Failure):
    """Raised by a handler: a retry would not help. ``type`` is the error's type in the answers; the class's name without it."""


class RetryableError(_Failure):
    """Raised by a handler: try again, after ``retry_after`` seconds or the template's backoff. Any other exception is retried too,
    except :data:`MISTAKES`.

    :raises ValueError: if ``retry_after`` is no time from 0 to ten years
    """

    def __init__(self, message: str, *, type: Optional[str] = None, details: Optional[Mapping[str, Any]] = None,
                 retry_after: Optional[float] = None) -> None:
        super().__init__(message, type=type, details=details)
        if retry_after is not None:
            _milliseconds("retry_after", retry_after)
        self.retry_after = retry_after


class StepCancelled(Exception):
    """Raised by a handler that has stopped because it was asked to. ``result``: what it has done so far."""

    def __init__(self, message: str = "stopped because of a cancel request", result: Any = None) -> None:
        super().__init__(message)
        self.result = result


#: Mistakes in the code of a handler, which the next attempt would find where they are: a name, an attribute, a module that is not there.
MISTAKES: Tuple[Type[BaseException], ...] = (AttributeError, ImportError, NameError, SyntaxError)


def outcome_of(error: BaseException, step: StepContext, permanent: Tuple[Type[BaseException], ...] = MISTAKES) -> Outcome:
    """The outcome of a handler that raised."""
    if isinstance(error, PermanentError):
        return Outcome.permanent(error.type or type(error).__name__, str(error), error.details)
    if isinstance(error, RetryableError):
        try:
            return Outcome.retryable(error.type or type(error).__name__, str(error), error.details, error.retry_after)
        except (TypeError, ValueError) as e:
            # Set after it was constructed.
            return Outcome.retryable(type(e).__name__, str(e))
    if isinstance(error, StepCancelled):
        if step.cancel_requested:
            return Outcome.cancelled(str(error), error.result)
        return Outcome.retryable("Stopped", str(error))
    if isinstance(error, permanent):
        return Outcome.permanent(type(error).__name__, str(error))
    return Outcome.retryable(type(error).__name__, str(error))
