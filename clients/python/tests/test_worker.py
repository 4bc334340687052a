"""The worker against a server that loses answers, refuses, forgets and is away. docs/workers.md is the protocol."""

import logging
import threading
import time
import unittest

from fake import FakeServer, answering, breaking, losing, problem, writing
from tasker_ee import Client, Outcome, PermanentError, ProblemError, RetryableError, StepCancelled, Worker


class WorkerTest(unittest.TestCase):
    def setUp(self):
        logging.getLogger("tasker_ee").setLevel(logging.CRITICAL + 1)
        self.server = FakeServer()
        self.addCleanup(self.server.close)
        self.calls = []

    def worker(self, *handlers, **options):
        worker = Worker(name="test", namespaces=["shop"], client=Client(self.server.url, key="tkr_test"),
                        **{"capacity": 2, "heartbeat_seconds": 1, "wait_seconds": 1, "drain_seconds": 5, **options})
        for name, function in handlers or [("a", self.note)]:
            worker.add_handler(name, function)
        worker.start()
        self.addCleanup(worker.stop, 0)
        return worker

    def note(self, step):
        self.calls.append(step.step_uuid)
        return {"n": len(self.calls)}

    # ---- lost answers

    def test_lost_answer_to_claims_is_repeated_with_its_request_id_and_the_step_runs_once(self):
        key = self.server.offer("a")
        self.server.plan["claims"] = [losing, losing]
        self.worker()

        result = self.server.await_result(key)

        self.assertEqual(("success", {"n": 1}), (result["outcome"], result["result"]))
        claims = self.server.of("claims")
        self.assertEqual(claims[0], claims[1])
        self.assertEqual(claims[0], claims[2])
        self.assertEqual([key[0]], self.calls)

    def test_lost_answer_to_results_is_repeated_and_the_next_steps_are_not_lost(self):
        key = self.server.offer("a")
        following = self.server.offer("a")
        self.server.plan["results"] = [losing, losing]
        self.worker(capacity=1)

        self.server.await_result(key)
        self.server.await_result(following)

        results = self.server.of("results")
        self.assertEqual([results[0]] * 2, results[1:3], "the same request, with the same request_id")
        self.assertEqual([key[0], following[0]], self.calls)

    def test_broken_connections_and_503_are_overcome(self):
        self.server.plan["workers"] = [breaking, answering(problem(503, "unavailable"))]
        self.server.plan["claims"] = [breaking, answering(problem(503, "server-busy")), answering((502, "not json"))]
        self.server.plan["results"] = [breaking, answering(problem(503, "role-off")), breaking]
        key = self.server.offer("a")
        self.worker()

        self.server.await_result(key)

        self.assertEqual([key[0]], self.calls)

    def test_step_that_never_arrives_is_given_back_after_two_heartbeats(self):
        self.worker()
        self.server.unreported = [{"step_uuid": "00000000-0000-7000-8000-000000000001", "handoff": 3, "claimed_ms_ago": 60000}]

        result = self.server.await_result(("00000000-0000-7000-8000-000000000001", 3))

        self.assertEqual("released", result["outcome"])
        self.assertGreaterEqual(len(self.server.of("heartbeat")), 2)

    def test_step_that_may_be_on_the_way_is_not_given_back(self):
        self.worker()
        self.server.unreported = [{"step_uuid": "00000000-0000-7000-8000-000000000001", "handoff": 3, "claimed_ms_ago": 0}]

        self.server.await_true(lambda: len([1 for kind, _, _ in self.server.requests if kind == "heartbeat"]) >= 3)

        self.assertEqual([], self.server.of("results"))

    # ---- checkpoints, and results of ancestors

    def test_handler_saves_checkpoints_and_goes_on_although_answers_are_lost(self):
        self.server.plan["checkpoints"] = [losing, breaking, answering(problem(503, "unavailable"))]

        def count(step):
            for row in range(step.checkpoint["row"] + 1, 4):
                step.save_checkpoint({"row": row})
            return step.checkpoint

        key = self.server.offer("a", checkpoint={"row": 1}, handoff=3)
        self.worker(("a", count))

        self.assertEqual({"row": 3}, self.server.await_result(key)["result"])
        self.assertEqual([{"row": 2}, {"row": 2}, {"row": 3}], [each["checkpoint"] for each in self.server.saved])
        self.assertEqual({key}, {(each["step_uuid"], each["handoff"]) for each in self.server.saved})

    def test_stale_checkpoint_stops_the_handler_and_drops_its_result(self):
        stopped = threading.Event()

        def save(step):
            self.server.lost.append(step.step_uuid)
            try:
                step.save_checkpoint(1)
            except StepCancelled:
                self.calls.append(step.stop_reason)
                stopped.set()
                raise

        self.server.offer("a")
        following = self.server.offer("b")
        self.worker(("a", save), ("b", lambda step: None), capacity=1, heartbeat_seconds=300)

        self.assertTrue(stopped.wait(10))
        self.server.await_result(following)

        self.assertEqual(["lost"], self.calls)
        self.assertEqual([], self.server.saved)
        self.assertEqual([following], list(self.server.verdicts))

    def test_saved_checkpoint_tells_of_a_cancel_without_a_heartbeat(self):
        def save(step):
            self.server.cancels = [{"step_uuid": step.step_uuid, "handoff": 1, "force_in_ms": 5000}]
            step.save_checkpoint({"row": 1})
            step.raise_if_stopped()

        key = self.server.offer("a")
        self.worker(("a", save), heartbeat_seconds=300)

        self.assertEqual("cancelled", self.server.await_result(key)["outcome"])

    def test_checkpoint_that_cannot_be_stored_fails_its_step_permanently(self):
        self.server.plan["checkpoints"] = [answering(problem(400, "invalid-request"))]
        keys = [self.server.offer("refused"), self.server.offer("no_json")]
        self.worker(("refused", lambda step: step.save_checkpoint("x")), ("no_json", lambda step: step.save_checkpoint({1, 2})))

        for key in keys:
            result = self.server.await_result(key)
            self.assertEqual(("permanent_failure", "checkpoint_not_storable"), (result["outcome"], result["error"]["type"]))

    def test_results_of_distant_ancestors_are_fetched_once_when_they_are_read(self):
        self.server.ancestors = {"far": {"total": 3}}
        self.server.plan["ancestors"] = [breaking]
        key = self.server.offer("a", results={"near": 1})
        self.worker(("a", lambda step: [step.result(name) for name in ("near", "far", "far", "none", "none")]))

        self.assertEqual([1, {"total": 3}, {"total": 3}, None, None], self.server.await_result(key)["result"])
        self.assertEqual([["far"], ["far"], ["none"]], [each["name"] for each in self.server.of("ancestors")])

    def test_results_of_a_batch_are_fetched_page_by_page(self):
        self.server.batch = [{"batch_number": n, "batch_id": "%03d" % n, "result": n} for n in range(1, 6)]
        self.server.plan["batch"] = [breaking]
        key = self.server.offer("a")
        self.worker(("a", lambda step: [each["result"] for each in step.batch_results("load")]))

        self.assertEqual([1, 2, 3, 4, 5], self.server.await_result(key)["result"])
        asked = [(each["name"], each.get("cursor")) for each in self.server.of("batch")]
        self.assertEqual([(["load"], None), (["load"], None), (["load"], ["2"]), (["load"], ["4"])], asked)

    # ---- the worker is forgotten, lost, drained

    def test_worker_that_is_forgotten_registers_again(self):
        self.server.plan["claims"] = [answering(problem(404, "worker-not-found"))]
        key = self.server.offer("a")
        self.worker()

        self.server.await_result(key)

        self.assertEqual(2, self.server.registrations)

    def test_worker_that_is_forgotten_while_steps_run_gives_them_up_and_registers_again(self):
        begun = threading.Barrier(3)

        def run_until_stopped(step):
            begun.wait(10)
            while not step.stop_requested:
                time.sleep(0.01)
            step.raise_if_stopped()

        self.server.offer("a")
        self.server.offer("a")
        self.worker(("a", run_until_stopped), ("b", self.note))
        begun.wait(10)
        self.server.plan["heartbeat"] = [answering(problem(404, "worker-not-found"))]
        key = self.server.offer("b")

        self.server.await_result(key)

        self.assertEqual(2, self.server.registrations)
        self.assertEqual([key], list(self.server.verdicts), "nothing is reported of steps that others have")

    def test_worker_that_counts_as_lost_sends_a_heartbeat_and_claims_again(self):
        self.server.plan["claims"] = [answering(problem(409, "worker-not-claiming", state="lost"))]
        key = self.server.offer("a")
        self.worker(heartbeat_seconds=300)

        self.server.await_result(key)

        kinds = [kind for kind, _, _ in self.server.requests]
        self.assertEqual(["workers", "claims", "heartbeat", "claims"], kinds[:4])

    def test_worker_that_an_operator_drains_ends(self):
        self.server.plan["claims"] = [answering(problem(409, "worker-not-claiming", state="draining"))]
        worker = Worker(name="test", client=Client(self.server.url), wait_seconds=1)
        worker.add_handler("a", self.note)

        worker.run()

        self.assertEqual(1, len(self.server.of("claims")))
        self.assertIn("DELETE", [kind for kind, _, _ in self.server.requests])

    def test_refused_registration_is_raised(self):
        self.server.plan["workers"] = [answering(problem(403, "not-permitted"))]
        worker = Worker(name="test", client=Client(self.server.url))
        worker.add_handler("a", self.note)

        with self.assertRaises(ProblemError) as raised:
            worker.run()

        self.assertEqual((403, "not-permitted"), (raised.exception.status, raised.exception.code))

    def test_namespace_that_does_not_exist_yet_is_told(self):
        self.server.plan["workers"] = [answering((201, {"heartbeat_seconds": 10, "lease_seconds": 60, "steps": [], "missing_namespaces": ["shop"]}))]
        key = self.server.offer("a")
        logging.getLogger("tasker_ee").setLevel(logging.NOTSET)

        with self.assertLogs("tasker_ee", "WARNING") as logged:
            self.worker()
            self.server.await_result(key)

        self.assertEqual(1, len(self.server.of("workers")))
        self.assertEqual(1, len([line for line in logged.output if "there is no template in namespace shop yet" in line]))

    def test_mistake_in_a_registration_is_raised(self):
        self.server.plan["workers"] = [answering(problem(400, "invalid-request", violations=[{"field": "namespaces", "message": "must name one"}]))]
        worker = Worker(name="test", client=Client(self.server.url))
        worker.add_handler("a", self.note)

        with self.assertRaises(ProblemError):
            worker.run()

    def test_second_handler_of_a_name_is_told_in_a_line_before_it_is_raised(self):
        worker = Worker(client=Client(self.server.url))
        worker.add_handler("a", self.note)
        worker.resolver("r")(self.note)
        logging.getLogger("tasker_ee").setLevel(logging.NOTSET)
        for add, message in ((lambda: worker.add_handler("a", self.note), "there are two handlers 'a'"),
                             (lambda: worker.resolver("r")(self.note), "there are two resolvers 'r'")):
            with self.assertLogs("tasker_ee", "ERROR") as logged, self.assertRaisesRegex(ValueError, message):
                add()
            self.assertEqual([message], [record.getMessage() for record in logged.records])

    def test_mistake_in_the_code_of_a_handler_is_not_retried_unless_that_is_asked_for(self):
        def name(step):
            return undefined_name  # noqa: F821

        def attribute(step):
            return step.no_such_attribute

        def module(step):
            import no_such_module_of_a_test  # noqa: F401

        def syntax(step):
            compile("return return", "code", "exec")

        def asked(step):
            try:
                return step.no_such_attribute
            except AttributeError as e:
                raise RetryableError(str(e))

        handlers = {"name": name, "attribute": attribute, "module": module, "syntax": syntax, "asked": asked, "other": lambda step: {}["key"]}
        self.worker(*handlers.items())
        results = {each: self.server.await_result(self.server.offer(each)) for each in handlers}

        self.assertEqual({"name": ("permanent_failure", "NameError"), "attribute": ("permanent_failure", "AttributeError"),
                          "module": ("permanent_failure", "ModuleNotFoundError"), "syntax": ("permanent_failure", "SyntaxError"),
                          "asked": ("retryable_failure", "RetryableError"), "other": ("retryable_failure", "KeyError")},
                         {each: (result["outcome"], result["error"]["type"]) for each, result in results.items()})

    def test_worker_that_is_asked_to_retries_everything(self):
        self.worker(("attribute", lambda step: step.no_such_attribute), permanent=())

        self.assertEqual("retryable_failure", self.server.await_result(self.server.offer("attribute"))["outcome"])

    def test_what_cannot_work_is_refused_before_anything_is_sent(self):
        with self.assertRaises(ValueError):
            Worker(client=Client(self.server.url), wait_seconds=61)
        with self.assertRaises(ValueError):
            Worker(client=Client(self.server.url)).run()
        worker = Worker(client=Client(self.server.url))
        worker.add_handler("a", self.note)
        with self.assertRaises(ValueError):
            worker.add_handler("a", self.note)
        self.assertEqual([], self.server.requests)

    # ---- what cannot be read

    HUGE = "7" * 5000
    DEEP = "[" * 100_000 + "]" * 100_000

    def test_step_that_cannot_be_read_fails_alone(self):
        bad, deep = (self.server.offer("a", context={"n": marker}) for marker in ("HUGE", "DEEP"))
        good = self.server.offer("a", context={"text": 'a "quoted" [text], {with} \\\\ all'})
        self.server.plan["claims"] = [writing(HUGE=self.HUGE, DEEP=self.DEEP)]
        self.worker(capacity=3)

        results = [self.server.await_result(key) for key in (bad, deep, good)]

        self.assertEqual([("permanent_failure", "step_not_readable")] * 2, [(each["outcome"], each["error"]["type"]) for each in results[:2]])
        self.assertIn("5000 digits", results[0]["error"]["message"])
        self.assertEqual("success", results[2]["outcome"])
        following = self.server.offer("a")
        self.server.await_result(following)
        self.assertEqual([good[0], following[0]], self.calls)

    def test_step_that_cannot_be_read_in_the_answer_to_results_fails_alone(self):
        first = self.server.offer("a")
        self.server.plan["results"] = [writing(HUGE=self.HUGE)]
        bad = self.server.offer("a", context={"n": "HUGE"})
        self.worker(capacity=1)

        self.assertEqual("success", self.server.await_result(first)["outcome"])
        self.assertEqual("step_not_readable", self.server.await_result(bad)["error"]["type"])
        self.assertEqual([first[0]], self.calls)

    def test_step_that_lacks_a_member_fails_alone(self):
        bad = self.server.offer("a")
        with self.server.lock:
            del next(each for each in [*self.server.offers, *self.server.claims.values()] if each["step_uuid"] == bad[0])["max_attempts"]
        good = self.server.offer("a")
        self.worker()

        self.assertEqual("step_not_readable", self.server.await_result(bad)["error"]["type"])
        self.assertEqual("success", self.server.await_result(good)["outcome"])

    def test_answer_that_is_no_json_is_asked_for_again(self):
        key = self.server.offer("a")
        self.server.plan["claims"] = [answering((200, '{"steps": [')), answering((200, "no JSON"))]
        self.server.plan["heartbeat"] = [answering((200, "{"))]
        self.server.plan["workers"] = [answering((200, "{"))]
        self.server.plan["results"] = [answering((200, '{"verdicts": ['))]
        self.worker()

        self.assertEqual("success", self.server.await_result(key)["outcome"])
        self.server.await_true(lambda: sum(kind == "heartbeat" for kind, _, _ in self.server.requests) > 1)

    def test_result_of_an_ancestor_that_cannot_be_read_fails_the_step_that_asks_for_it(self):
        self.server.ancestors["far"] = "HUGE"
        self.server.plan["ancestors"] = [writing(HUGE=self.HUGE)]
        key = self.server.offer("asking")
        self.worker(("asking", lambda step: step.result("far")))

        result = self.server.await_result(key)

        self.assertEqual(("permanent_failure", "answer_not_readable"), (result["outcome"], result["error"]["type"]))

    def test_number_beyond_the_range_of_float_keeps_its_value(self):
        key = self.server.offer("echo", context={"n": "LARGE"})
        self.server.plan["claims"] = [writing(LARGE="1" + "0" * 400 + ".5")]
        self.worker(("echo", lambda step: {"text": str(step.context["n"])}))

        self.assertEqual({"text": "1" + "0" * 400 + ".5"}, self.server.await_result(key)["result"])

    # ---- failures keep their kind

    def test_failure_whose_message_or_details_cannot_be_stored_stays_retryable(self):
        keys = {name: self.server.offer(name) for name in ("nul", "half", "long", "date", "blank")}
        self.worker(("nul", lambda step: Outcome.retryable("T\0", "a\0b")), ("half", lambda step: Outcome.retryable("T", "x\ud83d")),
                    ("long", lambda step: Outcome.retryable("T", "\U0001f600" * 5000)), ("blank", lambda step: Outcome.retryable("", "\0")),
                    ("date", lambda step: Outcome.retryable("T", "with details", {"at": object()})), capacity=5)

        errors = {name: self.server.await_result(key) for name, key in keys.items()}

        self.assertEqual({"retryable_failure"}, {each["outcome"] for each in errors.values()})
        self.assertEqual(("T ", "a b"), (errors["nul"]["error"]["type"], errors["nul"]["error"]["message"]))
        self.assertEqual("x?", errors["half"]["error"]["message"])
        self.assertEqual("\U0001f600" * 4000, errors["long"]["error"]["message"])
        self.assertEqual("with details", errors["date"]["error"]["message"])
        self.assertIn("object", errors["date"]["error"]["details"]["omitted"])

    def test_failure_that_the_server_refuses_is_sent_again_without_its_details(self):
        key = self.server.offer("failing")
        self.server.plan["results"] = [answering(problem(400, "invalid-request", violations=[
            {"field": "results/0/error/details", "message": "must have at most 1048576 bytes"}]))]
        self.worker(("failing", lambda step: Outcome.retryable("Busy", "try again", {"a": 1}, retry_after=5)))

        result = self.server.await_result(key)

        self.assertEqual(("retryable_failure", "Busy", "try again", 5000),
                         (result["outcome"], result["error"]["type"], result["error"]["message"], result["retry_after_ms"]))

    # ---- results

    def test_stale_result_is_dropped_and_the_worker_goes_on(self):
        key = self.server.offer("a")
        self.server.plan["results"] = [answering((200, {
            "verdicts": [{"step_uuid": key[0], "handoff": key[1], "verdict": "stale"}], "state": "healthy", "steps": [], "lease_seconds": 60}))]
        self.worker(capacity=1)
        self.server.await_true(lambda: any(kind == "results" for kind, _, _ in self.server.requests))
        following = self.server.offer("a")

        self.server.await_result(following)

        self.assertNotIn(key, self.server.verdicts)
        self.assertEqual(2, len(self.server.of("results")))

    def test_result_that_the_server_refuses_becomes_a_permanent_failure(self):
        key = self.server.offer("a")
        self.server.plan["results"] = [answering(problem(400, "invalid-request", violations=[
            {"field": "results/0/result", "message": "must not be longer than 1048576 bytes"}]))]
        self.worker()

        result = self.server.await_result(key)

        self.assertEqual(("permanent_failure", "result_not_storable"), (result["outcome"], result["error"]["type"]))
        self.assertIn("1048576", result["error"]["message"])

    def test_outcomes(self):
        def raising(error):
            def handler(step):
                raise error
            return handler

        class OutOfStock(PermanentError):
            pass

        altered = RetryableError("busy")
        altered.retry_after = -1
        cases = {
            "nothing": (lambda step: None, "success", None),
            "list": (lambda step: [1], "success", None),
            "decide": (lambda step: Outcome.decide("x", "y", result=1), "success", None),
            "decide_none": (lambda step: Outcome.decide(), "success", None),
            "batches": (lambda step: Outcome.batches({"start": n} for n in (0, 10)), "success", None),
            "batches_none": (lambda step: Outcome.batches([], result="empty"), "success", None),
            "worker_of_batch": (lambda step: [step.cursor, step.items, step.inputs], "success", None),
            "yield": (lambda step: Outcome.yielded({"row": 7}, after=2.5), "yielded", None),
            "yield_none": (lambda step: Outcome.yielded(), "yielded", None),
            "yield_years": (lambda step: Outcome.yielded(after=3 * 31536000), "yielded", None),
            "yield_forever": (lambda step: Outcome.yielded(after=315360001), "retryable_failure", "ValueError"),
            "retry_years": (raising(RetryableError("busy", retry_after=3 * 31536000)), "retryable_failure", "RetryableError"),
            "retry_never": (lambda step: Outcome.retryable("Busy", "m", retry_after=float("inf")), "retryable_failure", "ValueError"),
            "retry_earlier": (raising(altered), "retryable_failure", "ValueError"),
            "tokens": (lambda step: [step.idempotency_token, step.attempt_token], "success", None),
            "permanent": (raising(PermanentError("no", type="Declined", details={"a": 1})), "permanent_failure", "Declined"),
            "subclass": (raising(OutOfStock("no")), "permanent_failure", "OutOfStock"),
            "retryable": (raising(RetryableError("busy", retry_after=1.5)), "retryable_failure", "RetryableError"),
            "any": (raising(KeyError("k")), "retryable_failure", "KeyError"),
            "exit": (raising(SystemExit(3)), "retryable_failure", "SystemExit"),
            "empty": (raising(ValueError()), "retryable_failure", "ValueError"),
            "no_json": (lambda step: object(), "permanent_failure", "result_not_storable"),
            "nan": (lambda step: float("nan"), "permanent_failure", "result_not_storable"),
            "stopped": (raising(StepCancelled("enough")), "retryable_failure", "Stopped"),
        }
        keys = {name: self.server.offer(name) for name in cases}
        self.worker(*((name, function) for name, (function, _, _) in cases.items()), capacity=20)

        results = {name: self.server.await_result(key) for name, key in keys.items()}

        for name, (_, outcome, type) in cases.items():
            with self.subTest(name):
                self.assertEqual((outcome, type), (results[name]["outcome"], results[name].get("error", {}).get("type")))
        self.assertEqual({}, results["nothing"]["result"])
        self.assertEqual((["x", "y"], 1), (results["decide"]["decision"], results["decide"]["result"]))
        self.assertEqual([], results["decide_none"]["decision"])
        self.assertEqual(([{"start": 0}, {"start": 10}], {}), (results["batches"]["batches"], results["batches"]["result"]))
        self.assertEqual(([], "empty"), (results["batches_none"]["batches"], results["batches_none"]["result"]))
        self.assertEqual([None, None, {}], results["worker_of_batch"]["result"])
        self.assertEqual(({"row": 7}, 2500), (results["yield"]["checkpoint"], results["yield"]["after_ms"]))
        self.assertEqual((False, 0), ("checkpoint" in results["yield_none"], results["yield_none"]["after_ms"]))
        self.assertEqual(1500, results["retryable"]["retry_after_ms"])
        self.assertEqual((94608000000, 94608000000), (results["yield_years"]["after_ms"], results["retry_years"]["retry_after_ms"]))
        self.assertIn("after must be from 0 to 315360000 seconds", results["yield_forever"]["error"]["message"])
        self.assertIn("retry_after must be from 0", results["retry_never"]["error"]["message"])
        self.assertEqual(["t", keys["tokens"][0] + ":1"], results["tokens"]["result"])
        for wrong in (-0.001, 315360001, float("nan")):
            with self.assertRaisesRegex(ValueError, "retry_after must be from 0 to 315360000 seconds"):
                RetryableError("busy", retry_after=wrong)
        self.assertEqual({"a": 1}, results["permanent"]["error"]["details"])

    def test_step_without_a_handler_is_declined_and_one_that_is_cancelled_not_started(self):
        unknown = self.server.offer("b")
        cancelled = self.server.offer("a", cancel_requested=True)
        self.worker()

        self.assertEqual("declined", self.server.await_result(unknown)["outcome"])
        self.assertEqual("cancelled", self.server.await_result(cancelled)["outcome"])
        self.assertEqual([], self.calls)

    def test_methods_and_resolvers_find_their_handler(self):
        keys = [self.server.offer("a", method="other"), self.server.offer("a"), self.server.offer("b", resolver="scripts")]
        worker = Worker(client=Client(self.server.url), wait_seconds=1, capacity=3)
        worker.handler("a")(lambda step: "any")
        worker.handler("a", method="other")(lambda step: "other")
        worker.resolver("scripts")(lambda step: "script " + step.handler)
        with worker:
            self.assertEqual(["other", "any", "script b"], [self.server.await_result(key)["result"] for key in keys])

        self.assertEqual((["a"], ["scripts"]), (self.server.of("workers")[0]["handlers"], self.server.of("workers")[0]["resolvers"]))

    # ---- cancel, time-out, lost

    def test_cancel_request_is_told_to_the_handler(self):
        def waiting(step):
            self.assertTrue(step.wait(10))
            self.assertTrue(step.cancel_requested)
            raise StepCancelled("half done", result={"half": 1})

        key = self.server.offer("a")
        self.server.cancels = [{"step_uuid": key[0], "handoff": key[1], "force_in_ms": 1000}]
        self.worker(("a", waiting))

        result = self.server.await_result(key)

        self.assertEqual(("cancelled", {"half": 1}), (result["outcome"], result["result"]))

    def test_time_out_is_submitted_at_once_and_the_thread_is_not_used_before_it_returns(self):
        told = []
        release = threading.Event()

        def deaf(step):
            release.wait(10)
            told.append(step.stop_reason)
            return "late"

        key = self.server.offer("slow", timeout_seconds=1)
        self.worker(("slow", deaf), ("a", self.note), capacity=1)

        self.assertEqual(("retryable_failure", "handler_timeout"),
                         (self.server.await_result(key)["outcome"], self.server.await_result(key)["error"]["type"]))
        following = self.server.offer("a")
        time.sleep(0.5)
        self.assertNotIn(following[0], self.server.claims, "the only thread still hangs")
        release.set()
        self.server.await_result(following)
        self.assertEqual(["timeout"], told)

    def test_lost_step_is_told_and_its_result_not_submitted(self):
        reasons = []

        def waiting(step):
            step.wait(10)
            reasons.append(step.stop_reason)

        key = self.server.offer("slow")
        self.server.lost = [key[0]]
        self.worker(("slow", waiting), ("a", self.note), capacity=1)
        self.server.await_true(lambda: reasons)
        following = self.server.offer("a")

        self.server.await_result(following)

        self.assertEqual(["lost"], reasons)
        self.assertNotIn(key, self.server.verdicts)

    def test_handlers_are_told_when_no_heartbeat_gets_through_for_a_lease(self):
        reasons = []
        self.server.plan["workers"] = [answering((201, {"worker_uuid": "x", "heartbeat_seconds": 1, "lease_seconds": 2, "steps": []}))]
        self.server.plan["heartbeat"] = [breaking] * 1000
        key = self.server.offer("a")
        self.worker(("a", lambda step: step.wait(20) and reasons.append(step.stop_reason)))

        self.assertEqual("success", self.server.await_result(key)["outcome"], "the server decides whether it is stale")
        self.assertEqual(["lost"], reasons)

    def test_heartbeats_name_every_step_until_its_result_has_a_verdict(self):
        key = self.server.offer("a")
        self.server.plan["results"] = [breaking] * 6
        self.worker()

        self.server.await_result(key, 30)

        self.assertIn({"step_uuid": key[0], "handoff": key[1]}, [step for beat in self.server.of("heartbeat") for step in beat["steps"]])

    def test_heartbeat_that_hangs_does_not_keep_back_the_next(self):
        hung = threading.Event()
        self.addCleanup(hung.set)
        self.server.plan["heartbeat"] = [lambda usual: hung.wait(20) and usual()]
        self.worker()

        self.server.await_true(lambda: [kind for kind, _, _ in self.server.requests].count("heartbeat") >= 2, 10)

    # ---- capacity and the end

    def test_never_holds_more_than_its_capacity_and_uses_all_of_it(self):
        running, most = [0], [0]
        lock, full = threading.Lock(), threading.Event()

        def counting(step):
            with lock:
                running[0] += 1
                most[0] = max(most[0], running[0])
                if running[0] == 4:
                    full.set()
            full.wait(20)
            with lock:
                running[0] -= 1

        keys = [self.server.offer("a") for _ in range(60)]
        self.worker(("a", counting), capacity=4)
        for key in keys:
            self.server.await_result(key)

        self.assertEqual(4, most[0])
        asked = [body["max"] for body in self.server.of("claims")] + [body["claims"]["max"] for body in self.server.of("results") if "claims" in body]
        self.assertLessEqual(max(asked), 4)

    def test_stop_lets_the_running_step_end_and_claims_no_more(self):
        begun = threading.Event()

        def slow(step):
            begun.set()
            time.sleep(0.5)
            return "done"

        key = self.server.offer("a")
        worker = self.worker(("a", slow), capacity=1)
        begun.wait(10)

        worker.stop()

        self.assertEqual("done", self.server.verdicts[key]["result"])
        self.assertNotIn("claims", self.server.of("results")[-1])
        self.assertEqual("DELETE", self.server.requests[-1][0])

    def test_stop_gives_back_what_does_not_end_in_time(self):
        key = self.server.offer("a")
        begun, reasons = threading.Event(), []

        def slow(step):
            begun.set()
            step.wait(20)
            reasons.append(step.stop_reason)

        worker = self.worker(("a", slow))
        self.assertTrue(begun.wait(10))

        worker.stop(0.1)

        self.assertEqual(("retryable_failure", "worker_shutdown"),
                         (self.server.verdicts[key]["outcome"], self.server.verdicts[key]["error"]["type"]))
        self.server.await_true(lambda: reasons == ["shutdown"])

    def test_steps_that_arrive_while_it_stops_are_given_back_unstarted(self):
        arrived = threading.Event()

        def late(usual):
            self.server.await_true(lambda: self.server.is_drained)
            answer = usual()
            arrived.set()
            return answer

        self.server.plan["claims"] = [late]
        key = self.server.offer("a")
        worker = self.worker()
        self.server.await_true(lambda: any(kind == "claims" for kind, _, _ in self.server.requests))

        worker.stop()

        self.assertEqual("released", self.server.verdicts[key]["outcome"])
        self.assertEqual([], self.calls)

    def test_stop_ends_although_the_server_is_away(self):
        begun = threading.Event()
        self.server.offer("a")
        self.server.plan.update({"results": [breaking] * 1000, "DELETE": [breaking] * 1000, "heartbeat": [breaking] * 1000})
        worker = self.worker(("a", lambda step: begun.set()))
        begun.wait(10)
        start = time.monotonic()

        worker.stop(0.5)

        self.assertLess(time.monotonic() - start, 12)


if __name__ == "__main__":
    unittest.main()
