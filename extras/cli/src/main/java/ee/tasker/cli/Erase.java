package ee.tasker.cli;

import ee.tasker.client.Call;
import ee.tasker.client.Operation;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;

/** Erases personal data, and asks before, because nothing brings it back. */
final class Erase {
  static final View DONE = View.details("task=task_uuid", "outcome", "state",
      "erased=erased_at", "tasks", "forks with copies=forks");
  static final View ALL = View.details("erased", "tasks", "forks with copies=forks")
      .and("skipped", "Skipped", "TASK=task_uuid", "CODE=code", "MESSAGE=message");
  private static final View COUNT = View.details("tasks=count", "erasable", "more");

  private Erase() {}

  static int one(Invocation in) {
    if (!agreed(in, "the documents of task " + in.uuid("TASK"))) {
      return Exit.DONE;
    }
    return General.sent(in, in.command().body(in));
  }

  /** Slice by slice, to the end. */
  static int many(Invocation in) {
    JsonObject body = in.command().body(in);
    boolean dry = in.flag("--dry-run");
    if (dry && in.flag("--yes")) {
      throw new UsageException("--dry-run and --yes exclude each other");
    }
    JsonObject counted = in.client().send(Call.of(Operation.ERASE_TASKS)
        .body(Json.createObjectBuilder(body).add("dry_run", true).build())).json();
    if (dry) {
      in.output().print(counted, COUNT);
      return Exit.DONE;
    }
    if (!agreed(in, "the documents of " + counted.getInt("erasable") + " tasks"
        + (counted.getBoolean("more") ? " and more" : ""))) {
      return Exit.DONE;
    }
    int erased = 0;
    int tasks = 0;
    int slices = 0;
    JsonArrayBuilder skipped = Json.createArrayBuilder();
    JsonArrayBuilder forks = Json.createArrayBuilder();
    JsonObject slice;
    JsonObjectBuilder next = Json.createObjectBuilder(body);
    do {
      Call call = Call.of(Operation.ERASE_TASKS).body(next.build());
      in.useKey(call, "-" + slices++);
      slice = in.client().send(call).json();
      erased += slice.getInt("erased");
      tasks += slice.getInt("tasks");
      slice.getJsonArray("skipped").forEach(skipped::add);
      slice.getJsonArray("forks").forEach(forks::add);
      next = Json.createObjectBuilder(body).add("cursor", slice.get("next"));
    } while (slice.getBoolean("more"));
    JsonObject all = Json.createObjectBuilder().add("erased", erased).add("tasks", tasks)
        .add("skipped", skipped).add("forks", forks).build();
    in.print(all);
    return all.getJsonArray("skipped").isEmpty() ? Exit.DONE : Exit.DIFFERS;
  }

  private static boolean agreed(Invocation in, String what) {
    if (in.flag("--yes")) {
      return true;
    }
    if (!in.terminal().isInteractive()) {
      throw new UsageException("Say --yes to erase without being asked");
    }
    String answer = in.terminal()
        .ask("Really erase " + what + "? Nothing brings them back. [y/N] ");
    if (answer.equalsIgnoreCase("y") || answer.equalsIgnoreCase("yes")) {
      return true;
    }
    in.output().say("Nothing has changed.");
    return false;
  }
}
