"""Workers and client of Tasker EE.

A worker runs steps of workflows in this process, over HTTP::

    from tasker_ee import StepContext, Worker

    worker = Worker(name="billing", namespaces=["shop"], capacity=10)

    @worker.handler("billing.Charge")
    def charge(step: StepContext) -> dict:
        return {"charged": step.context["amount"]}

    worker.run()

A client submits tasks and follows them::

    from tasker_ee import Client

    task = Client().submit("shop", "billing", {"amount": 12})

Both take address and credentials from arguments or from the environment (``TASKER_URL``, ``TASKER_KEY`` and others, see
:class:`Client`). Nothing but the standard library is needed.
"""

from .client import Client, Reply, SubmittedTask, Task
from .errors import ProblemError, TaskerError, UnreachableError, UnreadableError, Violation, WaitTimeout
from .step import MISTAKES, Outcome, PermanentError, RetryableError, StepCancelled, StepContext
from .worker import Worker

__all__ = [
    "MISTAKES",
    "Client",
    "Outcome",
    "PermanentError",
    "ProblemError",
    "Reply",
    "RetryableError",
    "StepCancelled",
    "StepContext",
    "SubmittedTask",
    "Task",
    "TaskerError",
    "UnreachableError",
    "UnreadableError",
    "Violation",
    "WaitTimeout",
    "Worker",
]
