package ee.tasker.security;

import static ee.tasker.testing.server.TaskerClient.quoted;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.run.Login;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.EventClient;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import jakarta.json.JsonObject;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Logging in and managing who may, on a server that remembers callers for one second. */
@Tag("long")
class AccessIT {
  private static EmbeddedDatabase database;
  private static TestServer server;
  private static TaskerClient admin;

  @BeforeAll
  static void start() {
    database = TestServer.newDatabase();
    server = TestServer.start(database,
        Map.of("TASKER_SECURITY_CACHE_SECONDS", "1", "TASKER_API_ALLOWED_ORIGINS",
            "https://console.example"));
    admin = server.client();
    admin.register("/testing/templates.yaml");
  }

  @AfterAll
  static void stop() {
    server.close();
    database.close();
  }

  private static TaskerClient as(String user, String password) {
    return admin.with(Map.of("Authorization", new Login(user, password).basic()));
  }

  private static Answer send(TaskerClient caller, String method, String path, String body) {
    return caller.send(caller.request(path).header("Content-Type", "application/json")
        .method(method, body == null ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.ofString(quoted(body))));
  }

  private static void within(String what, java.util.function.BooleanSupplier is) {
    // One second of memory, and a busy machine.
    TaskerClient.until(what, Duration.ofSeconds(20), is);
  }

  @Test
  void a_user_logs_in_with_the_password_shown_once_and_with_no_other() {
    Answer made = send(admin, "POST", "/v1/access/users",
        "{'name': 'ann', 'grants': [{'role': 'submitter', 'namespace': 'testing'}]}");
    assertThat(made.status()).as("%s", made).isEqualTo(201);

    Answer me = as("Ann", made.text("password")).get("/v1/me");
    assertThat(me.status()).as("%s", me).isEqualTo(200);
    assertThat(me.text("name")).isEqualTo("ann");
    assertThat(me.object().getJsonArray("permissions").toString())
        .contains("tasks:create in testing");
    Answer wrong = as("ann", made.text("password") + "x").get("/v1/me");
    Answer unknown = as("no such user", "some password").get("/v1/me");
    assertThat(wrong.status()).isEqualTo(401);
    assertThat(unknown.body()).as("who is wrong cannot be told from who is not there")
        .isEqualTo(wrong.body());
    assertThat(send(admin, "POST", "/v1/access/users", "{'name': 'ANN'}").text("code"))
        .isEqualTo("user-exists");
    assertThat(admin.get("/v1/access/users").body()).contains("\"ann\"").doesNotContain("PBKDF2",
        made.text("password"));
  }

  @Test
  void a_new_password_a_disabled_user_and_another_grant_take_effect_within_the_time_of_memory() {
    Answer made = send(admin, "POST", "/v1/access/users", "{'name': 'bob'}");
    String user = made.text("user_uuid");
    TaskerClient bob = as("bob", made.text("password"));
    assertThat(bob.get("/v1/tasks").status()).isEqualTo(403);

    String grant = send(admin, "POST", "/v1/access/grants",
        "{'user_uuid': '" + user + "', 'permission': 'tasks:list'}").text("grant_uuid");
    within("the grant counts", () -> bob.get("/v1/tasks").status() == 200);
    assertThat(admin.delete("/v1/access/grants/" + grant).status()).isEqualTo(200);
    within("the grant is gone", () -> bob.get("/v1/tasks").status() == 403);

    assertThat(send(admin, "PATCH", "/v1/access/users/" + user, "{'password': 'another password'}")
        .status()).isEqualTo(200);
    within("the old password is refused", () -> bob.get("/v1/me").status() == 401);
    TaskerClient again = as("bob", "another password");
    assertThat(again.get("/v1/me").status()).isEqualTo(200);
    assertThat(send(admin, "PATCH", "/v1/access/users/" + user, "{'enabled': false}").status())
        .isEqualTo(200);
    within("the user is refused", () -> again.get("/v1/me").status() == 401);
  }

  @Test
  void a_key_works_in_three_ways_until_it_is_revoked() {
    Answer made = send(admin, "POST", "/v1/access/keys",
        "{'name': 'a job', 'expires_in_seconds': 3600, 'grants': [{'permission': 'tasks:list'}]}");
    assertThat(made.status()).as("%s", made).isEqualTo(201);
    String key = made.text("key");

    for (Map<String, String> headers : List.of(Map.of("X-API-Key", key),
        Map.of("Authorization", "ApiKey " + key), Map.of("Authorization", "Bearer " + key))) {
      assertThat(admin.with(headers).get("/v1/tasks").status()).isEqualTo(200);
      assertThat(admin.with(headers).get("/v1/templates").status()).isEqualTo(403);
    }
    assertThat(admin.get("/v1/access/keys").body()).contains(key.substring(0, 8))
        .doesNotContain(key, Accounts.sha256(key));
    assertThat(admin.delete("/v1/access/keys/" + made.text("key_uuid")).status()).isEqualTo(200);
    within("the key is refused",
        () -> admin.with(Map.of("X-API-Key", key)).get("/v1/tasks").status() == 401);
  }

  /** What stays open for a minute at least, of one caller. */
  private record Open(String who, List<EventClient> streams,
      List<CompletableFuture<Answer>> waiting) {
  }

  private static Open open(String who, TaskerClient caller, UUID task) {
    List<EventClient> streams = Stream
        .of("/v1/events?namespace=testing", "/v1/tasks/" + task + "/events",
            "/v1/domain-events/stream")
        .map(path -> EventClient.open(caller.base(), path, null, 0, caller.credentials())).toList();
    assertThat(streams).allMatch(stream -> stream.status() == 200);
    Answer worker = send(caller, "POST", "/v1/workers",
        "{'name': 'a test', 'namespaces': ['testing'], 'capacity': 1, 'heartbeat_seconds': 60, 'handlers': ['none']}");
    assertThat(worker.status()).as("%s", worker).isEqualTo(201);
    return new Open(who, streams, List.of(
        caller.sendLater(
            caller.request("/v1/tasks/" + task + "?wait=60").timeout(Duration.ofSeconds(90)).GET()),
        caller.sendLater(caller.request("/v1/workers/" + worker.text("worker_uuid") + "/claims")
            .timeout(Duration.ofSeconds(90))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(quoted("{'wait_seconds': 60}"))))));
  }

  @Test
  void what_a_caller_has_open_ends_with_its_right_to_it() throws Exception {
    String rights = "'grants': [{'permission': 'tasks:read', 'namespace': 'testing'}, {'permission': 'steps:work', 'namespace': 'testing'}]";
    Answer revoked = send(admin, "POST", "/v1/access/keys", "{'name': 'revoked', " + rights + "}");
    Answer bare = send(admin, "POST", "/v1/access/keys", "{'name': 'bare', " + rights + "}");
    Answer kept = send(admin, "POST", "/v1/access/keys", "{'name': 'kept', " + rights + "}");
    Answer disabled = send(admin, "POST", "/v1/access/users",
        "{'name': 'fay', 'password': 'fays own password', " + rights + "}");
    UUID task = admin.submit("hold", "{}");
    Open ofKept = open("kept", admin.with(Map.of("X-API-Key", kept.text("key"))), task);
    List<Open> all = List.of(
        open("revoked", admin.with(Map.of("X-API-Key", revoked.text("key"))), task),
        open("bare", admin.with(Map.of("X-API-Key", bare.text("key"))), task),
        open("disabled", as("fay", "fays own password"), task));

    long begin = System.nanoTime();
    assertThat(admin.delete("/v1/access/keys/" + revoked.text("key_uuid")).status()).isEqualTo(200);
    assertThat(
        send(admin, "PATCH", "/v1/access/users/" + disabled.text("user_uuid"), "{'enabled': false}")
            .status())
        .isEqualTo(200);
    admin.sql("delete from tasker.access_grants where key_uuid = ?",
        UUID.fromString(bare.text("key_uuid")));

    for (Open each : all) {
      int refusal = each.who().equals("bare") ? 403 : 401;
      for (CompletableFuture<Answer> waiting : each.waiting()) {
        assertThat(waiting.get(30, TimeUnit.SECONDS).status())
            .as("%s: %s", each.who(), waiting.join()).isEqualTo(refusal);
      }
      for (EventClient stream : each.streams()) {
        while (stream.next() != null) {
          // what was sent before
        }
        assertThat(stream.isEnded())
            .as("%s: a stream that began with %s", each.who(), stream.events()).isTrue();
      }
    }
    assertThat(Duration.ofNanos(System.nanoTime() - begin))
        .as("a second of memory, five until the next check, and a busy machine")
        .isLessThan(Duration.ofSeconds(30));
    assertThat(ofKept.waiting()).as("of another caller").noneMatch(CompletableFuture::isDone);

    admin.sql("insert into testing.released values (?) returning task_uuid", task);
    assertThat(ofKept.waiting().get(0).get(60, TimeUnit.SECONDS).text("state"))
        .isEqualTo("complete");
    ofKept.streams().forEach(EventClient::close);
  }

  @Test
  void guessing_is_slowed_down_for_that_name_only() {
    send(admin, "POST", "/v1/access/users", "{'name': 'carl', 'password': 'the right password'}");
    TaskerClient carl = as("carl", "the right password");
    assertThat(carl.get("/v1/me").status()).isEqualTo(200);

    Answer last = null;
    for (int i = 0; i < 30 && (last == null || last.status() == 401); i++) {
      last = as("carl", "wrong password " + i).get("/v1/me");
    }

    assertThat(last.status()).isEqualTo(429);
    assertThat(last.text("code")).isEqualTo("too-many-failures");
    assertThat(Integer.parseInt(last.header("Retry-After"))).isBetween(1, 61);
    assertThat(admin.get("/v1/me").status()).isEqualTo(200);
    within("the right password counts again", () -> carl.get("/v1/me").status() == 200);
  }

  @Test
  void the_last_administrator_stays() {
    JsonObject root = admin.get("/v1/access/users").object().getJsonArray("users")
        .getValuesAs(JsonObject.class).stream()
        .filter(user -> user.getString("name").equals("admin")).findFirst().orElseThrow();

    assertThat(send(admin, "PATCH", "/v1/access/users/" + root.getString("user_uuid"),
        "{'enabled': false}").text("code"))
        .isEqualTo("last-administrator");
    assertThat(
        admin
            .delete("/v1/access/grants/"
                + root.getJsonArray("grants").getJsonObject(0).getString("grant_uuid"))
            .text("code"))
        .isEqualTo("last-administrator");
  }

  @Test
  void every_change_is_written_down_with_who_asked_and_what_came_of_it() {
    UUID task = admin.submit("fail", "{\"way\": \"permanent\"}");
    assertThat(admin.awaitTerminalOrBlocked(task).getString("submitted_by")).isEqualTo("admin");
    TaskerClient viewer = admin.asOneWhoMay(List.of("tasks:read"));
    String fail = "{'action_type': 'fail', 'requested_by': 'somebody', 'reason': 'it is late'}";
    assertThat(send(viewer, "PATCH", "/v1/tasks/" + task, fail).status()).isEqualTo(403);
    assertThat(send(admin, "PATCH", "/v1/tasks/" + task, "{'action_type': 'nonsense'}").status())
        .isEqualTo(400);
    assertThat(send(admin, "PATCH", "/v1/tasks/" + task, fail).status()).isEqualTo(200);

    List<JsonObject> requests = admin.get("/v1/write-requests?route=/v1/tasks/%7Btask_uuid%7D")
        .object().getJsonArray("requests")
        .getValuesAs(JsonObject.class)
        .stream().filter(request -> request.getString("path").endsWith(task.toString())).toList();
    assertThat(requests)
        .extracting(request -> request.getString("caller") + " " + request.getString("method") + " "
            + request.getInt("status"))
        .containsExactly("admin PATCH 200", "admin PATCH 400", "key:of a test PATCH 403");
    assertThat(admin.get("/v1/tasks/" + task + "/history").body())
        .as("the actor is the authenticated caller, not the name in the request")
        .contains("\"by\":\"admin\"", "\"claimed_actor\":\"somebody\"");
    assertThat(admin.count(
        "select count(*) from tasker.write_requests where path like '/v1/tasks' or method = 'GET'"))
        .as("submissions are with their tasks, reading is not written down").isZero();
  }

  @Test
  void a_change_whose_path_does_not_say_of_what_has_the_object_that_it_made_or_changed() {
    assertThat(admin.postTemplate("name: noted\nnamespace_name: testing\nversion: 1.0.0\n"
        + "steps:\n  - {name: a, handler: {callable: testing.Echo}}\n").status())
        .isEqualTo(201);
    UUID id = UUID.randomUUID();
    String made = send(admin, "POST", "/v1/access/users", "{'name': 'a/5%20 " + id + "'}").object()
        .getString("user_uuid");
    String grant = send(admin, "POST", "/v1/access/grants",
        "{'user_uuid': '" + made + "', 'permission': 'tasks:list'}").text("grant_uuid");
    assertThat(admin.delete("/v1/access/grants/" + grant).status()).isEqualTo(200);
    String view = send(admin, "POST", "/v1/views",
        "{'page': 'tasks', 'name': 'late: mine " + id + "'}")
        .text("view_uuid");
    assertThat(admin.delete("/v1/views/" + view).body()).isEqualTo("{\"outcome\":\"done\"}");
    String who = "{'namespace': 'testing', 'name': 'noted', 'requested_by': 'ann', 'reason': 'x'}";
    assertThat(send(admin, "POST", "/v1/pauses", who).status()).isEqualTo(200);
    assertThat(admin.send(admin
        .request("/v1/pauses?namespace=testing&name=noted&requested_by=ann&reason=x").DELETE())
        .status()).isEqualTo(200);

    assertThat(Stream.of("testing/noted", id, made, "a%2F5%2520%20" + id)
        .flatMap(object -> admin.get("/v1/write-requests?object=" + object).object()
            .getJsonArray("requests").getValuesAs(JsonObject.class).stream())
        .map(request -> request.getString("method") + " "
            + request.getString("path").replaceAll("/" + grant + "|/" + view, "/…") + ": "
            + request.getString("object") + (request.isNull("object_name") ? ""
                : " " + request.getString("object_name").replace(id.toString(), "…"))))
        .containsExactly("DELETE /v1/pauses: /v1/pauses/testing/noted",
            "POST /v1/pauses: /v1/pauses/testing/noted",
            "POST /v1/templates: /v1/templates/testing/noted/1.0.0",
            "DELETE /v1/views/…: /v1/views/late:%20mine%20" + id,
            "POST /v1/views: /v1/views/late:%20mine%20" + id,
            "POST /v1/access/users: /v1/access/users/a%2F5%2520%20" + id,
            "DELETE /v1/access/grants/…: /v1/access/users/" + made + " a/5%20 …",
            "POST /v1/access/grants: /v1/access/users/" + made + " a/5%20 …",
            "DELETE /v1/access/grants/…: /v1/access/users/" + made + " a/5%20 …",
            "POST /v1/access/grants: /v1/access/users/" + made + " a/5%20 …");
  }

  @Test
  void what_is_wrong_about_users_and_grants_is_reported_by_field() {
    assertThat(send(admin, "POST", "/v1/access/users",
        "{'name': 'a:b', 'password': 'short', 'grants': [{'role': 'x', 'permission': 'y'}], 'more': 1}")
        .fields())
        .containsExactlyInAnyOrder("name", "password", "grants/0/role", "grants/0/permission",
            "more");
    assertThat(send(admin, "POST", "/v1/access/grants", "{'role': 'viewer'}").fields())
        .containsExactly("user_uuid");
    assertThat(send(admin, "POST", "/v1/access/grants",
        "{'user_uuid': '" + UUID.randomUUID() + "', 'role': 'viewer'}").text("code"))
        .isEqualTo("user-not-found");
    assertThat(send(admin, "POST", "/v1/access/users",
        "{'name': 'dora', 'grants': [{'role': 'no such role'}]}").status()).isEqualTo(400);
    assertThat(admin.count("select count(*) from tasker.access_users where name = 'dora'"))
        .as("nothing is left of a refused request")
        .isZero();
  }

  @Test
  void the_context_of_a_task_is_for_those_who_may_see_it() {
    UUID task = admin.submit("hello", "{\"who\": \"a secret\"}");
    admin.awaitTerminalOrBlocked(task);

    assertThat(admin.asOneWhoMay(List.of("tasks:read")).get("/v1/tasks/" + task).object())
        .doesNotContainKey("context")
        .containsKey("steps");
    assertThat(admin.asOneWhoMay(List.of("tasks:read", "tasks:context_read in elsewhere"))
        .get("/v1/tasks/" + task).object())
        .doesNotContainKey("context");
    assertThat(admin.asOneWhoMay(List.of("tasks:read", "tasks:context_read in testing"))
        .get("/v1/tasks/" + task).object())
        .containsKey("context");
  }

  @Test
  void every_answer_tells_browsers_to_be_careful() {
    for (Answer answer : List.of(admin.get("/v1/me"), admin.with(Map.of()).get("/v1/me"),
        admin.get("/v1/nothing"), admin.get("/openapi"), admin.get("/"))) {
      assertThat(answer.header("X-Content-Type-Options")).as("%s", answer).isEqualTo("nosniff");
      assertThat(answer.header("X-Frame-Options")).isEqualTo("DENY");
      assertThat(answer.header("Referrer-Policy")).isEqualTo("no-referrer");
      assertThat(answer.header("Content-Security-Policy"))
          .contains("default-src 'none'", "frame-ancestors 'none'")
          .doesNotContain("unsafe");
      assertThat(answer.header("Set-Cookie")).isEmpty();
    }
    assertThat(admin.get("/v1/me").header("Cache-Control")).isEqualTo("no-store");
    assertThat(admin.get("/").body()).doesNotContain("<style", "onclick");
  }

  @Test
  void other_origins_are_let_in_only_when_they_are_configured() {
    Answer own = admin.send(admin.request("/v1/me").header("Origin", "https://console.example"));
    assertThat(own.header("Access-Control-Allow-Origin")).isEqualTo("https://console.example");
    assertThat(admin.send(admin.request("/v1/me").header("Origin", "https://evil.example"))
        .header("Access-Control-Allow-Origin"))
        .isEmpty();
    Answer preflight = admin.with(Map.of())
        .send(admin.request("/v1/tasks").header("Origin", "https://console.example")
            .header("Access-Control-Request-Method", "POST")
            .method("OPTIONS", HttpRequest.BodyPublishers.noBody()));
    assertThat(preflight.status()).isEqualTo(204);
    assertThat(preflight.header("Access-Control-Allow-Headers")).contains("Authorization");

    // A browser that is logged in would send its password along; what comes from another page
    // changes nothing.
    Answer foreign = admin.send(admin.request("/v1/templates")
        .header("Origin", "https://evil.example").header("Content-Type", "text/plain")
        .POST(HttpRequest.BodyPublishers.ofString("name: x")));
    assertThat(foreign.status()).isEqualTo(403);
    assertThat(foreign.text("code")).isEqualTo("foreign-origin");
  }

  @Test
  void no_secret_is_in_a_log_or_an_answer() {
    String password = "s3cret-" + UUID.randomUUID();
    send(admin, "POST", "/v1/access/users", "{'name': 'eve', 'password': '" + password + "'}");
    String key = send(admin, "POST", "/v1/access/keys", "{'name': 'eves'}").text("key");
    as("eve", password).get("/v1/tasks");
    as("eve", password + "wrong").get("/v1/tasks");
    as(password, "s3cret").get("/v1/me");
    admin.with(Map.of("X-API-Key", key)).get("/v1/tasks");
    admin.with(Map.of("X-API-Key", key + "wrong")).get("/v1/tasks");
    send(admin, "POST", "/v1/access/users",
        "{'name': 'eve', 'password': '" + password + "', 'grants': 7}");

    String told = server.log() + admin.get("/v1/access/users").body()
        + admin.get("/v1/access/keys").body()
        + admin.get("/v1/write-requests").body() + admin.get("/metrics").body();
    String byName = "user=" + password;
    assertThat(told.replace(byName, "")).doesNotContain(password, key, Login.FOR_TESTS.password(),
        Login.FOR_TESTS.basic(), "PBKDF2With",
        "password=tasker");
    assertThat(
        admin.sql("select * from tasker.access_users, tasker.access_keys, tasker.write_requests")
            .toString())
        .doesNotContain(password, key);
  }
}
