package ee.tasker.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.platform.StorableTime;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Fire times against {@code java.time}: gaps, overlaps, jitter, start and end. */
class TimingTest {
  static Timing cron(String expression, String zone) {
    return new Timing(CronExpression.parse(expression), null, ZoneId.of(zone), Instant.EPOCH, null,
        null, Duration.ZERO, 1);
  }

  private static Timing every(Duration every, String anchor) {
    return new Timing(null, every, ZoneId.of("UTC"), Instant.parse(anchor), null, null,
        Duration.ZERO, 1);
  }

  private static List<String> between(Timing timing, String from, String until) {
    List<String> times = new ArrayList<>();
    for (Optional<Instant> time = timing.next(Instant.parse(from)); time.isPresent()
        && time.get().isBefore(Instant.parse(until)); time = timing.next(time.get())) {
      times.add(ZonedDateTime.ofInstant(time.get(), timing.zone()).toOffsetDateTime().toString());
    }
    return times;
  }

  /** The text of a later time has five digits for the year, which the database does not read. */
  @ParameterizedTest
  @ValueSource(strings = {"UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"})
  void there_is_no_fire_time_after_the_year_9999(String zone) {
    Instant last = Instant.parse("9999-12-31T23:59:00Z");

    assertThat(cron("* * * * *", zone).next(last.minusSeconds(1))).contains(last);
    assertThat(cron("* * * * *", zone).next(last)).isEmpty();
    assertThat(every(Duration.ofMinutes(1), "2026-01-01T00:00:00Z").next(last)).isEmpty();
    Timing late = new Timing(null, Duration.ofDays(1), ZoneId.of(zone), last, last, null,
        Duration.ofDays(1), 1);
    assertThat(late.next(Instant.EPOCH)).contains(last);
    assertThat(late.due(last)).isBetween(last, StorableTime.LAST);
  }

  @ParameterizedTest
  @ValueSource(strings = {"Europe/Berlin", "Europe/London", "Europe/Lisbon", "America/New_York",
    "America/Los_Angeles", "America/St_Johns",
    "America/Sao_Paulo", "America/Santiago", "America/Asuncion", "America/Havana",
    "Australia/Lord_Howe", "Australia/Adelaide",
    "Pacific/Auckland", "Pacific/Apia", "Pacific/Chatham", "Asia/Tehran", "Asia/Beirut",
    "Africa/Cairo", "Africa/Casablanca",
    "Antarctica/Troll"})
  void a_daily_time_fires_once_a_day_for_ten_years_as_java_time_maps_it(String zone) {
    for (String time : List.of("02:30", "00:15")) {
      Timing timing = cron(
          LocalTime.parse(time).getMinute() + " " + LocalTime.parse(time).getHour() + " * * *",
          zone);
      TreeSet<Instant> expected = new TreeSet<>();
      for (LocalDate date = LocalDate.of(2010, 1, 1); date.getYear() < 2020; date = date
          .plusDays(1)) {
        expected.add(ZonedDateTime.ofLocal(date.atTime(LocalTime.parse(time)), timing.zone(), null)
            .toInstant());
      }
      assertThat(all(timing, expected.first(), expected.last())).as(zone + " " + time)
          .containsExactlyElementsOf(expected);
    }
  }

  /** Where something happens: around each change of the offset, from every instant there. */
  @ParameterizedTest
  @ValueSource(strings = {"Europe/Berlin", "America/New_York", "America/Havana",
    "Australia/Lord_Howe", "Pacific/Apia", "Pacific/Chatham",
    "Asia/Beirut", "Africa/Casablanca", "Antarctica/Troll", "America/Sao_Paulo"})
  void every_half_hour_fires_at_every_half_hour_of_both_passes_around_each_transition(String zone) {
    Timing timing = cron("*/30 * * * *", zone);
    Timing fixed = cron("0,30 0-23 * * *", zone);
    Instant end = Instant.parse("2015-01-01T00:00:00Z");
    for (ZoneOffsetTransition each = timing.zone().getRules()
        .nextTransition(Instant.parse("2010-01-01T00:00:00Z")); each != null
            && each.getInstant()
                .isBefore(end); each = timing.zone().getRules().nextTransition(each.getInstant())) {
      TreeSet<Instant> fired = new TreeSet<>();
      TreeSet<Instant> firedOnce = new TreeSet<>();
      LocalDateTime start = each.getDateTimeBefore().minusHours(3).withMinute(0);
      for (LocalDateTime local = start; local
          .isBefore(each.getDateTimeAfter().plusHours(4)); local = local.plusMinutes(30)) {
        firedOnce.add(ZonedDateTime.ofLocal(local, timing.zone(), null).toInstant());
        fired.add(ZonedDateTime.ofLocal(local, timing.zone(), null).toInstant());
        if (each.isOverlap() && !local.isBefore(each.getDateTimeAfter())
            && local.isBefore(each.getDateTimeBefore())) {
          fired.add(local.toInstant(each.getOffsetAfter()));
        }
      }
      Instant last = each.getInstant().plus(Duration.ofHours(2));
      assertThat(all(timing, fired.first(), last)).as(zone + " " + each)
          .containsExactlyElementsOf(fired.headSet(last, true));
      assertThat(all(fixed, firedOnce.first(), last)).as(zone + " " + each)
          .containsExactlyElementsOf(firedOnce.headSet(last, true));
      // The same from in between: the next one does not depend on where the search begins.
      for (Instant from = fired.first(); from
          .isBefore(last.minusSeconds(3600)); from = from.plusSeconds(7 * 60)) {
        assertThat(timing.next(from)).as(zone + " after " + from).contains(fired.higher(from));
        assertThat(fixed.next(from)).as(zone + " after " + from).contains(firedOnce.higher(from));
      }
    }
  }

  private static List<Instant> all(Timing timing, Instant first, Instant last) {
    List<Instant> times = new ArrayList<>();
    for (Optional<Instant> time = timing.next(first.minusNanos(1)); time.isPresent()
        && !time.get().isAfter(last); time = timing
            .next(time.get())) {
      times.add(time.get());
    }
    return times;
  }

  @Test
  void a_time_in_a_gap_is_later_by_the_gap_and_the_day_is_not_skipped() {
    assertThat(between(cron("30 2 * * *", "Europe/Berlin"), "2026-03-28T12:00:00Z",
        "2026-03-31T00:00:00Z"))
        .containsExactly("2026-03-29T03:30+02:00", "2026-03-30T02:30+02:00");
    assertThat(between(cron("30 2 29 3 *", "Europe/Berlin"), "2026-03-28T12:00:00Z",
        "2027-12-31T00:00:00Z"))
        .containsExactly("2026-03-29T03:30+02:00", "2027-03-29T02:30+02:00");
    assertThat(between(cron("15,45 2,3 * * *", "Europe/Berlin"), "2026-03-29T00:00:00Z",
        "2026-03-29T12:00:00Z"))
        .as("two local times at one instant are one fire time")
        .containsExactly("2026-03-29T03:15+02:00", "2026-03-29T03:45+02:00");
  }

  @Test
  void a_time_in_an_overlap_fires_at_the_first_and_every_hour_at_both() {
    assertThat(between(cron("30 2 * * *", "Europe/Berlin"), "2026-10-24T12:00:00Z",
        "2026-10-26T12:00:00Z"))
        .containsExactly("2026-10-25T02:30+02:00", "2026-10-26T02:30+01:00");
    assertThat(
        between(cron("0 * * * *", "Europe/Berlin"), "2026-10-24T23:00:00Z", "2026-10-25T03:00:00Z"))
        .containsExactly("2026-10-25T02:00+02:00", "2026-10-25T02:00+01:00",
            "2026-10-25T03:00+01:00");
    assertThat(cron("30 2 * * *", "Europe/Berlin").next(Instant.parse("2026-10-25T01:10:00Z")))
        .as("from within the second pass")
        .contains(Instant.parse("2026-10-26T01:30:00Z"));
  }

  @Test
  void a_day_that_a_zone_left_out_is_made_up_for_on_the_next() {
    assertThat(between(cron("0 9 30 12 *", "Pacific/Apia"), "2011-12-01T00:00:00Z",
        "2012-12-31T00:00:00Z"))
        .containsExactly("2011-12-31T09:00+14:00", "2012-12-30T09:00+14:00");
  }

  @ParameterizedTest
  @CsvSource({"2026-01-01T00:00:00Z, 2026-01-01T00:10:00Z",
    "2026-01-01T00:09:59.999Z, 2026-01-01T00:10:00Z",
    "2025-12-31T00:00:00Z, 2026-01-01T00:00:00Z", "2027-01-01T00:01:00Z, 2027-01-01T00:10:00Z"})
  void an_interval_fires_at_whole_intervals_after_its_anchor(String after, String next) {
    assertThat(every(Duration.ofMinutes(10), "2026-01-01T00:00:00Z").next(Instant.parse(after)))
        .contains(Instant.parse(next));
  }

  @Test
  void a_day_is_elapsed_time_for_an_interval_and_calendar_time_for_an_expression() {
    Timing daily = cron("0 12 * * *", "Europe/Berlin");
    Timing elapsed = every(Duration.ofDays(1), "2026-03-28T11:00:00Z");
    assertThat(daily.next(Instant.parse("2026-03-28T11:00:00Z")))
        .contains(Instant.parse("2026-03-29T10:00:00Z"));
    assertThat(elapsed.next(Instant.parse("2026-03-28T11:00:00Z")))
        .contains(Instant.parse("2026-03-29T11:00:00Z"));
  }

  @Test
  void start_is_inclusive_and_end_is_not() {
    Timing timing = new Timing(CronExpression.parse("0 0 * * *"), null, ZoneId.of("UTC"),
        Instant.EPOCH, Instant.parse("2026-01-02T00:00:00Z"), Instant.parse("2026-01-04T00:00:00Z"),
        Duration.ZERO, 1);
    assertThat(
        all(timing, Instant.parse("2025-01-01T00:00:00Z"), Instant.parse("2027-01-01T00:00:00Z")))
        .containsExactly(Instant.parse("2026-01-02T00:00:00Z"),
            Instant.parse("2026-01-03T00:00:00Z"));
  }

  @Test
  void jitter_is_the_same_everywhere_within_its_limit_and_before_the_next_fire_time() {
    Timing timing = new Timing(null, Duration.ofSeconds(30), ZoneId.of("UTC"), Instant.EPOCH, null,
        null, Duration.ofHours(1), 7);
    TreeSet<Long> delays = new TreeSet<>();
    for (Instant fire = Instant.EPOCH; fire
        .isBefore(Instant.EPOCH.plusSeconds(30_000)); fire = fire.plusSeconds(30)) {
      assertThat(timing.due(fire)).isEqualTo(timing.due(fire)).isAfterOrEqualTo(fire)
          .isBefore(fire.plusSeconds(30));
      delays.add(Duration.between(fire, timing.due(fire)).toSeconds());
    }
    assertThat(delays).as("spread").hasSizeGreaterThan(25);
  }

  @Test
  void the_latest_that_is_due_is_found_without_counting_all() {
    Instant first = Instant.parse("2026-01-01T00:00:00Z");
    Instant now = Instant.parse("2026-12-31T23:59:30Z");
    assertThat(cron("* * * * *", "UTC").latestDue(first, now))
        .contains(Instant.parse("2026-12-31T23:59:00Z"));
    assertThat(cron("0 0 1 1 *", "UTC").latestDue(first, now)).contains(first);
    assertThat(cron("0 0 1 * *", "UTC").latestDue(first, now))
        .contains(Instant.parse("2026-12-01T00:00:00Z"));
    assertThat(cron("0 0 1 1 *", "UTC").latestDue(first.plusSeconds(1), first)).isEmpty();
  }
}
