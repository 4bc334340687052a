package ee.tasker.cli;

import ee.tasker.client.Operation;
import jakarta.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The table of commands. {@code CommandsTest} compares it with the OpenAPI document: every
 * operation, parameter and member is in it.
 */
final class Commands {
  /** The command for which all others have to be there. */
  static final String MAKES_COMPLETIONS = "completion";

  private Commands() {}

  /** @param name empty for commands that are in no group */
  record Group(String name, String description, Supplier<List<Command>> commands) {
  }

  static List<Group> groups() {
    return List.of(
        new Group("", "", GeneralGroup::commands),
        new Group("profile", "Logins that are stored.", ProfileGroup::commands),
        new Group("task", "Submits, follows and operates tasks.", TaskGroup::commands),
        new Group("step", "Steps of a task.", StepGroup::commands),
        new Group("bulk", "Acts on many tasks, after a dry run.", BulkGroup::commands),
        new Group("view", "Saved filters of lists.", ViewGroup::commands),
        new Group("template", "Checks, registers and shows templates.", TemplateGroup::commands),
        new Group("approval", "Approvals: what users decide inside workflows.",
            ApprovalGroup::commands),
        new Group("dlq", "Dead letters: what needs an operator.", DeadLetterGroup::commands),
        new Group("queue", "Queues, and messages that could not be processed.",
            QueueGroup::commands),
        new Group("server", "Servers.", ServerGroup::commands),
        new Group("worker", "Workers, and what none of them serves.", WorkerGroup::commands),
        new Group("policy", "Concurrency policies: who holds and waits for slots.",
            PolicyGroup::commands),
        new Group("schedule", "Tasks that are submitted at fire times, by cron or by interval.",
            ScheduleGroup::commands),
        new Group("webhook", "Domain events that are sent to an address.", WebhookGroup::commands),
        new Group("retention", "How long tasks are kept.", RetentionGroup::commands),
        new Group("analytics", "What happened, how it goes, where time goes.",
            AnalyticsGroup::commands),
        new Group("user", "Users.", UserGroup::commands),
        new Group("key", "API keys.", KeyGroup::commands),
        new Group("grant", "What users and keys may do.", GrantGroup::commands));
  }

  /** All commands, by what is typed for them: {@code task list}. */
  static List<Map.Entry<String, Command>> all() {
    List<Map.Entry<String, Command>> all = new ArrayList<>();
    for (Group group : groups()) {
      group.commands().get()
          .forEach(command -> all.add(Map.entry(
              (group.name().isEmpty() ? "" : group.name() + " ") + command.name(), command)));
    }
    return all;
  }

  /** The members of requests for this operation that say who asks. */
  static Set<String> actorsOf(Operation operation) {
    return all().stream().map(Map.Entry::getValue)
        .filter(command -> command.operations().contains(operation))
        .flatMap(command -> command.args().stream()).filter(Arg::isActor).map(Arg::member)
        .collect(Collectors.toSet());
  }

  /** The argument of this request that says who asks; it may depend on what is asked for. */
  static Optional<Arg> actorOf(Operation operation, JsonObject request) {
    return all().stream().map(Map.Entry::getValue)
        .filter(command -> command.operations().contains(operation))
        .filter(command -> command.constants().entrySet().stream()
            .allMatch(constant -> constant.getValue().equals(request.get(constant.getKey()))))
        .flatMap(command -> command.args().stream()).filter(Arg::isActor).findFirst();
  }
}
