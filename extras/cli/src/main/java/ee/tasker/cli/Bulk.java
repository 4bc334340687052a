package ee.tasker.cli;

import ee.tasker.client.Call;
import ee.tasker.client.Operation;
import jakarta.json.JsonObject;

/** Acts on many tasks: always a dry run first, and then exactly on what that counted. */
final class Bulk {
  static final View RESULT = View.details("outcome", "action", "background", "tasks=count",
      "done=results.done", "already=results.already",
      "refused=results.refused");
  private static final View PREVIEW = View
      .details("tasks=count", "by state=by_state", "background", "token", "expires=expires_at")
      .and("sample", "Some of them", "TASK=");

  private Bulk() {}

  static int act(Invocation in) {
    JsonObject body = in.command().body(in);
    if (!body.containsKey("filter")) {
      throw new UsageException(
          "At least one filter is required: --namespace, --state, --failed-step …");
    }
    boolean dry = in.flag("--dry-run");
    boolean yes = in.flag("--yes");
    if (dry && yes) {
      throw new UsageException("--dry-run and --yes exclude each other");
    }
    if (!dry && !yes && !in.terminal().isInteractive()) {
      throw new UsageException(
          "Say --dry-run to count the tasks, or --yes to act without being asked");
    }
    JsonObject preview = in.client().send(Call.of(Operation.PREVIEW_BULK_ACTION).body(body)).json();
    if (dry) {
      in.output().print(preview, PREVIEW);
      in.output().say("Nothing has changed. To act: tasker bulk run " + preview.getString("token"));
      return Exit.DONE;
    }
    if (!yes) {
      in.output().print(preview, PREVIEW);
      String answer = in.terminal().ask("Really " + body.getString("action_type") + " "
          + preview.getInt("count") + " tasks? [y/N] ");
      if (!answer.equalsIgnoreCase("y") && !answer.equalsIgnoreCase("yes")) {
        in.output().say("Nothing has changed.");
        return Exit.DONE;
      }
    }
    in.output().print(in.client()
        .send(Call.of(Operation.RUN_BULK_ACTION).path("token", preview.getString("token"))).json(),
        RESULT);
    return Exit.DONE;
  }
}
