package ee.tasker.schedule;

import ee.tasker.platform.StorableTime;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The fire times of a schedule: instants, strictly increasing. Immutable.
 *
 * <p>A local time of a cron expression is mapped as {@link ZonedDateTime#ofLocal} does it: in a gap
 * it is later by the length of the gap, in an
 * overlap it is the first of the two. An expression for every hour also fires in the repeated hours
 * of an overlap, because its author counts on the
 * passage of time and not on the clock on the wall. Local times that a gap maps to the same instant
 * are one fire time.
 *
 * @param cron     null for an interval
 * @param every    null for a cron expression; whole seconds
 * @param anchor   fire times of an interval are this instant and whole intervals after it
 * @param startsAt the first possible fire time; null: no limit
 * @param endsAt   the end of the possible fire times, exclusive; null: no limit
 * @param jitter   how much later than its fire time a task is submitted at most; never as late as
 *   the next fire time
 * @param seed     gives each schedule other jitter
 */
record Timing(CronExpression cron, Duration every, ZoneId zone, Instant anchor, Instant startsAt,
    Instant endsAt, Duration jitter, long seed) {
  private static final Duration LONGEST_LOOK_BACK = Duration.ofDays(366 * 9L);

  /**
   * The first fire time after an instant; empty when there is none that the database could store.
   */
  Optional<Instant> next(Instant after) {
    Instant from = startsAt != null && after.isBefore(startsAt) ? startsAt.minusNanos(1) : after;
    return (cron == null ? nextInterval(from) : nextLocal(from))
        .filter(time -> endsAt == null || time.isBefore(endsAt))
        .filter(StorableTime::isStorable);
  }

  /** When the task of a fire time is submitted: the same on every server. */
  Instant due(Instant fire) {
    if (jitter.isZero()) {
      return fire;
    }
    long most = jitter.toSeconds() + 1;
    long gap = next(fire).map(next -> Duration.between(fire, next).toSeconds()).orElse(most);
    Instant due = fire.plusSeconds(
        Math.floorMod(mixed(seed + fire.getEpochSecond()), Math.max(1, Math.min(most, gap))));
    return StorableTime.isStorable(due) ? due : fire;
  }

  /** The latest fire time from the first on that is due; empty when the first is not. */
  Optional<Instant> latestDue(Instant first, Instant now) {
    if (due(first).isAfter(now)) {
      return Optional.empty();
    }
    Optional<Instant> second = next(first);
    if (second.isEmpty() || due(second.get()).isAfter(now)) {
      return Optional.of(first);
    }
    for (Duration back = jitter.plusMinutes(2); back.compareTo(LONGEST_LOOK_BACK) < 0; back = back
        .multipliedBy(30)) {
      Instant from = now.minus(back);
      Instant latest = null;
      for (Optional<Instant> time = next(from.isBefore(first) ? first : from); time.isPresent()
          && !time.get().isAfter(now) && !due(time.get()).isAfter(now); time = next(time.get())) {
        latest = time.get();
      }
      if (latest != null) {
        return Optional.of(latest);
      }
    }
    return second;
  }

  private Optional<Instant> nextInterval(Instant after) {
    if (after.isBefore(anchor)) {
      return Optional.of(anchor);
    }
    long passed = Duration.between(anchor, after).toSeconds() / every.toSeconds();
    return Optional.of(anchor.plusSeconds((passed + 1) * every.toSeconds()));
  }

  private Optional<Instant> nextLocal(Instant after) {
    ZoneRules rules = zone.getRules();
    LocalDateTime local = LocalDateTime.ofInstant(after, zone);
    ZoneOffsetTransition last = rules.previousTransition(after.plusNanos(1));
    Optional<Instant> repeated = Optional.empty();
    Optional<Instant> shifted = Optional.empty();
    if (last != null && last.isOverlap() && local.isBefore(last.getDateTimeBefore())) {
      // In the second pass: of its local times only those of an expression for every hour fire
      // again.
      repeated = secondPass(last, local);
      local = last.getDateTimeBefore().minusNanos(1);
    } else if (last != null && last.isGap()
        && after.isBefore(last.getInstant().plus(last.getDuration()))) {
      // Local times in the gap are later by its length, and may still be to come.
      shifted = cron.next(local.minus(last.getDuration()))
          .filter(time -> time.isBefore(last.getDateTimeAfter())).map(this::instant);
    }
    Optional<Instant> regular = cron.next(local).flatMap(time -> {
      ZoneOffsetTransition gap = rules.getTransition(time);
      return gap == null || !gap.isGap() ? Optional.of(instant(time))
          : Stream.of(Optional.of(time), cron.next(gap.getDateTimeAfter().minusNanos(1)))
              .flatMap(Optional::stream).map(this::instant)
              .min(Instant::compareTo);
    });
    Optional<Instant> best = Stream.of(repeated, shifted, regular).flatMap(Optional::stream)
        .min(Instant::compareTo);
    return cron.isEveryHour() ? beforeItIn(rules, after, best) : best;
  }

  /** The second pass of an overlap that ends before the best fire time so far. */
  private Optional<Instant> beforeItIn(ZoneRules rules, Instant after, Optional<Instant> best) {
    for (ZoneOffsetTransition next = rules.nextTransition(after); next != null && best.isPresent()
        && next.getInstant().isBefore(best.get()); next = rules.nextTransition(next.getInstant())) {
      if (next.isOverlap()) {
        Optional<Instant> repeated = secondPass(next, next.getDateTimeAfter().minusNanos(1));
        if (repeated.isPresent()) {
          return repeated;
        }
      }
    }
    return best;
  }

  private Optional<Instant> secondPass(ZoneOffsetTransition overlap, LocalDateTime after) {
    return cron.isEveryHour()
        ? cron.next(after).filter(time -> time.isBefore(overlap.getDateTimeBefore()))
            .map(time -> time.toInstant(overlap.getOffsetAfter()))
        : Optional.empty();
  }

  private Instant instant(LocalDateTime time) {
    return ZonedDateTime.ofLocal(time, zone, null).toInstant();
  }

  /** The finalizer of SplitMix64. */
  private static long mixed(long value) {
    long mixed = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return mixed ^ (mixed >>> 31);
  }
}
