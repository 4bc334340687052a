"""The interface of a server for programs that submit tasks and follow them."""

from __future__ import annotations

import base64
import os
import re
import ssl
import time
import urllib.parse
import uuid
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Union

from . import _json
from ._http import Raw, Transport, pause_seconds
from .errors import ProblemError, UnreachableError, UnreadableError, WaitTimeout

#: A task as the interface describes it: ``task_uuid``, ``state``, ``steps`` and so on.
Task = Dict[str, Any]

_LOCAL = "http://localhost:8080"
_LONGEST_WAIT = 60
_LONGEST_PAUSE = 30.0
_TERMINAL_OR_BLOCKED = frozenset(["complete", "error", "cancelled", "resolved_manually", "blocked_by_failures"])
# Operations that accept no Idempotency-Key: see docs/rest.md, "Send a request again".
_WITHOUT_KEY = re.compile(r"/v1/(access/|templates/validate$|workers/[^/]+/(claims|results|checkpoints|heartbeat)$)")
# They can be repeated in another way, or change nothing.
_REPEATABLE = re.compile(r"/v1/(templates/validate$|workers/[^/]+/(claims|results|checkpoints|heartbeat)$)")


class Reply(NamedTuple):
    """The answer to any request; ``body`` is JSON as Python values, or text if it is no JSON, or None."""

    status: int
    headers: Mapping[str, str]
    body: Any


class SubmittedTask(NamedTuple):
    """A task that the server has committed, or the earlier one that the request duplicates."""

    task_uuid: str
    state: str
    version: str
    correlation_id: str
    duplicate: bool


class Client:
    """Speaks to a Tasker EE server, or to several behind one address. Thread-safe; one for a program is enough.

    :param url: the address with its context root if it has one; ``TASKER_URL``, or ``http://localhost:8080``
    :param key: an API key
    :param token: a signed token (JWT), or a function that returns the present one
    :param user: the name of a user, with ``password``
    :param timeout: seconds for one answer, without what the request asks the server to wait
    :param retries: how often a request is repeated at most
    :param ssl_context: other certificates than those that the system trusts
    :param decimals: whether numbers with a fraction are read as ``decimal.Decimal`` and not as ``float``

    Credentials that are not given come from the environment: ``TASKER_KEY``, else ``TASKER_TOKEN``, else ``TASKER_USER`` and
    ``TASKER_PASSWORD``.

    **Errors.** A refusal is a :class:`ProblemError`; no answer is an :class:`UnreachableError`, and one that Python cannot read an
    :class:`UnreadableError`.

    **Repetitions.** A request is repeated if the connection breaks, no answer comes in time, or the server is unavailable, but only
    if that cannot take effect twice: if it reads, has an ``Idempotency-Key`` (the client makes one for every operation that accepts
    it), or was never sent.
    """

    def __init__(self, url: Optional[str] = None, *, key: Optional[str] = None, token: Union[str, Callable[[], str], None] = None,
                 user: Optional[str] = None, password: Optional[str] = None, timeout: float = 30.0, retries: int = 4,
                 ssl_context: Optional[ssl.SSLContext] = None, decimals: bool = False) -> None:
        self._transport = Transport(url or os.environ.get("TASKER_URL") or _LOCAL, ssl_context)
        self._authorization = _authorization(key, token, user, password)
        self._timeout = timeout
        self._retries = retries
        self._decimals = decimals

    @property
    def url(self) -> str:
        return self._transport.url

    def close(self) -> None:
        """Closes connections that are not in use."""
        self._transport.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # ---- tasks

    def submit(self, namespace: str, name: str, context: Optional[Mapping[str, Any]] = None, *, version: Optional[str] = None,
               idempotency_key: Optional[str] = None, **members: Any) -> SubmittedTask:
        """Submits a task and returns when it is committed.

        :param name: of the template
        :param context: the task's input
        :param version: of the template; the highest without it
        :param idempotency_key: identifies the task, so that a second request with it is a duplicate
        :param members: further members of the request: ``priority``, ``tags``, ``initiator``, ``reason``, ``correlation_id``,
            ``parent_task_uuid``, ``on_duplicate`` (``refuse`` or ``return``) and others
        :raises ProblemError: ``duplicate-task``, ``unknown-template``, ``invalid-context`` and others
        """
        given = {"version": version, "idempotency_key": idempotency_key, **members}
        request = {"namespace": namespace, "name": name, "context": context or {},
                   **{member: value for member, value in given.items() if value is not None}}
        answer = self.request("POST", "/v1/tasks", body=request).body
        return SubmittedTask(answer["task_uuid"], answer["state"], answer["version"], answer["correlation_id"], answer["duplicate"])

    def submit_many(self, requests: Iterable[Mapping[str, Any]]) -> List[Dict[str, Any]]:
        """Submits up to 1000 tasks. Each succeeds or fails on its own: the verdicts, in the same order, have a ``status`` each, and
        ``task_uuid`` or the problem's ``code``, ``detail`` and ``violations``."""
        verdicts: List[Dict[str, Any]] = self.request("POST", "/v1/tasks:batch", body=list(requests)).body["verdicts"]
        return verdicts

    def get(self, task_uuid: str, *, wait: int = 0) -> Task:
        """The task. With ``wait`` the server answers when it is terminal or blocked, or after so many seconds (at most 60).

        :raises ProblemError: ``task-not-found``
        """
        task: Task = self.request("GET", "/v1/tasks/" + _segment(task_uuid), query={"wait": wait or None}, patience=wait).body
        return task

    def wait(self, task_uuid: str, timeout: float = 300.0) -> Task:
        """Waits until the task is terminal or blocked, by long polls.

        :param timeout: seconds
        :raises WaitTimeout: if it is neither when the time is over
        """
        end = time.monotonic() + timeout
        while True:
            left = max(0.0, end - time.monotonic())
            task = self.get(task_uuid, wait=min(_LONGEST_WAIT, int(left + 0.999)))
            if task["state"] in _TERMINAL_OR_BLOCKED:
                return task
            if left <= 0:
                raise WaitTimeout(task, timeout)

    def list(self, *, limit: int = 25, cursor: Optional[str] = None, **filters: Any) -> Dict[str, Any]:
        """A page of tasks, newest first: ``tasks`` and ``next``, the cursor of the next page or None.

        :param filters: ``namespace``, ``name``, ``state``, ``tag``, ``attribute``, ``created_after`` and others; a list for several
        """
        page: Dict[str, Any] = self.request("GET", "/v1/tasks", query={"limit": limit, "cursor": cursor, **filters}).body
        return page

    def tasks(self, **filters: Any) -> Iterator[Task]:
        """All tasks that match, newest first; reads page by page."""
        cursor: Optional[str] = None
        while True:
            page = self.list(limit=100, cursor=cursor, **filters)
            yield from page["tasks"]
            cursor = page["next"]
            if cursor is None:
                return

    def steps(self, task_uuid: str) -> List[Dict[str, Any]]:
        """The steps of a task with results and errors."""
        steps: List[Dict[str, Any]] = self.request("GET", "/v1/tasks/%s/workflow_steps" % _segment(task_uuid)).body["steps"]
        return steps

    def batch_workers(self, task_uuid: str, batch_step_uuid: str, state: Optional[str] = None) -> Iterator[Dict[str, Any]]:
        """The workers of a batch with results and errors, as :meth:`steps` shows steps, in the order of the batches; reads page by page.

        :param batch_step_uuid: ``step_uuid`` of one of the task's ``batches``
        :param state: only the workers in this state
        """
        cursor: Optional[str] = None
        while True:
            page = self.request("GET", "/v1/tasks/%s/workflow_steps" % _segment(task_uuid),
                                query={"batch": batch_step_uuid, "limit": 100, "cursor": cursor, "state": state}).body
            yield from page["steps"]
            cursor = page["next"]
            if cursor is None:
                return

    def cancel(self, task_uuid: str, reason: str, *, requested_by: Optional[str] = None, policy: Optional[str] = None,
               grace_seconds: Optional[int] = None, children: Optional[str] = None) -> Task:
        """Asks for a cancel; a second request changes nothing.

        :param policy: ``cancel_running`` (the default) or ``allow_finish``
        :param children: ``leave`` (the default) or ``cancel``
        :return: the task as it is now, which may still run
        """
        task: Task = self.request("DELETE", "/v1/tasks/" + _segment(task_uuid), query={
            "reason": reason, "requested_by": requested_by, "policy": policy, "grace_seconds": grace_seconds, "children": children}).body
        return task

    def register_template(self, yaml: str) -> Dict[str, Any]:
        """Registers a template; the same again changes nothing.

        :raises ProblemError: ``invalid-template`` with all violations, ``template-exists``
        """
        answer: Dict[str, Any] = self.request("POST", "/v1/templates", body=yaml, content_type="application/yaml").body
        return answer

    # ---- any operation

    def request(self, method: str, path: str, *, query: Optional[Mapping[str, Any]] = None, body: Any = None,
                content_type: str = "application/json", headers: Optional[Mapping[str, str]] = None,
                idempotency_key: Optional[str] = None, patience: float = 0.0, timeout: Optional[float] = None,
                retries: Optional[int] = None) -> Reply:
        """Sends any request of docs/rest.md.

        :param path: from ``/v1`` on; values in it are to be quoted
        :param query: parameters; those that are None are left out, a list is repeated
        :param body: values that become JSON; bytes, and text of another ``content_type``, are sent as they are
        :param idempotency_key: one of the caller's, so that a repetition by a later process takes effect once
        :param patience: seconds that the request asks the server to wait
        :param timeout: seconds for one answer, without ``patience``; the client's by default
        :raises ProblemError: if the server refuses it
        :raises UnreachableError: if no answer comes
        :raises UnreadableError: if an answer comes that Python cannot read
        """
        target = path + _query(query)
        most = self._retries if retries is None else retries
        if isinstance(body, bytes):
            payload: Optional[bytes] = body
        elif content_type == "application/json":
            payload = None if body is None else _json.dumps(body).encode()
        else:
            payload = str(body).encode()
        sent = {"Accept": "application/json, */*;q=0.5", "User-Agent": "tasker-ee-python"}
        if payload is not None:
            sent["Content-Type"] = content_type
        if idempotency_key:
            sent["Idempotency-Key"] = idempotency_key
        elif method != "GET" and not _WITHOUT_KEY.match(path) and most:
            sent["Idempotency-Key"] = str(uuid.uuid4())
        sent.update(headers or {})
        is_repeatable = method == "GET" or "Idempotency-Key" in sent or bool(_REPEATABLE.match(path))
        return self._repeated(method, target, payload, sent, (self._timeout if timeout is None else timeout) + patience, is_repeatable, most)

    def _repeated(self, method: str, target: str, payload: Optional[bytes], headers: Dict[str, str], seconds: float,
                  is_repeatable: bool, retries: int) -> Reply:
        attempt = 0
        while True:
            try:
                return self._once(method, target, payload, headers, seconds, is_repeatable)
            except ProblemError as e:
                # A login that was refused too often is not tried again by itself.
                if attempt >= retries or not is_repeatable or not e.is_passing or e.status == 429:
                    raise
                asked = e.retry_after
            except UnreachableError as e:
                if attempt >= retries or e.was_sent and not is_repeatable:
                    raise
                asked = None
            time.sleep(pause_seconds(attempt, _LONGEST_PAUSE, asked))
            attempt += 1

    def _once(self, method: str, target: str, payload: Optional[bytes], headers: Dict[str, str], seconds: float,
              is_repeatable: bool) -> Reply:
        authorization = self._authorization()
        raw = self._transport.send(method, target, payload, {**headers, **({"Authorization": authorization} if authorization else {})},
                                   seconds, is_repeatable)
        if raw.status // 100 != 2:
            raise _problem(raw)
        return Reply(raw.status, raw.headers, self._read(raw))

    def _read(self, raw: Raw) -> Any:
        text = raw.body.decode("utf-8", "replace")
        if not text:
            return None
        if "json" not in raw.headers.get("content-type", ""):
            return text
        try:
            return _json.loads(text, self._decimals)
        except (ValueError, RecursionError) as e:
            raise UnreadableError("the answer of %s cannot be read: %s" % (self.url, e), text) from e


def _authorization(key: Optional[str], token: Union[str, Callable[[], str], None], user: Optional[str],
                   password: Optional[str]) -> Callable[[], Optional[str]]:
    if not (key or token or user):
        key, token = os.environ.get("TASKER_KEY"), os.environ.get("TASKER_TOKEN")
        user = os.environ.get("TASKER_USER")
        password = os.environ.get("TASKER_PASSWORD") if password is None else password
    if key:
        header = "Bearer " + key
    elif token:
        if callable(token):
            current = token
            return lambda: "Bearer " + current()
        header = "Bearer " + token
    elif user:
        if password is None:
            raise ValueError("there is a user and no password")
        header = "Basic " + base64.b64encode(("%s:%s" % (user, password)).encode()).decode()
    else:
        return lambda: None
    return lambda: header


def _query(query: Optional[Mapping[str, Any]]) -> str:
    pairs: List[Any] = []
    for name, value in (query or {}).items():
        values: Sequence[Any] = value if isinstance(value, (list, tuple)) else [value]
        pairs += [(name, str(each).lower() if isinstance(each, bool) else each) for each in values if each is not None]
    return "?" + urllib.parse.urlencode(pairs) if pairs else ""


def _segment(value: str) -> str:
    return urllib.parse.quote(str(value), safe="")


def _problem(raw: Raw) -> ProblemError:
    after = raw.headers.get("retry-after", "")
    document: Any = None
    if "json" in raw.headers.get("content-type", ""):
        try:
            document = _json.loads(raw.body.decode("utf-8"), False)
        except (ValueError, RecursionError):
            pass
    if not isinstance(document, dict) or "code" not in document:
        detail = "the answer does not come from a Tasker EE server, or not in its form"
        if raw.status // 100 == 3:
            detail = "the address redirects to %s; use that one" % raw.headers.get("location")
        document = {"title": "HTTP status %d" % raw.status, "status": raw.status, "code": "refused", "detail": detail}
    return ProblemError(raw.status, document, float(after) if after.isdigit() else None)
