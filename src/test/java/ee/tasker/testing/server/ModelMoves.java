package ee.tasker.testing.server;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;

/**
 * The history of a database, replayed against the moves of the models ({@code
 * tasker.replay_moves}).
 *
 * @param replayed how many moves there were
 * @param unknown  the kinds of moves that the models do not know, with examples; empty when all are
 */
public record ModelMoves(long replayed, List<Map<String, Object>> unknown) {
  public static ModelMoves of(TaskerClient tasker) {
    return since(tasker, null);
  }

  /** Of the histories that began from then on. */
  public static ModelMoves since(TaskerClient tasker, Instant begin) {
    List<Map<String, Object>> kinds = tasker.sql(
        "select * from tasker.replay_moves(?::timestamptz)",
        begin == null ? null : begin.atOffset(ZoneOffset.UTC));
    return new ModelMoves(kinds.stream().mapToLong(kind -> (Long) kind.get("moves")).sum(),
        kinds.stream().filter(kind -> (Long) kind.get("unknown") > 0).toList());
  }

  /** For the output of a suite. */
  public String sentence() {
    return "moves of the models: %d replayed, %d unknown".formatted(replayed,
        unknown.stream().mapToLong(kind -> (Long) kind.get("unknown")).sum());
  }
}
