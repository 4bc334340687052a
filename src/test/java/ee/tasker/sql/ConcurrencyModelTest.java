package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.RunRecord;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import ee.tasker.testing.TaskerAssertions;
import ee.tasker.testing.TestDatabase;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/**
 * Random policies under random luck. The oracle knows nothing of slots: it counts what is under way
 * in the states of steps
 * and tasks. After every command no count is above its limit, and when all are admitted at the end,
 * everything ends
 * and nothing is held.
 */
class ConcurrencyModelTest {

  @Property(tries = 25, shrinking = ShrinkingMode.OFF)
  void no_limit_is_exceeded_no_waiter_is_forgotten_and_nothing_leaks(@ForAll long seed) {
    TestDatabase.get().reset();
    Random random = new Random(seed);
    boolean countsTasks = random.nextBoolean();
    boolean hasKey = random.nextBoolean();
    int limit = 1 + random.nextInt(3);
    String policy = "{\"limit\": " + limit + ", \"counts\": \"" + (countsTasks ? "tasks" : "steps")
        + "\""
        + (hasKey ? ", \"key\": \"/k\"" : "") + "}";
    Dag dag = (random.nextBoolean() ? Dag.diamond() : Dag.parallel(3)).maxAttempts(3)
        .backoff("none", 1, 1).policy(policy);
    if (random.nextBoolean()) {
      dag.stepPolicy("{\"limit\": " + (1 + random.nextInt(2)) + "}");
    }
    try (Sql sql = Sql.open(); SqlWorker worker = SqlWorker.open()) {
      List<Dag.Task> tasks = new ArrayList<>();
      Map<UUID, Claim> running = new HashMap<>();
      Instant now = sql.instant("select clock_timestamp()");
      UUID policyUuid = null;
      // In every other run the limit stays, and the bound is exact; in the others a slot may be
      // from before it was lowered.
      boolean limitChanges = random.nextBoolean();
      long allowed = limit;
      for (int command = 0; command < 60; command++) {
        String where = "seed " + seed + ", command " + command;
        now = now.plusMillis(1 + random.nextInt(2_000));
        worker.at(now);
        switch (random.nextInt(12)) {
          case 0, 1, 2 -> tasks.add(dag.context("{\"k\": " + random.nextInt(2) + "}").started());
          case 3, 4, 5 ->
            worker.claim(1 + random.nextInt(3)).forEach(claim -> running.put(claim.step(), claim));
          case 6, 7, 8 -> {
            for (Claim claim : new ArrayList<>(running.values())) {
              if (random.nextBoolean()) {
                double luck = random.nextDouble();
                worker.complete(
                    luck < 0.15 ? claim.retryableFailure(random.nextInt(3_000))
                        : luck < 0.2 ? claim.permanentFailure() : claim.success());
                running.remove(claim.step());
              }
            }
          }
          case 9 -> {
            if (!tasks.isEmpty() && random.nextInt(3) == 0) {
              sql.text("select tasker.request_cancel(?, 'model', 'luck', p_now => ?)",
                  tasks.get(random.nextInt(tasks.size())).uuid(), now);
            }
          }
          case 10 -> {
            if (!limitChanges) {
              break;
            }
            policyUuid = sql.uuid(
                "select u.policy_uuid from tasker.named_tasks_policies u where u.named_task_uuid = ? and u.step_position = 0",
                dag.registered().uuid());
            limit = random.nextInt(4);
            sql.text("select tasker.set_concurrency_limit(?, ?)", policyUuid, limit);
            allowed = Math.max(allowed, limit);
          }
          default -> {
            sql.run("update tasker.task_wakeups set wake_at = ?", now);
            worker.advance();
          }
        }
        worker.advance();
        long most = mostUnderWay(sql, countsTasks, hasKey);
        assertThat(most).as(where).isLessThanOrEqualTo(allowed);
        assertThat(sql.texts("select distinct invariant from tasker.find_slot_violations()"))
            .as(where).isEmpty();
      }
      drain(sql, worker, now, policyUuid);
      Set<String> left = new HashSet<>(sql.texts("select state from tasker.tasks"));
      left.removeAll(Set.of("complete", "cancelled", "blocked_by_failures"));
      assertThat(left).as("seed " + seed).isEmpty();
      assertThat(sql.number("select count(*) from tasker.concurrency_slots")).as("seed " + seed)
          .isZero();
    }
    RunRecord.replayed(ConcurrencyModelTest.class, TaskerAssertions.assertThatHistoryIsSound());
  }

  /**
   * Per key the most tasks that have started and rest nowhere, or the most steps that are offered
   * or running.
   */
  private static long mostUnderWay(Sql sql, boolean countsTasks, boolean hasKey) {
    String key = hasKey ? "(c.context ->> 'k')" : "''";
    return sql.number("select coalesce(max(n), 0) from (select " + key + ", count(distinct "
        + (countsTasks ? "t.task_uuid" : "s.workflow_step_uuid") + ") as n "
        + "from tasker.tasks t join tasker.task_contexts c using (task_uuid) join tasker.workflow_steps s using (task_uuid) where "
        + (countsTasks
            ? "t.completed_at is null and t.state <> 'blocked_by_failures' and exists (select from tasker.workflow_steps o "
                + "where o.task_uuid = t.task_uuid and o.handoffs > 0)"
            : "s.state in ('enqueued', 'in_progress')")
        + " group by 1) x");
  }

  private static void drain(Sql sql, SqlWorker worker, Instant from, UUID policy) {
    if (policy != null) {
      sql.text("select tasker.set_concurrency_limit(?, 2)", policy);
    }
    Instant now = from;
    for (int round = 0; round < 400
        && sql.isTrue("select exists (select from tasker.task_wakeups)"); round++) {
      // Leases of claims that the model still holds run out as well.
      now = now.plusSeconds(61);
      worker.at(now).advance();
      worker.complete(0, worker.claim(100).stream().map(Claim::success).toList());
    }
  }
}
