package ee.tasker.faults;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.History;
import ee.tasker.testing.server.ModelMoves;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Random workflows of decisions, nested ones, batches, child tasks, failures, cancels and
 * compensations on two servers, one of which is killed at random moments: the
 * end of each task, the steps that were created and those that completed are those of a small model
 * in memory, and what was done is undone where the model says so.
 * The context of a task plans how each of its steps ends, so that no moment of a kill changes what
 * must come of it.
 *
 * <p>{@code ./mvnw verify -Pfaults -Dit.test=GrownWorkflows -Dfaults.seed=7 -Dgrown.workflows=400
 * -Dgrown.kills=4}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GrownWorkflows {
  private static final long SEED = Long.getLong("faults.seed", LocalDate.now().toEpochDay());
  private static final int WORKFLOWS = Integer.getInteger("grown.workflows", 80);
  private static final int KILLS = Integer.getInteger("grown.kills", 2);
  private static final List<String> FIRST = List.of("x", "cut", "sub", "d2");
  private static final List<String> SECOND = List.of("y", "z");
  private static final List<String> JOINED = List.of("x", "load", "sub", "y", "z");
  private static final Set<String> UNDOABLE = Set.of("start", "x", "cut", "sub", "y", "join");

  /** What is to come of a workflow. */
  private static final class Model {
    final boolean compensates;
    final boolean isCancelled;
    final JsonObject context;
    final Set<String> created = new TreeSet<>(Set.of("start", "d1"));
    final Set<String> completed = new TreeSet<>();
    private final Set<String> fails = new TreeSet<>();
    private boolean hasFailed;

    Model(Random random) {
      compensates = random.nextBoolean();
      isCancelled = random.nextInt(8) == 0;
      int batches = random.nextInt(8);
      int likelihood = 4 + random.nextInt(30);
      for (String step : List.of("start", "d1", "x", "cut", "d2", "y", "z", "join", "end")) {
        if (random.nextInt(likelihood) == 0) {
          fails.add(step);
        }
      }
      for (int i = 1; i <= batches; i++) {
        if (random.nextInt(likelihood) == 0) {
          fails.add("load_00" + i);
        }
      }
      List<String> first = FIRST.stream().filter(step -> random.nextBoolean()).toList();
      List<String> second = SECOND.stream().filter(step -> random.nextBoolean()).toList();
      context = Json.createObjectBuilder().add("ms", random.nextInt(600)).add("batches", batches)
          .add("fails", Json.createArrayBuilder(fails))
          .add("chooses",
              Json.createObjectBuilder().add("d1", Json.createArrayBuilder(first)).add("d2",
                  Json.createArrayBuilder(second)))
          .build();
      run(first, second, batches);
    }

    private boolean succeeds(String step) {
      if (fails.contains(step)) {
        hasFailed = true;
        return false;
      }
      completed.add(step);
      return true;
    }

    private void run(List<String> first, List<String> second, int batches) {
      if (!succeeds("start") || !succeeds("d1")) {
        return;
      }
      created.addAll(first);
      boolean isOpen = false;
      for (String step : first) {
        if (step.equals("cut")) {
          created.add("load");
        }
        boolean isDone = succeeds(step);
        if (step.equals("cut") && isDone) {
          for (int i = 1; i <= batches; i++) {
            created.add("load_00" + i);
            // A worker that fails is tolerated.
            if (!fails.contains("load_00" + i)) {
              completed.add("load_00" + i);
            }
          }
          completed.add("load");
        }
        if (step.equals("d2")) {
          isOpen = !isDone;
          if (isDone) {
            created.addAll(second);
            second.forEach(this::succeeds);
          }
        }
      }
      // The convergence is created once no decision above it is open, and starts when all of its
      // parents that were created are complete.
      List<String> parents = JOINED.stream().filter(created::contains).toList();
      if (!isOpen && !parents.isEmpty()) {
        created.addAll(List.of("join", "end"));
        if (completed.containsAll(parents) && succeeds("join")) {
          succeeds("end");
        }
      }
    }

    String template() {
      return compensates ? "any" : "any_blocked";
    }

    String end() {
      return !hasFailed ? "complete" : compensates ? "error" : "blocked_by_failures";
    }
  }

  private final Pair pair = new Pair(
      Map.of("TASKER_WORKER_LEASE_SECONDS", "5", "TASKER_WORKER_HEARTBEAT_SECONDS", "1",
          "TASKER_POLL_INTERVAL_SECONDS", "1"));
  private final Random random = new Random(SEED);
  private Path war;

  @BeforeAll
  void start() {
    war = TestServer.warWith("grown.war", unchanged -> unchanged);
    pair.start(war);
    pair.client(0).register("/testing/grown.yaml");
  }

  @AfterAll
  void stop() {
    pair.close();
  }

  @Test
  void what_grows_completes_and_is_undone_is_that_of_the_model() {
    System.out.println("grown workflows: seed " + SEED);
    Map<UUID, Model> models = new LinkedHashMap<>();
    Set<UUID> cancelled = new TreeSet<>();
    for (int kill = 0; kill < KILLS; kill++) {
      for (int i = 0; i < WORKFLOWS / KILLS; i++) {
        Model model = new Model(random);
        models.put(pair.client(i % pair.size()).submit("grown", model.template(),
            model.context.toString()), model);
      }
      models.forEach((task, model) -> {
        if (model.isCancelled && cancelled.add(task)) {
          pair.client(random.nextInt(pair.size()))
              .delete("/v1/tasks/" + task + "?requested_by=ann&reason=enough&compensate=true");
        }
      });
      TaskerClient.pause(Duration.ofMillis(random.nextInt(500)));
      int victim = random.nextInt(pair.size());
      System.out.println("kill -9 of server " + victim + ", "
          + pair.tasker().count(
              "select count(*) from tasker.tasks where completed_at is null and state <> 'blocked_by_failures'")
          + " tasks under way");
      pair.kill(victim);
      pair.start(victim, war);
    }
    TaskerClient tasker = pair.tasker();
    TaskerClient.until("every task is terminal or blocked", Duration.ofMinutes(2),
        () -> tasker.count(
            "select count(*) from tasker.tasks where completed_at is null and state <> 'blocked_by_failures'") == 0);
    TaskerClient.until("no message is left", Duration.ofSeconds(30),
        () -> History.messages(tasker).isEmpty());

    List<String> wrong = new ArrayList<>();
    models.forEach((task, model) -> compare(tasker, task, model)
        .forEach(each -> wrong.add(task + " " + model.context + ": " + each)));
    assertThat(wrong).as("seed %d", SEED).isEmpty();
    assertThat(tasker
        .sql("select * from tasker.check_history(p_quiet_for => '1 second') where violations > 0"))
        .as("seed %d", SEED)
        .isEmpty();
    assertThat(History.broken(tasker)).as("seed %d", SEED).isEmpty();
    ModelMoves moves = ModelMoves.of(tasker);
    System.out.println(moves.sentence());
    assertThat(moves.unknown()).isEmpty();
  }

  private static List<String> compare(TaskerClient tasker, UUID task, Model model) {
    String state = (String) tasker.value("select state::text from tasker.tasks where task_uuid = ?",
        task);
    Set<String> created = names(tasker, task, "s.compensates_step_uuid is null");
    Set<String> completed = names(tasker, task,
        "s.compensates_step_uuid is null and s.state = 'complete'");
    Set<String> undone = names(tasker, task,
        "s.compensates_step_uuid is not null and s.state = 'complete' and coalesce(s.name, n.name) <> 'load:compensation'");
    List<String> wrong = new ArrayList<>();
    if (state.equals("cancelled") ? !model.isCancelled : !state.equals(model.end())) {
      wrong.add("ended as " + state + ", not as " + model.end());
    }
    if (model.hasFailed) {
      // A child task holds up neither the end of a failed task nor its compensation: its step is
      // complete if it ended before.
      model.completed.remove("sub");
      if (model.created.contains("sub") && completed.contains("sub")) {
        model.completed.add("sub");
      }
    }
    if (state.equals("cancelled")
        ? !model.created.containsAll(created) || !model.completed.containsAll(completed)
        : !model.created.equals(created) || !model.completed.equals(completed)) {
      wrong.add("created " + created + ", not " + model.created + "; completed " + completed
          + ", not " + model.completed);
    }
    Set<String> toBeUndone = state.equals("cancelled") || state.equals("error")
        ? completed.stream().filter(step -> UNDOABLE.contains(step) || step.startsWith("load_"))
            .map(step -> step + ":compensation")
            .collect(Collectors.toCollection(TreeSet::new))
        : Set.of();
    if (!toBeUndone.equals(undone)) {
      wrong.add("undone " + undone + ", not " + toBeUndone);
    }
    return wrong;
  }

  private static Set<String> names(TaskerClient tasker, UUID task, String condition) {
    return tasker
        .sql(
            "select coalesce(s.name, n.name) as name from tasker.workflow_steps s join tasker.named_steps n using (named_step_uuid) "
                + "where s.task_uuid = ? and " + condition,
            task)
        .stream().map(row -> row.get("name").toString())
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
