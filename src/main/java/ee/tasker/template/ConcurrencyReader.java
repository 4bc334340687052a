package ee.tasker.template;

import ee.tasker.template.model.ConcurrencyPolicy;
import ee.tasker.template.model.LimitedUnit;
import ee.tasker.template.model.Limits;
import ee.tasker.template.model.WhenFull;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads {@code concurrency}, of a template or of a step. */
final class ConcurrencyReader {
  private ConcurrencyReader() {}

  /** @param unit the default unit to count */
  static List<ConcurrencyPolicy> read(Keys owner, LimitedUnit unit) {
    List<ConcurrencyPolicy> policies = new ArrayList<>();
    var places = owner.list("concurrency");
    if (places.size() > Limits.CONCURRENCY_POLICIES) {
      places.get(Limits.CONCURRENCY_POLICIES)
          .refuse("there must be at most " + Limits.CONCURRENCY_POLICIES + " policies");
      return policies;
    }
    places.forEach(place -> place.keys().flatMap(keys -> policy(keys, unit)).ifPresent(policy -> {
      if (policies.stream().anyMatch(policy::isSameAs)) {
        place.refuse("an earlier policy counts the same by the same key");
      } else {
        policies.add(policy);
      }
    }));
    return policies;
  }

  private static Optional<ConcurrencyPolicy> policy(Keys keys, LimitedUnit unit) {
    var limit = keys.require("limit").map(place -> place.number(1, Limits.CONCURRENCY));
    var keyPlace = keys.find("key");
    var key = keyPlace.flatMap(place -> place.word(Limits.WORD)
        .flatMap(text -> ConcurrencyPolicy.isPointer(text) ? Optional.of(text)
            : place
                .refuse(
                    "must be a JSON pointer into the task's context, such as /customer_id, but is \""
                        + Located.shortened(text) + "\"")));
    var counts = keys.find("counts")
        .flatMap(place -> place.oneOf(LimitedUnit.class)
            .flatMap(given -> unit == LimitedUnit.STEPS && given == LimitedUnit.TASKS
                ? place.refuse(
                    "a policy of a step counts steps; one that counts tasks belongs to the template")
                : Optional.of(given)))
        .orElse(unit);
    var whenFull = keys.find("when_full").flatMap(place -> place.oneOf(WhenFull.class))
        .orElse(WhenFull.QUEUE);
    keys.refuseOthers();
    return limit.filter(number -> number.isPresent() && keyPlace.isPresent() == key.isPresent())
        .map(number -> new ConcurrencyPolicy(number.getAsInt(), key, counts, whenFull));
  }
}
