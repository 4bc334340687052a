package ee.tasker.cli;

/** Colours by meaning; none unless the output is a terminal that wants them. */
final class Colours {
  private final boolean on;

  Colours(boolean on) {
    this.on = on;
  }

  boolean areOn() {
    return on;
  }

  String bold(String text) {
    return in("1", text);
  }

  String dim(String text) {
    return in("2", text);
  }

  String red(String text) {
    return in("31", text);
  }

  String green(String text) {
    return in("32", text);
  }

  /** A state or health, in the colour of its meaning. */
  String state(String state, String text) {
    return switch (state) {
      case "complete", "resolved_manually", "healthy", "UP" -> in("32", text);
      case "error", "blocked_by_failures", "blocked", "lost", "stale", "DOWN" -> in("31", text);
      case "waiting_for_retry", "degraded", "recovering", "paused", "draining", "warning",
          "enqueued_as_error_for_orchestration" ->
        in("33", text);
      case "in_progress", "steps_in_process", "enqueued", "enqueued_for_orchestration" ->
        in("36", text);
      case "cancelled", "pending", "stopped", "closed" -> in("2", text);
      default -> text;
    };
  }

  /** How a step in this state is drawn. */
  static String glyph(String state) {
    return switch (state == null ? "" : state) {
      case "complete", "resolved_manually" -> "✔";
      case "error" -> "✘";
      case "cancelled" -> "⊘";
      case "in_progress", "enqueued_for_orchestration", "enqueued_as_error_for_orchestration" ->
        "●";
      case "enqueued" -> "◍";
      case "waiting_for_retry" -> "↻";
      default -> "○";
    };
  }

  private String in(String code, String text) {
    return on ? "\u001B[" + code + "m" + text + "\u001B[0m" : text;
  }
}
