package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Tasks that wait in a queue cost little: the poller looks at them now and then, and evaluates
 * those only that have something to do.
 */
@DatabaseTest
@DatabaseTest.Covers({"postpone_waiting_tasks", "calculate_check_interval"})
class PostponeWaitingTasksTest {
  private static final String CALLS = "select coalesce(sum(calls), 0) from pg_stat_xact_user_functions where schemaname = 'tasker' and funcname = 'evaluate_tasks'";
  private static final String WRITES = "select coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0) from pg_stat_xact_user_tables where schemaname = 'tasker' and relname in (";

  private final Instant start = Instant.now().truncatedTo(ChronoUnit.SECONDS);

  @Test
  void a_thousand_waiting_tasks_are_not_evaluated_for_an_hour() {
    int tasks = 1000;
    try (Sql session = Sql.session(); SqlWorker poller = SqlWorker.in(session)) {
      Dag.linear(3).started(tasks);
      session.run("set local track_functions = 'all'");

      long looks = 0;
      for (int second = 30; second <= 3600; second += 30) {
        looks += poller.at(start.plusSeconds(second)).advance().getInt("tasks");
      }

      assertThat(session.number(CALLS)).as("evaluations").isZero();
      assertThat(looks)
          .as("looks: after half a minute, a minute, two, four, eight, and then every ten minutes")
          .isLessThanOrEqualTo(tasks * 11L);
      assertThat(session.number(
          WRITES + "'tasks', 'workflow_steps', 'task_moves', 'step_moves')"))
          .as("rows of tasks")
          .isZero();
      assertThat(session.number(WRITES + "'unclaimed_offers')"))
          .as("that no worker serves them is written down once").isEqualTo(tasks);
      assertThat(session.number(WRITES + "'task_wakeups')")).isLessThanOrEqualTo(tasks * 12L);
      session.commit();
    }
  }

  @Test
  void the_more_tasks_are_in_process_the_longer_each_rests() {
    try (Sql sql = Sql.open(); SqlWorker poller = SqlWorker.open()) {
      sql.run(
          "insert into tasker.task_state_tallies (state, tasks) values ('steps_in_process', 100000), ('pending', 1000000)");
      Dag.Task task = Dag.linear(3).started();
      assertThatTask(task).isLookedAtAbout(start.plusSeconds(30 + 200));
      assertThatTask(Dag.linear(2).slaMinutes(1).inNamespace("urgent").started())
          .isLookedAtAbout(start.plusSeconds(60));

      poller.at(start.plusSeconds(300)).advance();
      // As long as its age.
      assertThatTask(task).isLookedAtAbout(start.plusSeconds(600));

      sql.run(
          "update tasker.task_state_tallies set tasks = 400000 where state = 'steps_in_process'");
      poller.at(start.plusSeconds(700)).advance();
      // However old it is.
      assertThatTask(task).isLookedAtAbout(start.plusSeconds(700 + 30 + 800));

      sql.run(
          "update tasker.task_state_tallies set tasks = 10000000 where state = 'steps_in_process'");
      assertThat(sql.text("select tasker.calculate_check_interval()::text")).isEqualTo("01:00:00");
      sql.run("delete from tasker.task_state_tallies");
    }
  }

  @Test
  void a_look_reads_no_watched_offers_of_other_tasks_even_when_the_plan_was_made_for_an_empty_table() {
    int tasks = 2_000;
    Dag.linear(3).started(tasks);
    // A slow machine makes them for longer than the first look is away.
    Instant made = Instant.now();
    try (Sql sql = Sql.open()) {
      assertThat(looksAt(sql, made.plusSeconds(40))).isEqualTo(tasks);
      sql.run("delete from tasker.unclaimed_offers");
      sql.run("vacuum analyze");
    }
    try (Sql session = Sql.session()) {
      long looks = looksAt(session, made.plusSeconds(1_000));

      assertThat(looks).isEqualTo(tasks);
      assertThat(session.number("select count(*) from tasker.unclaimed_offers")).isEqualTo(tasks);
      assertThat(session.number(
          "select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) from pg_stat_xact_user_tables where relname = 'unclaimed_offers'"))
          .as("rows read").isLessThan(looks * 6);
      session.rollback();
    }
  }

  private long looksAt(Sql session, Instant now) {
    long looks = 0;
    for (int found = 1; found > 0; looks += found) {
      found = session
          .object("select tasker.advance_due_tasks(?, 100, p_now => ?)", UUID.randomUUID(), now)
          .getInt("tasks");
    }
    return looks;
  }

  @Test
  void a_step_that_runs_for_an_hour_is_not_evaluated_while_its_lease_is_renewed() {
    try (Sql session = Sql.session(); SqlWorker worker = SqlWorker.in(session)) {
      Dag.Task task = Dag.linear(2).started();
      worker.at(start).claimOne();
      session.run("set local track_functions = 'all'");
      for (int second = 20; second <= 3600; second += 20) {
        session.run(
            "update tasker.workflow_steps set lease_expires_at = ? where state = 'in_progress'",
            start.plusSeconds(second + 60));
        worker.at(start.plusSeconds(second)).advance();
      }
      assertThat(session.number(CALLS)).isZero();

      worker.at(start.plusSeconds(3700)).advance();
      session.commit();
      assertThatStep(task.step("s1")).isIn("enqueued").hasAttempts(2);
    }
  }

  @Test
  void among_waiting_tasks_those_with_something_to_do_are_evaluated() {
    Dag dag = Dag.linear(2);
    List<Dag.Task> tasks = dag.started(20);
    try (Sql sql = Sql.open(); SqlWorker worker = SqlWorker.open()) {
      Claim submitted = worker.claimOne();
      worker.submitResults(submitted.success());
      sql.run("delete from pgmq.q_orchestration_step_results");
      Claim failed = worker.claimOne();
      worker.complete(failed.retryableFailure(1_000));
      List<Claim> lost = worker.claim(1);
      sql.run("delete from pgmq.q_worker_orders_queue where message ->> 'task_uuid' = ?",
          tasks.get(19).uuid().toString());

      worker.at(Instant.now().plusSeconds(100)).advance();

      assertThatStep(submitted.step()).isIn("complete");
      assertThatStep(failed.step()).isIn("enqueued").hasAttempts(2);
      assertThatStep(lost.get(0).step()).isIn("enqueued").hasAttempts(2);
      assertThat(
          sql.number(
              "select count(*) from pgmq.q_worker_orders_queue where message ->> 'task_uuid' = ?",
              tasks.get(19).uuid().toString()))
          .isEqualTo(1);
      worker.at(null).runToTheEnd();
    }
    tasks.forEach(task -> assertThatTask(task).isIn("complete"));
  }

  @Test
  void a_step_that_a_pause_held_back_is_handed_off_beside_a_waiting_one() {
    Dag.Task task = Dag.of("x").step("y").step("z").dependsOn("x").started();
    try (Sql sql = Sql.open(); SqlWorker worker = SqlWorker.open()) {
      Claim claim = worker.claimOne();
      sql.text("select tasker.pause_templates('orders', null, null, 'ann', 'a test')::text");
      worker.complete(claim.success());
      assertThatStep(task.step("z")).isIn("pending");

      sql.text("select tasker.resume_templates('orders', null, null, 'ann', 'a test')::text");
      worker.advance();

      assertThatStep(task.step("y")).isIn("enqueued");
      assertThatStep(task.step("z")).isIn("enqueued");
    }
  }
}
