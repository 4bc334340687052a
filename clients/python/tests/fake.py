"""A server that misbehaves on demand: what a real one does not do when it is asked to."""

from __future__ import annotations

import json
import socket
import threading
import urllib.parse
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

Answer = Tuple[int, Any]

#: The example of the OpenAPI document.
_CLAIMED_STEP = json.loads((Path(__file__).parents[2] / "claimed_step.json").read_text(encoding="utf-8"))


class LostAnswer(Exception):
    """The request has taken effect and its connection breaks."""


def problem(status: int, code: str, **members: Any) -> Answer:
    return status, {"type": "urn:tasker:problem:" + code, "title": code, "status": status, "detail": "of a test", "code": code, **members}


class FakeServer:
    """Knows one worker and hands out the offered steps. ``plan`` has answers for the next requests of a kind, instead of the usual."""

    def __init__(self) -> None:
        self.lock = threading.Condition()
        self.requests: List[Tuple[str, Dict[str, Any], Dict[str, str]]] = []
        self.plan: Dict[str, List[Callable[[Callable[[], Answer]], Answer]]] = {}
        self.offers: List[Dict[str, Any]] = []
        self.claims: Dict[str, Dict[str, Any]] = {}
        self.verdicts: Dict[Tuple[str, int], Dict[str, Any]] = {}
        self.saved: List[Dict[str, Any]] = []
        self.ancestors: Dict[str, Any] = {}
        self.batch: List[Dict[str, Any]] = []
        self.lost: List[str] = []
        self.cancels: List[Dict[str, Any]] = []
        self.unreported: List[Dict[str, Any]] = []
        self.registrations = 0
        self.is_drained = False
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _any(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                raw = self.rfile.read(length)
                body = json.loads(raw) if raw else {}
                kind = self.path.split("?")[0].rsplit("/", 1)[-1] if self.command == "POST" else self.command
                if self.command == "GET" and self.path.split("?")[0].endswith("/results"):
                    kind, body = "ancestors", urllib.parse.parse_qs(self.path.partition("?")[2])
                if self.command == "GET" and self.path.split("?")[0].endswith("/batch-results"):
                    kind, body = "batch", urllib.parse.parse_qs(self.path.partition("?")[2])
                with server.lock:
                    server.requests.append((kind, body, dict(self.headers)))
                    planned = server.plan.get(kind)
                    step = planned.pop(0) if planned else None
                usual = lambda: server.answer(kind, body)
                try:
                    status, document = step(usual) if step else usual()
                except LostAnswer:
                    self.connection.shutdown(socket.SHUT_RDWR)
                    self.close_connection = True
                    return
                text = (document if isinstance(document, str) else json.dumps(document)).encode()
                try:
                    self.send_response(status)
                    self.send_header("Content-Type", "application/problem+json" if status >= 400 else "application/json")
                    self.send_header("Content-Length", str(len(text)))
                    self.end_headers()
                    self.wfile.write(text)
                except OSError:
                    self.close_connection = True

            do_GET = do_POST = do_DELETE = _any

            def log_message(self, *args: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = "http://127.0.0.1:%d" % self.http.server_address[1]
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self.is_drained = True
        self.http.shutdown()
        self.http.server_close()

    def offer(self, handler: str, **members: Any) -> Tuple[str, int]:
        step = {**_CLAIMED_STEP, "step_uuid": str(uuid.uuid4()), "task_uuid": str(uuid.uuid4()), "handler": handler,
                "idempotency_token": "t", "timeout_seconds": None, "results": {}, **members}
        with self.lock:
            self.offers.append(step)
            self.lock.notify_all()
        return step["step_uuid"], step["handoff"]

    def answer(self, kind: str, body: Dict[str, Any]) -> Answer:
        with self.lock:
            if kind == "workers":
                self.registrations += 1
                return 201, {"worker_uuid": body["worker_uuid"], "heartbeat_seconds": body["heartbeat_seconds"], "lease_seconds": 60, "steps": []}
            if kind == "claims":
                found = self._claimed(body)
                if not found:
                    self.lock.wait_for(lambda: self.offers or self.is_drained, min(body.get("wait_seconds", 0), 0.5))
                    found = self._claimed(body)
                return 200, {"steps": found, "lease_seconds": 60}
            if kind == "results":
                verdicts = []
                for each in body["results"]:
                    key = (each["step_uuid"], each["handoff"])
                    verdicts.append({"step_uuid": key[0], "handoff": key[1], "verdict": "already" if key in self.verdicts else "accepted"})
                    self.verdicts.setdefault(key, each)
                self.lock.notify_all()
                return 200, {"verdicts": verdicts, "state": "healthy", "lease_seconds": 60,
                             "steps": self._claimed(body["claims"]) if "claims" in body else []}
            if kind == "checkpoints":
                self.saved += [each for each in body["checkpoints"] if each["step_uuid"] not in self.lost]
                return 200, {"verdicts": [{"step_uuid": each["step_uuid"], "handoff": each["handoff"],
                                           "verdict": "stale" if each["step_uuid"] in self.lost else "saved"} for each in body["checkpoints"]],
                             "cancels": [each for each in self.cancels if each["step_uuid"] in [one["step_uuid"] for one in body["checkpoints"]]],
                             "lease_seconds": 60}
            if kind.startswith("ancestors"):
                return 200, {"results": {name: self.ancestors[name] for name in body["name"] if name in self.ancestors}}
            if kind == "batch":
                first = int(body.get("cursor", ["0"])[0])
                page = self.batch[first:first + 2]
                return 200, {"results": page, "next": str(first + 2) if first + 2 < len(self.batch) else None}
            if kind == "heartbeat":
                return 200, {"state": "healthy", "heartbeat_seconds": 1, "lease_seconds": 60, "lost": self.lost, "cancels": self.cancels,
                             "unreported": self.unreported}
            self.is_drained = True
            self.lock.notify_all()
            return 200, {"state": "stopped", "claimed": 0}

    def _claimed(self, body: Dict[str, Any]) -> List[Dict[str, Any]]:
        again = [step for step in self.claims.values() if step["request_id"] == body["request_id"]
                 and (step["step_uuid"], step["handoff"]) not in self.verdicts]
        if not again:
            again, self.offers = self.offers[:body["max"]], self.offers[body["max"]:]
            for step in again:
                self.claims[step["step_uuid"]] = {**step, "request_id": body["request_id"]}
            again = [self.claims[step["step_uuid"]] for step in again]
        return [{name: value for name, value in step.items() if name != "request_id"} for step in again]

    def await_result(self, key: Tuple[str, int], seconds: float = 10) -> Dict[str, Any]:
        with self.lock:
            if not self.lock.wait_for(lambda: key in self.verdicts, seconds):
                raise AssertionError("no result of %s; requests: %s" % (key, self.requests))
            return self.verdicts[key]

    def await_true(self, condition: Callable[[], Any], seconds: float = 10) -> None:
        with self.lock:
            for _ in range(int(seconds / 0.02)):
                if condition():
                    return
                self.lock.wait(0.02)
        raise AssertionError("not within %g s; requests: %s" % (seconds, self.requests))

    def of(self, kind: str) -> List[Dict[str, Any]]:
        with self.lock:
            return [body for each, body, _ in self.requests if each == kind]


def losing(usual: Callable[[], Answer]) -> Answer:
    usual()
    raise LostAnswer()


def breaking(usual: Callable[[], Answer]) -> Answer:
    raise LostAnswer()


def answering(answer: Answer) -> Callable[[Callable[[], Answer]], Answer]:
    return lambda usual: answer


def writing(**texts: str) -> Callable[[Callable[[], Answer]], Answer]:
    """The usual answer, in which some strings are replaced by JSON that this program could not write."""
    def written(usual: Callable[[], Answer]) -> Answer:
        status, document = usual()
        text = json.dumps(document)
        for marker, replacement in texts.items():
            text = text.replace(json.dumps(marker), replacement)
        return status, text
    return written
