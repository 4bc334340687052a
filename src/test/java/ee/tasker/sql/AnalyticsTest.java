package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.JsonObject;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** Figures are compared with counts over everything, made here in another way. */
@DatabaseTest
@DatabaseTest.Covers({"is_terminal", "calculate_health_score", "count_task_moves", "tally_tasks",
  "tally_steps", "get_task_tallies",
  "get_step_tallies", "roll_up_analytics", "rebuild_analytics", "get_system_health_counts",
  "get_analytics_metrics",
  "get_slowest_tasks", "get_slowest_steps", "get_slowest_tasks_aggregated",
  "get_slowest_steps_aggregated", "get_performance_document",
  "get_health_document", "get_bottleneck_document", "get_timeline_document",
  "get_metrics_document", "calculate_duration_bucket", "get_bucket_seconds", "add_tallies",
  "get_duration_percentiles", "get_metric_bounds", "add_metric_totals", "get_metric_totals",
  "count_moves", "count_moves_in_parts"})
class AnalyticsTest {
  private static final String LONG_AGO = "'2020-01-01'::timestamptz";
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private void rollUp() {
    assertThat(sql.text("select tasker.roll_up_analytics()")).isNotNull();
  }

  /** What get_system_health_counts must say, counted over all rows. */
  private void assertCountsAreRight() {
    Map<String, Object> reported = sql.rows("select * from tasker.get_system_health_counts()")
        .get(0);
    for (String table : List.of("tasks", "workflow_steps")) {
      String kind = table.equals("tasks") ? "_tasks" : "_steps";
      for (Map<String, Object> row : sql
          .rows("select s.state::text as state, (select count(*) from tasker." + table
              + " t where t.state = s.state) as n from unnest(enum_range(null::tasker."
              + (table.equals("tasks") ? "task_state" : "step_state")
              + ")) as s(state)")) {
        assertThat(reported.get(row.get("state") + kind)).as(row.get("state") + kind)
            .isEqualTo(row.get("n"));
      }
      assertThat(reported.get("total" + kind)).as("total" + kind)
          .isEqualTo(sql.rows("select count(*) as n from tasker." + table).get(0).get("n"));
    }
  }

  private void assertMetricsAreThoseOfTheHistory(String since) {
    Map<String, Object> reported = sql
        .rows("select * from tasker.get_analytics_metrics(" + since + ")").get(0);
    Map<String, Object> counted = sql.rows(
        """
        select count(*) filter (where h.from_state is null) as created,
               count(*) filter (where h.to_state = 'complete') as completed,
               count(*) filter (where h.to_state = 'error') as failed,
               coalesce(round(avg(extract(epoch from h.created_at - t.created_at))
                 filter (where h.to_state in ('complete', 'error', 'cancelled', 'resolved_manually')), 6), 0) as duration,
               (select count(*) from tasker.workflow_step_result_audit r
                where r.execution_time_ms is not null and exists (
                  select from tasker.task_transitions e where e.task_uuid = r.task_uuid and e.created_at >= r.recorded_at
                    and e.to_state in ('complete', 'error', 'cancelled', 'resolved_manually', 'blocked_by_failures')
                    and e.created_at >= SINCE)) as executions
        from tasker.task_transitions h join tasker.tasks t using (task_uuid) where h.created_at >= SINCE"""
            .replace("SINCE", since))
        .get(0);
    assertThat(reported.get("task_throughput")).isEqualTo(counted.get("created"));
    assertThat(reported.get("completion_count")).isEqualTo(counted.get("completed"));
    assertThat(reported.get("error_count")).isEqualTo(counted.get("failed"));
    assertThat(reported.get("step_throughput")).isEqualTo(counted.get("executions"));
    assertThat(((BigDecimal) reported.get("avg_task_duration"))
        .subtract((BigDecimal) counted.get("duration")).abs())
        .as("mean duration").isLessThan(new BigDecimal("0.00001"));
  }

  @Test
  void counts_are_right_at_every_moment_of_random_work_whenever_it_is_rolled_up() {
    long seed = Long.getLong("analytics.seed", System.nanoTime());
    System.out.println("AnalyticsTest seed " + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 12; round++) {
      Dag.of("a").step("b").dependsOn("a").step("c").dependsOn("a")
          .maxAttempts(1 + random.nextInt(2)).started(1 + random.nextInt(6));
      for (Claim claim : worker.claim(1 + random.nextInt(12))) {
        switch (random.nextInt(8)) {
          case 0 -> worker.complete(claim.permanentFailure());
          case 1 -> worker.complete(claim.retryableFailure(60_000));
          case 2 -> sql.text("select tasker.request_cancel(?, 'me', 'chance')", claim.task());
          default -> worker.complete(claim.success());
        }
      }
      if (random.nextBoolean()) {
        rollUp();
      }
      assertCountsAreRight();
      assertMetricsAreThoseOfTheHistory(LONG_AGO);
    }
    sql.text("select tasker.rebuild_analytics()");
    assertCountsAreRight();
    Dag.linear(2).started(2);
    rollUp();
    assertCountsAreRight();
    assertMetricsAreThoseOfTheHistory(LONG_AGO);
  }

  @Test
  void what_a_transaction_did_that_was_open_during_a_roll_up_is_counted_when_it_commits() {
    Dag.Template template = Dag.of("a").registered();
    try (Sql slow = Sql.session()) {
      slow.text("select tasker.submit_tasks(jsonb_build_array(?::jsonb))::text",
          Dag.of("a").request(template).toString());
      Dag.of("a").started();
      worker.runToTheEnd();
      rollUp();
      assertCountsAreRight();
      slow.commit();
    }
    assertCountsAreRight();
    assertMetricsAreThoseOfTheHistory(LONG_AGO);
    rollUp();
    assertCountsAreRight();
    assertMetricsAreThoseOfTheHistory(LONG_AGO);
  }

  @Test
  void a_task_that_an_operator_restarts_leaves_the_counts_of_the_finished() {
    Dag.Task task = Dag.of("a").step("b").dependsOn("a").started();
    worker.complete(worker.claimOne().permanentFailure());
    sql.text(
        "select tasker.transition_task_state_atomic(?, 'blocked_by_failures', 'error', null, '{\"actor\": \"operator\"}')",
        task.uuid());
    rollUp();
    assertCountsAreRight();
    sql.text(
        "select tasker.transition_task_state_atomic(?, 'error', 'evaluating_results', null, '{\"actor\": \"operator\"}')",
        task.uuid());
    sql.run(
        "insert into tasker.task_wakeups (task_uuid, wake_at) values (?, now()) on conflict do nothing",
        task.uuid());
    sql.text(
        "select tasker.transition_step_state_atomic(?, 1, 'error', 'pending', 'operator', null, '{\"reason\": \"again\"}')",
        task.step("a"));
    assertCountsAreRight();
    rollUp();
    assertCountsAreRight();
    worker.advance();
    worker.runToTheEnd();
    assertCountsAreRight();
    assertThat(sql.text("select sum(executions)::text from tasker.get_step_tallies('-infinity')"))
        .isEqualTo("3");
  }

  @Test
  void a_step_whose_failure_blocks_its_task_counts_before_an_operator_has_acted() {
    Dag.Task task = Dag.of("a").started();
    worker.complete(worker.claimOne().permanentFailure());
    String tallies = "select sum(executions) || ' runs, ' || sum(errors) || ' errors' from tasker.get_step_tallies('-infinity')";
    assertThat(sql.text(tallies)).isEqualTo("1 runs, 1 errors");
    rollUp();
    assertThat(sql.text(tallies)).isEqualTo("1 runs, 1 errors");

    sql.text("select tasker.act_on_task(?, 'retry', 'ann', 'again')", task.uuid());
    worker.runToTheEnd();

    assertThat(sql.text(tallies)).as("each once").isEqualTo("2 runs, 1 errors");
    rollUp();
    assertThat(sql.text(tallies)).isEqualTo("2 runs, 1 errors");
  }

  @Test
  void a_second_roll_up_at_the_same_time_steps_back() {
    try (Sql first = Sql.session()) {
      assertThat(first.text("select tasker.roll_up_analytics()")).isNotNull();
      assertThat(sql.text("select tasker.roll_up_analytics()")).isNull();
    }
  }

  /** Of the metrics, which only grow. */
  private long endedTasks() {
    return Long.parseLong(sql.text(
        "select coalesce(sum(t.events), 0)::text from tasker.metric_totals t where t.metric = 'task'"));
  }

  @Test
  void a_database_whose_transactions_are_numbered_anew_is_counted_on() {
    Dag.linear(2).started(3);
    worker.runToTheEnd();
    rollUp();
    long before = endedTasks();
    sql.run("update tasker.analytics_progress set next_xact = 9000000000000000000");
    rollUp();
    assertCountsAreRight();
    assertThat(endedTasks()).as("what was counted there is not counted again").isEqualTo(before);
    Dag.linear(2).started(2);
    worker.runToTheEnd();
    assertCountsAreRight();
    rollUp();
    assertCountsAreRight();
    assertMetricsAreThoseOfTheHistory(LONG_AGO);
    assertThat(endedTasks()).isEqualTo(before + 2);
  }

  @Test
  void what_a_restored_database_had_not_counted_is_counted_beside_writers() {
    Dag.linear(2).started(3);
    worker.runToTheEnd();
    rollUp();
    long before = endedTasks();
    Dag.linear(1).started(2);
    worker.runToTheEnd();
    try (Sql restore = Sql.session()) {
      restore.run("set session_replication_role = replica");
      for (String table : List.of("task_moves", "step_moves")) {
        restore.run("update tasker." + table + " set xact_id = xact_id + 8000000000000000000");
      }
      restore.run("update tasker.analytics_progress "
          + "set next_xact = next_xact + 8000000000000000000");
      restore.commit();
    }
    Dag.Template template = Dag.of("a").registered();
    Dag.of("a").started();
    worker.runToTheEnd();
    try (Sql slow = Sql.session()) {
      slow.text("select tasker.submit_tasks(jsonb_build_array(?::jsonb))::text",
          Dag.of("a").request(template).toString());
      sql.run("set lock_timeout = '2s'");
      rollUp();
      sql.run("reset lock_timeout");
      assertCountsAreRight();
      slow.commit();
    }
    assertCountsAreRight();
    worker.runToTheEnd();
    rollUp();
    assertCountsAreRight();
    assertMetricsAreThoseOfTheHistory(LONG_AGO);
    assertThat(endedTasks()).isEqualTo(before + 4);
  }

  @Test
  void a_backlog_is_counted_in_parts_and_the_counts_are_right_at_every_moment() {
    rollUp();
    for (int i = 0; i < 3; i++) {
      Dag.linear(1).started(2);
      worker.runToTheEnd();
      sql.run("do $$ begin for i in 1..700 loop perform pg_current_xact_id(); commit; end loop; "
          + "end $$");
    }
    String behind = "select (pg_snapshot_xmin(pg_current_snapshot())::text::bigint - a.next_xact)"
        + "::text from tasker.analytics_progress a";
    long first = Long.parseLong(sql.text(behind));
    assertThat(first).isGreaterThan(2_000);
    int parts = 0;
    // Each call is a transaction of its own.
    while (Long.parseLong(sql.text(behind)) > 100) {
      assertThat(parts++).isLessThan(10);
      sql.text("""
          select tasker.count_moves_in_parts(a.next_xact,
            pg_snapshot_xmin(pg_current_snapshot())::text::bigint, '0 seconds')
          from tasker.analytics_progress a""");
      assertCountsAreRight();
    }
    assertThat(parts).isGreaterThan(2);
    assertMetricsAreThoseOfTheHistory(LONG_AGO);
  }

  @Test
  void analytics_that_have_lost_their_place_are_counted_afresh() {
    Dag.linear(2).started(3);
    worker.runToTheEnd();
    rollUp();
    sql.run("delete from tasker.analytics_progress");
    rollUp();
    assertCountsAreRight();
    Dag.linear(2).started(2);
    worker.runToTheEnd();
    rollUp();
    assertCountsAreRight();
    assertMetricsAreThoseOfTheHistory(LONG_AGO);
  }

  @Test
  void a_period_begins_where_it_is_said_to_and_not_at_a_full_minute() {
    Dag.linear(1).started(3);
    worker.runToTheEnd();
    String since = "'" + sql.text("select clock_timestamp()::text") + "'::timestamptz";
    Dag.linear(1).started(2);
    worker.runToTheEnd();
    assertMetricsAreThoseOfTheHistory(since);
    rollUp();
    assertMetricsAreThoseOfTheHistory(since);
    assertThat(
        sql.text("select completion_count::text from tasker.get_analytics_metrics(" + since + ")"))
        .isEqualTo("2");
  }

  @Test
  void the_slowest_come_first_and_filters_hold() {
    Dag.Task quick = Dag.of("a").started();
    worker.runToTheEnd();
    Dag.Task slow = Dag.of("a").step("b").dependsOn("a").started();
    sql.run(
        "update tasker.tasks set created_at = created_at - interval '1 hour' where task_uuid = ?",
        slow.uuid());
    worker.runToTheEnd();
    List<Map<String, Object>> tasks = sql.rows("select * from tasker.get_slowest_tasks()");
    assertThat(tasks).extracting(row -> row.get("task_uuid")).containsExactly(slow.uuid(),
        quick.uuid());
    assertThat(tasks.get(0)).containsEntry("step_count", 2).containsEntry("completed_steps", 2L)
        .containsEntry("error_steps", 0L);
    assertThat(sql.rows("select * from tasker.get_slowest_tasks(limit_count => 1)")).hasSize(1);
    assertThat(sql.rows("select * from tasker.get_slowest_tasks(namespace_filter => 'nobody')"))
        .isEmpty();
    assertThat(sql.rows("select * from tasker.get_slowest_steps()")).hasSize(3);
    for (int rolledUp = 0; rolledUp < 2; rolledUp++) {
      List<Map<String, Object>> templates = sql
          .rows("select * from tasker.get_slowest_tasks_aggregated(min_executions => 1)");
      assertThat(templates).extracting(row -> row.get("execution_count")).containsExactly(1L, 1L);
      assertThat((BigDecimal) templates.get(0).get("avg_duration_seconds"))
          .isGreaterThan((BigDecimal) templates.get(1).get("avg_duration_seconds"));
      assertThat(sql.rows("select * from tasker.get_slowest_tasks_aggregated()"))
          .as("fewer than five").isEmpty();
      assertThat(sql.rows("select * from tasker.get_slowest_steps_aggregated(min_executions => 1)"))
          .hasSize(3);
      rollUp();
    }
  }

  // It moves the tallies of tasks that are still there.
  @Test
  @DatabaseTest.BreaksPromises
  void minutes_are_forgotten_when_they_are_too_old() {
    Dag.linear(1).started();
    worker.runToTheEnd();
    rollUp();
    sql.run("update tasker.task_tallies set minute = minute - interval '40 days'");
    sql.run("update tasker.step_tallies set minute = minute - interval '40 days'");
    sql.run("update tasker.duration_tallies set quarter = quarter - interval '40 days'");
    rollUp();
    assertThat(sql.text("select count(*)::text from tasker.task_tallies")).isEqualTo("0");
    assertThat(sql.text("select count(*)::text from tasker.step_tallies")).isEqualTo("0");
    assertThat(sql.text("select count(*)::text from tasker.duration_tallies")).isEqualTo("0");
    assertCountsAreRight();
  }

  @Test
  void totals_for_a_monitoring_system_are_those_of_the_history_and_stay_when_all_is_recounted() {
    Dag first = Dag.of("a").step("b").dependsOn("a").maxAttempts(2);
    first.started(3);
    Dag.linear(2).inNamespace("second_namespace").started(1);
    for (int round = 0; round < 8; round++) {
      worker.advance();
      List<Claim> claims = worker.claim(4);
      for (Claim claim : claims) {
        boolean isFirst = claim.equals(claims.get(0));
        if (round == 3 && isFirst) {
          sql.text("select tasker.request_cancel(?, 'me', 'a test')", claim.task());
        }
        worker.complete(round == 0 && isFirst ? claim.retryableFailure(0) : claim.success());
      }
      rollUp();
    }
    assertTotalsAreThoseOfTheHistory();
    String before = sql.text("select tasker.get_metric_totals(9) ->> 'totals'");

    sql.text("select tasker.rebuild_analytics()");
    rollUp();

    assertThat(sql.text("select tasker.get_metric_totals(9) ->> 'totals'")).isEqualTo(before);
  }

  private void assertTotalsAreThoseOfTheHistory() {
    String totals = "(select t.* from jsonb_to_recordset(tasker.get_metric_totals(9) -> 'totals')"
        + " as t(metric text, namespace text, template text, label text, bucket int,"
        + " events bigint, seconds numeric)) totals";
    List<Map<String, Object>> reported = sql.rows("select metric, namespace, template, label, "
        + "sum(events)::bigint as n, sum(seconds) as s from " + totals
        + " group by 1, 2, 3, 4 order by 1, 2, 3, 4");
    List<Map<String, Object>> counted = sql.rows(
        """
                with named as (
                  select t.task_uuid, t.created_at, ns.name as namespace, nt.name as template
                  from tasker.tasks t join tasker.named_tasks nt using (named_task_uuid)
                  join tasker.task_namespaces ns using (task_namespace_uuid)),
                moves as (
                  select h.*, lag(h.created_at) over (partition by h.workflow_step_uuid order by h.sort_key) as before
                  from tasker.workflow_step_transitions h),
                counted as (
                  select 'task' as metric, n.namespace, n.template, h.to_state::text as label,
                         extract(epoch from h.created_at - n.created_at) as seconds
                  from tasker.task_transitions h join named n using (task_uuid)
                  where h.to_state in ('complete', 'error', 'cancelled', 'resolved_manually')
                  union all
                  select unnest(case when r.attempt > 1 then array['step', 'retry'] else array['step'] end),
                         n.namespace, n.template, r.outcome::text, coalesce(r.execution_time_ms, 0) / 1000.0
                  from tasker.workflow_step_result_audit r join named n using (task_uuid)
                  union all
                  select 'wait', n.namespace, n.template, '', extract(epoch from m.created_at - m.before)
                  from moves m join named n using (task_uuid)
                  where m.from_state = 'enqueued' and m.to_state = 'in_progress')
                select metric, namespace::text, template::text, case metric when 'retry' then '' else label end as label,
                       count(*) as n, sum(case metric when 'retry' then 0 else seconds end) as s
                from counted group by 1, 2, 3, 4 order by 1, 2, 3, 4""");
    assertThat(reported).hasSameSizeAs(counted);
    for (int i = 0; i < counted.size(); i++) {
      Map<String, Object> expected = counted.get(i);
      assertThat(reported.get(i)).as("row " + i).containsAllEntriesOf(
          Map.of("metric", expected.get("metric"), "namespace", expected.get("namespace"),
              "template", expected.get("template"), "label", expected.get("label"), "n",
              expected.get("n")));
      assertThat((BigDecimal) reported.get(i).get("s")).as(expected.toString())
          .isCloseTo((BigDecimal) expected.get("s"), Offset.offset(new BigDecimal("0.1")));
    }
    assertThat(sql.texts("select distinct metric || ' ' || label from " + totals))
        .contains("retry ", "step success", "step retryable_failure", "task complete", "wait ");
    assertThat(sql.text("select count(distinct namespace)::text from " + totals)).isEqualTo("2");
    assertThat(sql.text(
        "select (tasker.get_metric_totals(1) -> 'totals' @> '[{\"namespace\": \"other\", \"template\": \"other\"}]'"
            + " and jsonb_path_exists(tasker.get_metric_totals(1), '$.totals[*].namespace ? (@ != \"other\")'))::text"))
        .isEqualTo("true");
    assertThat(sql.text("select bool_and(namespace = 'other' and template = 'other')::text from "
        + totals.replace("(9)", "(0)"))).isEqualTo("true");
    assertThat(sql.text("select sum(events)::text from " + totals.replace("(9)", "(0)")))
        .isEqualTo(sql.text("select sum(events)::text from " + totals));
  }

  @Test
  void duration_is_in_the_bucket_of_the_least_bound_that_it_does_not_exceed() {
    Dag.of("a").started(3);
    worker.complete(0, worker.claim(3).stream().map(Claim::success).toList());
    sql.run("""
        update tasker.tasks t set created_at = x.ended - x.took * interval '1 second'
        from (select h.task_uuid, h.created_at as ended,
                     (array[0.005, 1.001, 90000])[row_number() over (order by h.task_uuid)] as took
              from tasker.task_transitions h where h.to_state = 'complete') x
        where x.task_uuid = t.task_uuid""");
    rollUp();

    assertThat(sql.text("select string_agg(bucket || ':' || events, ' ' order by bucket)"
        + " from tasker.metric_totals where metric = 'task'")).isEqualTo("1:1 7:1 17:1");
    assertThat(sql.text("select array_position(tasker.get_metric_bounds(), 2.5)::text"))
        .isEqualTo("7");
  }

  @Test
  void health_is_one_when_nothing_is_wrong_and_falls_with_failures_and_pressure() {
    assertThat(score("0, 0, 0, 0, 40, 100")).as("no tasks, whatever the connections")
        .isEqualTo("1.0000");
    assertThat(score("0, 0, 0, 3, 100, 100")).as("none has ended yet").isEqualTo("0.8000");
    assertThat(score("10, 0, 10, 10, 0, 100")).isEqualTo("1.0000");
    assertThat(score("0, 10, 10, 10, 100, 100")).isEqualTo("0.0000");
    assertThat(score("8, 2, 10, 12, 50, 100")).isEqualTo("0.7400");
    assertThat(score("8, 2, 10, 10, 500, 100")).isEqualTo("0.6400");
  }

  @Test
  void documents_say_the_same_and_advise_where_something_stands_out() {
    for (int i = 0; i < 3; i++) {
      Dag.of("a").started(2);
      worker.complete(worker.claimOne().permanentFailure());
      worker.runToTheEnd();
      sql.text(
          "select count(tasker.transition_task_state_atomic(task_uuid, 'blocked_by_failures', 'error', null, '{\"actor\": \"operator\"}'))::text "
              + "from tasker.tasks where state = 'blocked_by_failures'");
    }
    JsonObject performance = sql.object("select tasker.get_performance_document(1)");
    assertThat(performance.getInt("completed_tasks")).isEqualTo(3);
    assertThat(performance.getInt("failed_tasks")).isEqualTo(3);
    assertThat(performance.getJsonNumber("error_rate").doubleValue()).isEqualTo(0.5);
    JsonObject health = sql.object("select tasker.get_health_document()");
    assertThat(health.getJsonObject("tasks").getInt("error")).isEqualTo(3);
    assertThat(health.getBoolean("is_under_heavy_load")).as("half of the tasks failed").isTrue();
    JsonObject bottlenecks = sql.object("select tasker.get_bottleneck_document()");
    assertThat(bottlenecks.getJsonArray("slow_steps")).hasSize(1);
    assertThat(bottlenecks.getJsonArray("recommendations").getString(0)).contains("Step a of",
        "failed in 50.0 % of 6 executions");
    assertThat(sql.object("select tasker.get_bottleneck_document(p_namespace => 'nobody')")
        .getJsonArray("recommendations")).isEmpty();
  }

  @Test
  void metrics_show_what_waits_and_what_was_not_processed() {
    JsonObject quiet = sql.object("select tasker.get_metrics_document()");
    assertThat(quiet.getInt("overdue_tasks")).isZero();
    assertThat(quiet.getJsonNumber("overdue_seconds").doubleValue()).isZero();
    assertThat(quiet.getJsonArray("queues")).isNotEmpty();
    Dag.parallel(3).started();
    sql.run("update tasker.task_wakeups set wake_at = now() - interval '5 minutes'");
    JsonObject busy = sql.object("select tasker.get_metrics_document()");
    assertThat(busy.getInt("overdue_tasks")).isEqualTo(1);
    assertThat(busy.getJsonNumber("overdue_seconds").doubleValue()).isBetween(299.0, 400.0);
    assertThat(busy.getJsonArray("queues").getValuesAs(JsonObject.class).stream()
        .mapToInt(queue -> queue.getInt("length")).sum())
        .isEqualTo(3);
    worker.claim(1).forEach(claim -> worker.complete(claim.permanentFailure()));
    assertThat(sql.object("select tasker.get_metrics_document()").getJsonObject("database")
        .getJsonNumber("wal_bytes").longValue())
        .isPositive();
  }

  private String score(String arguments) {
    return sql.text("select tasker.calculate_health_score(" + arguments + ")::text");
  }

  @Test
  void the_timeline_has_a_row_for_each_minute_counted_or_not() {
    Dag.of("a").identity("always_unique").inNamespace("bank").started(3);
    worker.complete(0, worker.forNamespaces("bank").claim(2).stream().map(Claim::success).toList());
    rollUp();
    worker.complete(worker.claim(1).get(0).permanentFailure());
    sql.text(
        "select tasker.act_on_task(task_uuid, 'fail', 'ann', 'a test') from tasker.tasks where state = 'blocked_by_failures'");

    for (String namespace : new String[]{null, "bank"}) {
      List<JsonObject> minutes = sql.object("select tasker.get_timeline_document(10, ?)", namespace)
          .getJsonArray("minutes")
          .getValuesAs(JsonObject.class);
      assertThat(minutes).hasSize(10).extracting(minute -> minute.getString("minute")).isSorted();
      // The test may run over the end of a minute.
      assertThat(minutes.stream().mapToInt(minute -> minute.getInt("created")).sum()).isEqualTo(3);
      assertThat(minutes.stream().mapToInt(minute -> minute.getInt("completed")).sum())
          .isEqualTo(2);
      assertThat(minutes.stream().mapToInt(minute -> minute.getInt("failed")).sum()).isEqualTo(1);
      assertThat(minutes.get(0).isNull("average_task_seconds")).isTrue();
    }
    assertThat(sql.object("select tasker.get_timeline_document(10, 'elsewhere')")
        .getJsonArray("minutes").getValuesAs(JsonObject.class))
        .hasSize(10).allMatch(minute -> minute.getInt("created") == 0);
  }

  @Test
  void a_bucket_stands_for_its_durations_within_five_percent_or_a_millisecond() {
    assertThat(sql.number(
        """
        select count(*) from (select power(10, n / 1000.0 - 4)::numeric as seconds from generate_series(0, 11000) n) d
        where abs(tasker.get_bucket_seconds(tasker.calculate_duration_bucket(d.seconds)) - d.seconds) > greatest(0.05 * d.seconds, 0.001)"""))
        .as("of 0.1 ms to 115 days").isZero();
    assertThat(sql.texts(
        "select tasker.calculate_duration_bucket(s)::text from unnest('{-1,0,0.001,0.0011,0.00111}'::numeric[]) s"))
        .containsExactly("0", "0", "0", "1", "2");
  }

  @Test
  void percentiles_are_those_of_all_durations_within_five_percent_whenever_it_is_rolled_up() {
    long seed = Long.getLong("analytics.seed", System.nanoTime());
    System.out.println("AnalyticsTest seed " + seed);
    Random random = new Random(seed);
    Dag dag = Dag.of("a").step("b").maxAttempts(2).inNamespace("percentiles");
    for (int round = 0; round < 6; round++) {
      dag.started(12);
      for (int attempt = 0; attempt < 2; attempt++) {
        for (Claim claim : worker.forNamespaces("percentiles").claim(100)) {
          worker.complete(claim.successAfter((int) Math.exp(random.nextDouble() * 12)));
        }
      }
      if (random.nextBoolean()) {
        rollUp();
      }
    }

    for (int rolledUp = 0; rolledUp < 2; rolledUp++) {
      List<Map<String, Object>> far = sql.rows(
          """
          with exact as (
            select s.named_step_uuid as subject_uuid, percentile_disc('{0.5,0.95,0.99}'::float[]) within group (order by r.execution_time_ms / 1000.0) as p
            from tasker.workflow_step_result_audit r join tasker.workflow_steps s using (workflow_step_uuid)
            where r.execution_time_ms is not null group by 1
            union all
            -- To the move that ended the task, as the history has it; completed_at is the time at which its transaction began to evaluate it.
            select t.named_task_uuid, percentile_disc('{0.5,0.95,0.99}'::float[]) within group (order by extract(epoch from h.created_at - t.created_at))
            from tasker.tasks t join tasker.task_transitions h on h.task_uuid = t.task_uuid and h.sort_key = t.transition_count
            where t.completed_at is not null group by 1),
          reported as (
            select d.subject_uuid, array[d.p50_seconds, d.p95_seconds, d.p99_seconds] as p
            from tasker.get_duration_percentiles(array(select e.subject_uuid from exact e), now() - interval '1 hour') d)
          select e.subject_uuid, e.p, r.p as reported from exact e left join reported r using (subject_uuid)
          where r.p is null or exists (select from unnest(e.p, r.p) x(exact, reported) where abs(x.exact - x.reported) > greatest(0.05 * x.exact, 0.001))""");
      assertThat(far).isEmpty();
      rollUp();
    }
    JsonObject slow = sql
        .object("select tasker.get_bottleneck_document(p_namespace => 'percentiles')")
        .getJsonArray("slow_steps")
        .getJsonObject(0);
    assertThat(slow.getJsonNumber("p50_seconds").doubleValue())
        .isLessThanOrEqualTo(slow.getJsonNumber("p95_seconds").doubleValue())
        .isPositive();
    assertThat(sql.rows("select * from tasker.get_duration_percentiles('{}', now())")).isEmpty();
  }
}
