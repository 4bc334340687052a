package ee.tasker.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * How many schedules two servers fire per second: a thousand that fire every second, for some
 * seconds of virtual time, as quickly as it goes. By hand: {@code -Dtest=ScheduleThroughput
 * -Dschedules=1000 -Dseconds=10}.
 */
@DatabaseTest
class ScheduleThroughput {
  private static final Instant START = Instant.parse("2026-01-10T00:00:00Z");

  @Test
  void each_fire_time_has_one_task_however_quick_the_servers_are() {
    int schedules = Integer.getInteger("schedules", 1_000);
    int seconds = Integer.getInteger("seconds", 10);
    Dag.Template template = Dag.of("a").inNamespace("schedules_test").version("1.0.0").registered();
    try (Sql sql = Sql.open()) {
      ScheduleDesk desk = new ScheduleDesk(sql);
      IntStream.range(0, schedules).forEach(n -> desk.create(template.namespace(), template.name(),
          "{\"name\": \"s" + n
              + "\", \"every_seconds\": 1, \"overlap\": \"allow\", \"catch_up\": \"all\"}",
          START));
      AtomicLong rounds = new AtomicLong();
      long began = System.nanoTime();
      for (int second = 1; second <= seconds; second++) {
        Instant now = START.plusSeconds(second);
        List<CompletableFuture<Void>> servers = IntStream.range(0, 2)
            .mapToObj(server -> CompletableFuture.runAsync(() -> fireAll(now, rounds))).toList();
        servers.forEach(CompletableFuture::join);
      }
      double took = Duration.ofNanos(System.nanoTime() - began).toMillis() / 1_000.0;
      long fires = sql
          .number("select count(*) from tasker.schedule_fires where outcome = 'started'");
      System.out.printf(
          "%d schedules, %d seconds, two servers: %d tasks in %.1f s = %.0f tasks/s, %d rounds%n",
          schedules, seconds, fires, took, fires / took, rounds.get());

      assertThat(fires).isEqualTo((long) schedules * seconds);
      assertThat(sql.number("select count(*) from tasker.tasks")).isEqualTo(fires);
      assertThat(
          sql.number("select count(distinct (schedule_uuid, fire_at)) from tasker.schedule_fires"))
          .isEqualTo(fires);
    }
  }

  private static void fireAll(Instant now, AtomicLong rounds) {
    try (Sql session = Sql.session()) {
      ScheduleDesk desk = new ScheduleDesk(session);
      for (int done = 1; done > 0;) {
        JsonObject taken = desk.taken(now, 200);
        done = taken.getJsonArray("schedules").isEmpty() ? 0
            : desk.fire(desk.plans(taken, "schedules"), now).getInt("tasks");
        session.commit();
        rounds.incrementAndGet();
      }
    }
  }
}
