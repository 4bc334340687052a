"""The client against a server that fails on the way."""

import os
import time
import unittest
from decimal import Decimal
from unittest import mock

from fake import FakeServer, answering, breaking, losing, problem
from tasker_ee import Client, ProblemError, UnreachableError, WaitTimeout, _json

TASK = {"task_uuid": "u", "state": "complete", "version": "1.0.0", "correlation_id": "c", "duplicate": False}


class ClientTest(unittest.TestCase):
    def setUp(self):
        self.server = FakeServer()
        self.addCleanup(self.server.close)
        self.client = Client(self.server.url, key="tkr_test", timeout=5)
        self.addCleanup(self.client.close)

    def headers(self, name):
        return [headers.get(name) for _, _, headers in self.server.requests]

    def test_submission_is_repeated_with_the_same_key(self):
        self.server.plan["tasks"] = [breaking, answering(problem(503, "unavailable")), answering((201, TASK))]

        task = self.client.submit("shop", "order", {"n": 1}, priority=3)

        self.assertEqual("u", task.task_uuid)
        keys = self.headers("Idempotency-Key")
        self.assertEqual((3, 1), (len(keys), len(set(keys))))
        self.assertEqual({"namespace": "shop", "name": "order", "context": {"n": 1}, "priority": 3}, self.server.of("tasks")[0])

    def test_request_without_a_key_is_not_repeated_once_it_was_sent(self):
        self.server.plan["users"] = [breaking, breaking]

        with self.assertRaises(UnreachableError) as raised:
            self.client.request("POST", "/v1/access/users", body={})

        self.assertTrue(raised.exception.was_sent)
        self.assertEqual(1, len(self.server.of("users")))

    def test_refusal_is_an_error_with_its_violations_and_not_repeated(self):
        self.server.plan["tasks"] = [answering(problem(400, "invalid-context", violations=[{"field": "context/n", "message": "must be less"}]))]

        with self.assertRaises(ProblemError) as raised:
            self.client.submit("shop", "order")

        error = raised.exception
        self.assertEqual((400, "invalid-context", "urn:tasker:problem:invalid-context", "of a test"),
                         (error.status, error.code, error.type, error.detail))
        self.assertEqual([("context/n", "must be less")], error.violations)
        self.assertIn("context/n: must be less", str(error))
        self.assertEqual(1, len(self.server.of("tasks")))

    def test_answer_of_another_program_is_a_refusal(self):
        self.server.plan["GET"] = [answering((404, "<html>"))]

        with self.assertRaises(ProblemError) as raised:
            self.client.get("u")

        self.assertEqual((404, "refused"), (raised.exception.status, raised.exception.code))

    def test_wait_polls_until_the_task_ends_and_no_longer_than_asked(self):
        running = {**TASK, "state": "steps_in_process"}
        self.server.plan["GET"] = [answering((200, running)), answering((200, TASK))]
        self.assertEqual("complete", self.client.wait("u", 30)["state"])

        self.server.plan["GET"] = [answering((200, running))] * 10_000
        with self.assertRaises(WaitTimeout) as raised:
            self.client.wait("u", 0.05)
        self.assertEqual("steps_in_process", raised.exception.task["state"])

    def test_all_pages_are_read(self):
        self.server.plan["GET"] = [answering((200, {"tasks": [TASK, TASK], "next": "c"})), answering((200, {"tasks": [TASK], "next": None}))]

        self.assertEqual(3, len(list(self.client.tasks(state=["complete", "error"]))))

    def test_kept_connection_that_was_closed_is_replaced(self):
        self.server.plan["GET"] = [answering((200, TASK)), losing, answering((200, TASK))]

        self.client.get("u")
        self.client.get("u")

        self.assertEqual(3, len(self.server.of("GET")))

    def test_server_that_is_away_is_unreachable(self):
        self.server.close()

        with self.assertRaises(UnreachableError) as raised:
            Client(self.server.url, retries=1).get("u")

        self.assertFalse(raised.exception.was_sent)

    def test_time_out_of_more_than_24_days_is_not_over_at_once(self):
        def late(usual):
            time.sleep(0.3)
            return 200, TASK
        self.server.plan["GET"] = [late]

        with Client(self.server.url, timeout=2 ** 32 / 1000 + 0.05, retries=0) as client:
            self.assertEqual("u", client.get("u")["task_uuid"])

    def test_credentials_come_from_arguments_or_the_environment(self):
        variables = {"TASKER_KEY": "tkr_env", "TASKER_TOKEN": "eyJ", "TASKER_USER": "ann", "TASKER_PASSWORD": "secret", "TASKER_URL": self.server.url}
        cases = [
            ({}, {}, None),
            ({"key": "tkr_a"}, variables, "Bearer tkr_a"),
            ({"user": "bo", "password": "p"}, variables, "Basic Ym86cA=="),
            ({"token": lambda: "now"}, variables, "Bearer now"),
            ({}, variables, "Bearer tkr_env"),
            ({}, {name: value for name, value in variables.items() if name != "TASKER_KEY"}, "Bearer eyJ"),
            ({}, {name: variables[name] for name in ("TASKER_USER", "TASKER_PASSWORD")}, "Basic YW5uOnNlY3JldA=="),
        ]
        for arguments, environment, expected in cases:
            with self.subTest(expected), mock.patch.dict(os.environ, environment, clear=True):
                self.server.requests.clear()
                self.server.plan["GET"] = [answering((200, TASK))]
                with Client(None if "TASKER_URL" in environment else self.server.url, **arguments) as client:
                    client.get("u")
                self.assertEqual([expected], self.headers("Authorization"))

    def test_address_with_a_password_is_refused_without_showing_it(self):
        with self.assertRaises(ValueError) as raised:
            Client("https://ann:secret@example.org")
        self.assertNotIn("secret", str(raised.exception))
        for wrong in ("example.org", "ftp://example.org", "http://example.org?x=1"):
            with self.assertRaises(ValueError):
                Client(wrong)


class JsonTest(unittest.TestCase):
    def test_decimals_keep_their_digits(self):
        text = '{"a":[1.10,123456789012345678901234567890.5,{"b":true,"c":null}],"d":"\\u00e4"}'

        value = _json.loads(text, True)

        self.assertEqual(Decimal("1.10"), value["a"][0])
        self.assertEqual(text, _json.dumps(value))

    def test_what_is_no_json_is_refused(self):
        for value in (Decimal("NaN"), [Decimal(1), float("inf")], {1, 2}, [Decimal(1), object()]):
            with self.assertRaises((TypeError, ValueError)):
                _json.dumps(value)


if __name__ == "__main__":
    unittest.main()
