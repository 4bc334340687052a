package ee.tasker.template;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Suggestions for keys of other template formats that this one does not have: those of the REST
 * interface, and those of the
 * templates that tasker-core ships for Rails, Bun and FastAPI. Their spelling is too different to
 * be guessed, so each is
 * listed.
 */
final class Hints {
  private static final List<Place> PLACES = List.of(
      new Place("", Map.of(
          "namespace", "did you mean \"namespace_name\"?",
          "task_name", "did you mean \"name\"?",
          "task_version", "did you mean \"version\"?",
          "task_handler", "leave it out: each step names its handler",
          "identity_reuse", "did you mean \"reuse\"?",
          "reuse_policy", "did you mean \"reuse\"?",
          "attributes", "did you mean \"search_attributes\"?",
          "search_keys", "did you mean \"search_attributes\"?")),
      new Place("(.*\\.)?steps\\[\\d+\\]", Map.of(
          "lifecycle",
          "it belongs to the template, beside \"steps\"; for a step there is \"timeout_seconds\"",
          "step_name", "did you mean \"name\"?",
          "handler_class", "did you mean \"handler: {callable: …}\"?")),
      new Place("(.*\\.)?retry", Map.of(
          "initial_delay", "did you mean \"backoff_base_ms\"? It counts milliseconds",
          "max_delay", "did you mean \"max_backoff_ms\"? It counts milliseconds",
          "limit", "did you mean \"max_attempts\"? It counts the first attempt too")));

  private record Place(Pattern path, Map<String, String> hints) {
    Place(String path, Map<String, String> hints) {
      this(Pattern.compile(path), hints);
    }
  }

  private Hints() {}

  /** The hint to append to a message, if the key is listed; {@code path} is that of its mapping. */
  static Optional<String> about(String path, String key) {
    return PLACES.stream().filter(place -> place.path().matcher(path).matches())
        .flatMap(place -> Optional.ofNullable(place.hints().get(key)).stream())
        .map(hint -> "; " + hint).findFirst();
  }
}
