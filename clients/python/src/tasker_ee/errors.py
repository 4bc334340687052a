"""What can go wrong between this program and a server."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional


class Violation(NamedTuple):
    """What is wrong with one member or parameter of a request."""

    field: str
    message: str


class TaskerError(Exception):
    """The base of all errors of this package that concern the server."""


class UnreachableError(TaskerError):
    """No answer came: no connection, a broken one, or none in time.

    ``was_sent`` is false if the request has certainly not reached the server; otherwise it may have taken effect.
    """

    def __init__(self, message: str, was_sent: bool) -> None:
        super().__init__(message)
        self.was_sent = was_sent


class ProblemError(TaskerError):
    """The server refused a request, with a problem document of RFC 9457.

    An answer that is no such document, for instance of a proxy, has the code ``refused``.
    """

    def __init__(self, status: int, document: Dict[str, Any], retry_after: Optional[float] = None) -> None:
        self.status = status
        #: The whole document.
        self.document = document
        #: Seconds, from the header ``Retry-After``.
        self.retry_after = retry_after
        text = "%s: %s (%s)" % (self.title, self.detail, self.code)
        super().__init__("\n  ".join([text, *("%s: %s" % violation for violation in self.violations)]))

    @property
    def code(self) -> str:
        """The kind of problem, ``duplicate-task`` for instance."""
        return str(self.document.get("code", "refused"))

    @property
    def type(self) -> str:
        """The URI of the kind of problem: ``urn:tasker:problem:`` and the code."""
        return str(self.document.get("type", "about:blank"))

    @property
    def title(self) -> str:
        return str(self.document.get("title", "HTTP status %d" % self.status))

    @property
    def detail(self) -> str:
        return str(self.document.get("detail", ""))

    @property
    def violations(self) -> List[Violation]:
        """The wrong members and parameters; empty if the problem is another one."""
        return [Violation(str(each.get("field", "")), str(each.get("message", ""))) for each in self.document.get("violations") or []]

    @property
    def is_passing(self) -> bool:
        """Whether the same request may succeed later, unchanged."""
        return self.status in (408, 429, 502, 503, 504) or self.code == "request-in-progress"


class UnreadableError(TaskerError):
    """An answer came that is no JSON, or has what Python cannot read: a number of too many digits, values nested too deep.

    The request has taken effect.
    """

    def __init__(self, message: str, text: str) -> None:
        super().__init__(message)
        #: The answer as it came.
        self.text = text


class WaitTimeout(TaskerError, TimeoutError):
    """A task was neither terminal nor blocked when the time was over."""

    def __init__(self, task: Dict[str, Any], seconds: float) -> None:
        super().__init__("task %s is %s after %g s" % (task.get("task_uuid"), task.get("state"), seconds))
        #: The task as it was then.
        self.task = task
