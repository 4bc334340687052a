package ee.tasker.protection;

import ee.tasker.testing.Dag;
import ee.tasker.testing.Operator;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import ee.tasker.testing.SqlWorker.Result;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Plays the events of the models handoff, operator and timeout against the database: each sentence
 * that these models print is a call of a function. Time is a number that the player moves on.
 * Messages are what the model makes of them: one that was sent once can come at any later time.
 */
final class CounterexamplePlayer implements AutoCloseable {
  private final Sql sql = Sql.open();
  private final SqlWorker poller = SqlWorker.open();
  private final Map<String, SqlWorker> workers = new HashMap<>();
  private final Map<String, Claim> running = new HashMap<>();
  private final Map<Integer, Map<String, Object>> messages = new HashMap<>();
  private final Map<Pattern, Predicate<MatchResult>> actions = new LinkedHashMap<>();
  private final Dag.Task task;
  /** Ahead of the database's clock, by which some calls go. */
  private Instant now = Instant.now().plusSeconds(30);

  CounterexamplePlayer(String model) {
    task = switch (model) {
      case "handoff" -> Dag.of("step0").maxAttempts(2).started();
      case "operator" -> paused(Dag.linear(2).maxAttempts(2));
      case "timeout" -> Dag.of("step0").maxAttempts(2).lifecycle("max_duration", "PT1H")
          .submitted();
      default -> throw new IllegalArgumentException("there is no player for " + model);
    };
    rememberMessages();
    on("the task is submitted", event -> true);
    on("worker (\\d) claims (?:step \\d as )?handoff (\\d)",
        event -> claim(event.group(1), Integer.parseInt(event.group(2))));
    on("worker (\\d) submits a (success|failure|permanent failure) of .*",
        event -> complete(event.group(1), result(event.group(1), event.group(2))));
    on("worker (\\d) queues a (success|failure) of .*",
        event -> sql.isTrue("select ?::jsonb -> 'refused' = '[]'", worker(event.group(1))
            .submitResults(result(event.group(1),
                event.group(2).equals("failure") ? "permanent failure" : event.group(2)))
            .toString()));
    on("it is settled at once", event -> evaluate());
    on("worker (\\d) yields .*", event -> complete(event.group(1),
        running.get(event.group(1)).yielded("{\"at\": \"%s\"}".formatted(now), 0)));
    on("worker (\\d) releases handoff \\d", event -> release(event.group(1)));
    on("worker (\\d) renews the lease of handoff \\d", event -> renew(event.group(1)));
    on("the reply to worker \\d is lost, it sends the result again", event -> true);
    on("the lease of handoff \\d ends", event -> pass(Duration.ofSeconds(61)));
    on("a server recovers handoff (\\d)", event -> moved("pending", this::advance));
    on("the lease of step \\d ends",
        event -> pass(Duration.ofSeconds(61)) && moved("pending", this::advance));
    on("a server withdraws handoff \\d", event -> withdraw());
    on("a server sends the message of handoff (\\d) again", event -> true);
    on("the message of handoff \\d is lost",
        event -> sql.run("delete from pgmq.q_worker_orders_queue") == 1);
    on("the retry is due", event -> pass(Duration.ofMinutes(10)));
    on("a server offers the retry", event -> moved("enqueued", this::advance));
    on("the template is resumed", event -> {
      new Operator().at(now).resume(task.template().namespace(), task.template().name());
      return moved("enqueued", this::advance);
    });
    on("an operator who has seen attempt (\\d) (resets|completes|closes) step (\\d)",
        event -> acted(new Operator().at(now).step(task, step(event.group(3)), switch (event
            .group(2)) {
          case "resets" -> "reset_for_retry";
          case "completes" -> "complete_manually";
          default -> "resolve_manually";
        }, "{\"attempt\": %s%s}".formatted(event.group(1),
            event.group(2).equals("completes") ? ", \"result\": {}" : ""))));
    on("an operator retries the task", event -> acted(new Operator().at(now).task(task, "retry")));
    on("an operator restarts the task", event -> acted(new Operator().at(now).task(task, "retry",
        "{\"context\": {}}")));
    on("an operator reruns the task from step (\\d)",
        event -> acted(new Operator().at(now).task(task, "retry_from_step",
            "{\"step\": \"%s\", \"rerun_completed\": true}"
                .formatted(task.step(step(event.group(1)))))));
    on("an operator fails the task", event -> acted(new Operator().at(now).task(task, "fail")));
    on("an operator closes the task", event -> acted(new Operator().at(now).task(task, "resolve")));
    on("(?:an operator cancels the task|the cancel commits)", event -> sql
        .object("select tasker.request_cancel(?, 'ann', 'test', 'allow_finish', null, ?)",
            task.uuid(), now)
        .getString("outcome").equals("requested"));
    on("the context fits", event -> evaluate());
    on("server \\d finds that the time of the task is over", event -> timeOut());
    on("server \\d fails the task", event -> state().equals("error"));
  }

  private static Dag.Task paused(Dag dag) {
    Dag.Template template = dag.registered();
    new Operator().pause(template.namespace(), template.name());
    return dag.started();
  }

  /** The model counts from 0. */
  private static String step(String number) {
    return "s" + (Integer.parseInt(number) + 1);
  }

  private void on(String sentence, Predicate<MatchResult> action) {
    actions.put(Pattern.compile(sentence), action);
  }

  /** Whether the event took effect. */
  boolean play(String event) {
    now = now.plusMillis(1);
    for (Map.Entry<Pattern, Predicate<MatchResult>> action : actions.entrySet()) {
      Matcher matcher = action.getKey().matcher(event);
      if (matcher.matches()) {
        boolean hasEffect = action.getValue().test(matcher.toMatchResult());
        rememberMessages();
        return hasEffect;
      }
    }
    throw new IllegalArgumentException("there is no call for: " + event);
  }

  /** Everything goes on, without further faults; returns where the task comes to rest. */
  String playOn() {
    new Operator().at(now).resume(task.template().namespace(), task.template().name());
    for (int i = 0; i < 20 && sql.isTrue(
        "select completed_at is null and state <> 'blocked_by_failures' from tasker.tasks where task_uuid = ?",
        task.uuid()); i++) {
      pass(Duration.ofSeconds(70));
      evaluate();
      advance();
      poller.at(now).claim(9).forEach(claim -> poller.complete(claim.success()));
    }
    return state();
  }

  private String state() {
    return sql.text("select state from tasker.tasks where task_uuid = ?", task.uuid());
  }

  private SqlWorker worker(String name) {
    return workers.computeIfAbsent(name, key -> SqlWorker.open()).at(now);
  }

  private boolean claim(String name, int handoff) {
    // The message that this is about; others come later.
    sql.run("delete from pgmq.q_worker_orders_queue");
    if (!messages.containsKey(handoff)) {
      pass(Duration.ofSeconds(2));
      advance();
      rememberMessages();
      sql.run("delete from pgmq.q_worker_orders_queue");
    }
    Map<String, Object> message = messages.get(handoff);
    sql.run(
        "insert into pgmq.q_worker_orders_queue (vt, message, headers) values (clock_timestamp(), ?::jsonb, ?::jsonb)",
        message.get("message"), message.get("headers"));
    List<Claim> claims = worker(name).claim(1);
    claims.forEach(claim -> running.put(name, claim));
    return claims.stream().anyMatch(claim -> claim.handoff() == handoff);
  }

  private void rememberMessages() {
    sql.rows(
        "select (message ->> 'handoff')::int as handoff, message::text as message, headers::text as headers "
            + "from pgmq.q_worker_orders_queue")
        .forEach(row -> messages.put((Integer) row.get("handoff"), row));
  }

  private Result result(String name, String outcome) {
    return switch (outcome) {
      case "success" -> running.get(name).success();
      case "failure" -> running.get(name).retryableFailure(60_000);
      default -> running.get(name).permanentFailure();
    };
  }

  private boolean complete(String name, Result result) {
    return worker(name).complete(result).getJsonArray("refused").isEmpty();
  }

  private String handoff(String name) {
    Claim claim = running.get(name);
    return "[{\"step_uuid\": \"%s\", \"task_uuid\": \"%s\", \"handoff\": %d}]"
        .formatted(claim.step(), claim.task(), claim.handoff());
  }

  private boolean release(String name) {
    return moved("enqueued", () -> sql.text("select tasker.release_steps(?::jsonb, ?, ?)",
        handoff(name), worker(name).uuid(), now));
  }

  private boolean renew(String name) {
    return sql.object("select tasker.renew_leases(?::jsonb, 60, ?)", handoff(name), now)
        .getJsonArray("lost").isEmpty();
  }

  private boolean pass(Duration time) {
    now = now.plus(time);
    return true;
  }

  private void advance() {
    sql.run("update tasker.task_wakeups set wake_at = least(wake_at, ?)", now);
    poller.at(now).advance();
  }

  private boolean evaluate() {
    sql.object("select tasker.process_step_results(?, p_now => ?)", poller.uuid(), now);
    sql.object("select tasker.evaluate_tasks(array[?], ?, p_now => ?)", task.uuid(), poller.uuid(),
        now);
    return true;
  }

  /** A server that could run the step is there all the time, and does not claim it. */
  private boolean withdraw() {
    UUID idle = UUID.randomUUID();
    return moved("pending", () -> {
      for (int seconds : new int[]{6, 310}) {
        pass(Duration.ofSeconds(seconds));
        sql.text(
            "select tasker.heartbeat(?, 'idle', 'worker', 2, 0, '[]', 60, ?, '{\"handlers\": [\"test.handler\"]}'::jsonb)",
            idle, now);
        sql.run("update tasker.task_wakeups set wake_at = least(wake_at, ?)", now);
        sql.object(
            "select tasker.advance_due_tasks(?, 9, p_now => ?, p_claim_seconds => 300, p_unserved_seconds => 0)",
            UUID.randomUUID(), now);
      }
    });
  }

  private boolean timeOut() {
    now = now.isBefore(Instant.now().plusSeconds(3600)) ? now.plusSeconds(3700) : now;
    String before = sql.text("select timed_out_at from tasker.tasks where task_uuid = ?",
        task.uuid());
    advance();
    String after = sql.text("select timed_out_at from tasker.tasks where task_uuid = ?",
        task.uuid());
    return after != null && !after.equals(before);
  }

  /** Whether a step has moved there meanwhile. */
  private boolean moved(String state, Runnable call) {
    String count = "select count(*) from tasker.workflow_step_transitions where to_state = ?::tasker.step_state";
    long before = sql.number(count, state);
    call.run();
    return sql.number(count, state) > before;
  }

  private static boolean acted(JsonObject reply) {
    return reply.getString("outcome").equals("done");
  }

  @Override
  public void close() {
    workers.values().forEach(SqlWorker::close);
    poller.close();
    sql.close();
  }
}
