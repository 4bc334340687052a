package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import ee.tasker.testing.SqlWorker.Result;
import ee.tasker.testing.TaskerAssertions;
import ee.tasker.testing.TestDatabase;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A call with one result goes another way than one with several. The same random life is lived
 * twice: once with each success in a call of its
 * own, and once with each success given twice in a call, which takes the way for several. After
 * every command all rows of the task are the same.
 */
@DatabaseTest
@DatabaseTest.Covers("complete_step")
class CompleteStepTest {
  /**
   * All that is kept of the task, without what no two tasks have in common; times as seconds since
   * the first command.
   */
  private static final String ROWS = """
      with positions as (select s.workflow_step_uuid, s.step_position from tasker.workflow_steps s where s.task_uuid = ?)
      select jsonb_pretty(jsonb_build_object(
        'task', (select to_jsonb(t) - array['task_uuid', 'named_task_uuid', 'correlation_id', 'claim_order', 'identity_hash', 'cancel_force_at',
                                            'created_at', 'requested_at', 'cancel_requested_at'] || jsonb_build_object('cancel', t.cancel_requested_at is not null)
                 from tasker.tasks t where t.task_uuid = $task),
        'steps', (select jsonb_agg(to_jsonb(s) - array['workflow_step_uuid', 'task_uuid', 'named_step_uuid'] order by s.step_position)
                  from tasker.workflow_steps s where s.task_uuid = $task),
        'context', (select to_jsonb(c) - 'task_uuid' from tasker.task_contexts c where c.task_uuid = $task),
        'edges', (select jsonb_agg(jsonb_build_array(f.step_position, p.step_position, e.name) order by p.step_position, f.step_position)
                  from tasker.workflow_step_edges e join positions p on p.workflow_step_uuid = e.to_step_uuid
                  join positions f on f.workflow_step_uuid = e.from_step_uuid where e.task_uuid = $task),
        'moves', (select jsonb_agg(to_jsonb(m) - array['workflow_step_uuid', 'task_uuid', 'created_at', 'xact_id'] || jsonb_build_object('step', p.step_position)
                                   order by p.step_position, m.sort_key)
                  from tasker.workflow_step_transitions m join positions p using (workflow_step_uuid) where m.task_uuid = $task),
        'task_moves', (select jsonb_agg(to_jsonb(m) - array['task_uuid', 'created_at', 'xact_id'] order by m.sort_key)
                       from tasker.task_transitions m where m.task_uuid = $task),
        'results', (select jsonb_agg(to_jsonb(r) - array['workflow_step_uuid', 'task_uuid'] || jsonb_build_object('step', p.step_position)
                                     order by p.step_position, r.sort_key)
                    from tasker.workflow_step_result_audit r join positions p using (workflow_step_uuid)),
        'wakeup', (select jsonb_agg(w.wake_at) from tasker.task_wakeups w where w.task_uuid = $task),
        'dead_letters', (select count(*) from tasker.tasks_dlq d where d.task_uuid = $task),
        'slots', (select jsonb_agg(to_jsonb(h) - array['holder_uuid', 'task_uuid', 'policy_uuid', 'requested_at', 'admitted_at', 'waiting_position', 'claim_rank'] order by h.holder_uuid)
                  from tasker.concurrency_slots h where h.task_uuid = $task),
        'messages', (select jsonb_agg(jsonb_build_object('step', p.step_position, 'handoff', q.message -> 'handoff', 'handler', q.headers -> 'handler')
                                      order by p.step_position, q.msg_id)
                     from pgmq.$queue q join positions p on p.workflow_step_uuid = (q.message ->> 'step_uuid')::uuid)))""";

  /** The statement that reads {@link #ROWS} of a task of that namespace. */
  static String rows(UUID task, String namespace) {
    return ROWS.replace("$task", "'" + task + "'")
        .replace("$queue", "q_worker_" + namespace + "_queue").replaceFirst("\\?",
            "'" + task + "'");
  }

  private record Life(List<String> rows, List<String> replies) {}

  @Property(tries = 25, shrinking = ShrinkingMode.OFF)
  void one_result_leaves_the_rows_that_several_leave(@ForAll long seed) {
    TestDatabase.get().reset();
    UUID server = UUID.randomUUID();
    // Whole seconds, so that both lives have the same times, and ahead of the clock, by which the
    // history is dated: a cancel request comes after it.
    Instant start = Instant.now().plusSeconds(3600).truncatedTo(ChronoUnit.SECONDS);
    Life alone = live(seed, start, server, "alone", false);
    Life together = live(seed, start, server, "together", true);

    for (int command = 0; command < alone.rows().size(); command++) {
      assertThat(alone.rows().get(command)).as("rows after command %s of seed %s", command, seed)
          .isEqualTo(together.rows().get(command));
      assertThat(alone.replies().get(command)).as("reply of command %s of seed %s", command, seed)
          .isEqualTo(together.replies().get(command));
    }
    TaskerAssertions.assertThatHistoryIsSound();
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 0"})
  void only_a_call_with_one_result_goes_that_way(int results, int calls) {
    try (Sql session = Sql.session(); SqlWorker worker = SqlWorker.in(session)) {
      Dag.linear(2).started(results);
      session.run("set local track_functions = 'all'");
      List<Result> successes = worker.claim(results).stream().map(Claim::success).toList();

      JsonObject reply = worker.complete(results, successes);

      assertThat(SqlWorker.claims(reply.getJsonArray("claimed_steps"))).as("%s", reply)
          .hasSize(results);
      assertThat(session.number(
          "select coalesce(sum(calls), 0) from pg_stat_xact_user_functions where schemaname = 'tasker' and funcname = 'complete_step'"))
          .isEqualTo(calls);
      session.commit();
    }
  }

  /** As the general way has it, which reads it back: with the results of all parents, and inputs. */
  @Test
  void the_document_of_the_child_is_what_the_general_way_reads() {
    Dag.diamond().started();
    Dag.linear(2).started();
    try (Sql session = Sql.session(); SqlWorker worker = SqlWorker.in(session)) {
      int children = 0;
      for (List<Claim> running = new ArrayList<>(worker.claim(9)); !running.isEmpty();) {
        JsonObject reply = worker.complete(2, List.of(running.remove(0).success("{\"n\": 1}")));
        for (JsonObject child : reply.getJsonArray("claimed_steps")
            .getValuesAs(JsonObject.class)) {
          children++;
          assertThat(child).isEqualTo(session.array(
              "select tasker.get_claimed_steps(array[?])",
              UUID.fromString(child.getString("step_uuid"))).getJsonObject(0));
        }
        running.addAll(SqlWorker.claims(reply.getJsonArray("claimed_steps")));
      }
      assertThat(children).isEqualTo(4);
    }
  }

  private static Life live(long seed, Instant start, UUID server, String namespace,
      boolean isGivenTwice) {
    Random random = new Random(seed);
    Dag dag = dag(random).inNamespace(namespace);
    Instant now = start;
    List<String> rows = new ArrayList<>();
    List<String> replies = new ArrayList<>();
    try (Sql sql = Sql.open();
        SqlWorker worker = SqlWorker.open(server);
        SqlWorker other = SqlWorker.open(new UUID(0, 1)).forNamespaces(namespace)) {
      Dag.Template template = dag.registered();
      if (random.nextInt(6) == 0) {
        sql.run(
            "insert into tasker.workers (worker_uuid, name, state, namespaces, handlers, resolvers, unable, declared_at, served, served_version, capacity, running, "
                + "registered_at, heartbeat_at, heartbeat_seconds, lease_expires_at, present_since) "
                + "select ?, 'some', 'healthy', null, '{none}', '{}', '{}', now(), tasker.calculate_served_handlers(null, '{none}', '{}', '{}'), c.version, 9, 0, now(), now(), 10, now(), now() from tasker.handler_catalog c "
                + "on conflict (worker_uuid) do update set served = excluded.served",
            server);
      }
      JsonObject submitted = sql.object("select tasker.submit_tasks(?, ?, 2, p_now => ?)",
          Json.createArrayBuilder().add(dag.request(template)).build(), server, now);
      UUID task = UUID
          .fromString(submitted.getJsonArray("verdicts").getJsonObject(0).getString("task_uuid"));
      String query = rows(task, namespace);
      List<Claim> running = new ArrayList<>(
          SqlWorker.claims(submitted.getJsonArray("claimed_steps")));
      for (int command = 0; command < 25; command++) {
        now = now.plusSeconds(1 + random.nextInt(3));
        worker.at(now);
        other.at(now);
        running.sort(Comparator.comparing(claim -> position(sql, claim)));
        String reply = "";
        switch (random.nextInt(14)) {
          // All that is offered: of several with the same rank, each life would claim others first.
          case 0, 1, 2 -> running.addAll(other.claim(10));
          case 3 -> {
            if (!running.isEmpty()) {
              reply = reply(sql,
                  worker.complete(
                      running.remove(random.nextInt(running.size())).retryableFailure(500)),
                  running);
            }
          }
          case 4 ->
            reply = sql.text(
                "select jsonb_array_length(tasker.advance_due_tasks(?, 10, p_now => ?) -> 'ended')::text",
                server, now);
          case 5 -> {
            if (random.nextInt(4) == 0) {
              reply = sql.text(
                  "select tasker.request_cancel(?, 'ann', 'enough', 'allow_finish', p_now => ?) ->> 'outcome'",
                  task, now);
            } else if (random.nextInt(3) == 0) {
              sql.text("select tasker.pause_templates(?, null, null, 'ann', 'a test')::text",
                  namespace);
            } else {
              sql.text(
                  "select tasker.resume_templates(?, null, null, 'ann', 'a test', p_now => ?)::text",
                  namespace, now);
            }
          }
          case 6 -> {
            int position = 1 + random.nextInt(4);
            reply = sql.text(
                "select tasker.act_on_step(?, (select s.workflow_step_uuid from tasker.workflow_steps s where s.task_uuid = ? and s.step_position = ?), "
                    + "'resolve_manually', 'ann', 'a test', p_now => ?) ->> 'outcome'",
                task, task, position, now);
            UUID resolved = sql.uuid(
                "select s.workflow_step_uuid from tasker.workflow_steps s where s.task_uuid = ? and s.step_position = ?",
                task, position);
            running.removeIf(claim -> claim.step().equals(resolved)
                && !sql.isTrue(
                    "select state = 'in_progress' from tasker.workflow_steps where workflow_step_uuid = ?",
                    resolved));
          }
          default -> {
            if (!running.isEmpty()) {
              Result success = running.remove(random.nextInt(running.size()))
                  .success("{\"n\": " + command + "}");
              reply = reply(sql, worker.complete(random.nextInt(3),
                  isGivenTwice ? List.of(success, success) : List.of(success)), running);
            }
          }
        }
        rows.add(sql.text(query));
        replies.add(reply);
      }
      // What a resumed template made due at "now", which is ahead of the clock, is done.
      sql.text("select tasker.advance_due_tasks(?, 10, p_now => ?)::text", server, now);
    }
    return new Life(rows, replies);
  }

  /**
   * What the caller learns, and takes with it. The order of claims within a reply is not promised,
   * and depends on the planner.
   */
  private static String reply(Sql sql, JsonObject reply, List<Claim> running) {
    List<Claim> claims = SqlWorker.claims(reply.getJsonArray("claimed_steps")).stream()
        .sorted(Comparator.comparing(claim -> position(sql, claim))).toList();
    running.addAll(claims);
    return claims.stream().map(claim -> position(sql, claim) + "/" + claim.handoff())
        .collect(Collectors.joining(",")) + " queued "
        + reply.getJsonArray("queued").size()
        + " ended " + reply.getJsonArray("ended").stream()
            .map(ended -> ended.asJsonObject().getString("state")).toList();
  }

  private static String position(Sql sql, Claim claim) {
    return sql.text(
        "select step_position::text from tasker.workflow_steps where workflow_step_uuid = ?",
        claim.step());
  }

  private static Dag dag(Random random) {
    int size = 1 + random.nextInt(6);
    boolean isChain = random.nextBoolean();
    Dag dag = Dag.of("n1").maxAttempts(2).backoff("none", 1, 1);
    for (int i = 2; i <= size; i++) {
      dag.step("n" + i).maxAttempts(2).backoff("none", 1, 1);
      for (int parent = 1; parent < i; parent++) {
        if (isChain ? parent == i - 1 : random.nextDouble() < 0.4) {
          dag.dependsOn("n" + parent);
        }
      }
      if (random.nextInt(12) == 0) {
        dag.stepPolicy("{\"limit\": 1}");
      }
    }
    if (random.nextInt(5) == 0) {
      dag.continueOnError();
    }
    return dag;
  }
}
