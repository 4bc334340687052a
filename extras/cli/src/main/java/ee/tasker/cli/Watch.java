package ee.tasker.cli;

import ee.tasker.client.EventStream;
import ee.tasker.client.Task;
import ee.tasker.client.TaskEvent;
import ee.tasker.client.TaskState;
import jakarta.json.JsonObject;
import java.io.PrintStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Follows tasks by server-sent events, which continue after a broken connection. */
final class Watch {
  private static final long REDRAW_MILLIS = 200;

  private Watch() {}

  static int task(Invocation in) {
    String until = in.text("--until").orElse("blocked");
    if (!until.equals("blocked") && !until.equals("ended")) {
      throw new UsageException("--until must be blocked or ended");
    }
    return follow(in, in.uuid("TASK"), in.text("--after").orElse(null), until.equals("ended"));
  }

  /** @param toTheEnd whether a blocked task is watched on, since an operator may act */
  static int follow(Invocation in, UUID uuid, String after, boolean toTheEnd) {
    Task task = in.client().task(uuid);
    boolean drawn = in.terminal().isInteractive() && !in.output().isForPrograms();
    Picture picture = drawn ? new Picture(in, task, GraphCommands.of(in, task)) : null;
    try (EventStream events = in.client().events(uuid, after)) {
      if (drawn) {
        picture.start();
      }
      for (Optional<TaskEvent> next = events.next(); next.isPresent(); next = events.next()) {
        TaskEvent event = next.get();
        if (drawn) {
          picture.add(event);
        } else {
          print(in, event);
        }
        boolean blocked = event.type().equals("task")
            && "blocked_by_failures".equals(event.data().getString("to_state", ""));
        if (blocked && !toTheEnd
            && in.client().task(uuid).state() == TaskState.BLOCKED_BY_FAILURES) {
          break;
        }
      }
    } finally {
      if (drawn) {
        picture.stop();
      }
    }
    Task last = in.client().task(uuid);
    if (drawn) {
      picture.finish(last);
    }
    if (!in.output().isForPrograms()) {
      in.output()
          .say("Task " + uuid + " is "
              + in.output().colours().state(last.state().toString(), last.state().toString())
              + last.explanation().map(why -> ": " + Text.printable(why)).orElse(""));
      in.terminal().out().flush();
    }
    return TaskCommands.exit(last.state());
  }

  static int events(Invocation in) {
    long count = in.integer("--count").orElse(Long.MAX_VALUE);
    try (EventStream events = in.client().events(in.command().call(in),
        in.text("--after").orElse(null))) {
      for (long i = 0; i < count; i++) {
        Optional<TaskEvent> event = events.next();
        if (event.isEmpty()) {
          break;
        }
        print(in, event.get());
      }
    }
    return Exit.DONE;
  }

  private static void print(Invocation in, TaskEvent event) {
    PrintStream out = in.terminal().out();
    JsonObject data = event.data();
    switch (in.output().format()) {
      case JSON ->
        out.println(jakarta.json.Json.createObjectBuilder().add("id", event.id())
            .add("event", event.type()).add("data", data).build());
      case YAML -> out.println("---\n"
          + Text.yaml(jakarta.json.Json.createObjectBuilder().add("id", event.id())
              .add("event", event.type()).add("data", data).build()));
      default -> {
        if (event.type().equals("domain_event")) {
          out.println(text(data, "time") + "  " + text(data, "subject") + "  " + text(data, "type")
              + (data.containsKey("data") ? "  " + Text.cell(data.get("data")) : ""));
        } else if (!event.type().equals("end")) {
          boolean ofTask = event.type().equals("task");
          String state = text(data, "to_state");
          out.println(text(data, "at") + "  " + text(data, "task_uuid") + "  "
              + (ofTask ? "task" : "step " + text(data, "step")) + "  "
              + (text(data, "from_state").isEmpty() ? "" : text(data, "from_state") + " -> ")
              + in.output().colours().state(state, state)
              + (ofTask || text(data, "attempt").isEmpty() ? ""
                  : "  attempt " + text(data, "attempt")));
        }
      }
    }
    out.flush();
  }

  private static String text(JsonObject data, String member) {
    return Text.cell(data.get(member));
  }

  /**
   * The graph with a bar below it, drawn anew in place while the task runs. Its thread draws; the
   * events come from another.
   */
  private static final class Picture {
    private final Invocation in;
    private final Task task;
    private final Graph graph;
    private final int widest;
    private final Map<String, String> states = new LinkedHashMap<>();
    private final Map<String, String> attempts = new LinkedHashMap<>();
    private final long began = System.nanoTime();
    private final Thread drawing = new Thread(this::draw, "tasker-picture");
    private String state;
    private int printed;
    private volatile boolean stopped;

    Picture(Invocation in, Task task, Graph graph) {
      this.in = in;
      this.task = task;
      this.graph = graph;
      this.state = task.state().toString();
      this.widest = graph.parents().keySet().stream().mapToInt(String::length).max().orElse(0);
      // Without the steps that a decision has not created yet: events tell when it does.
      task.steps().forEach(step -> states.put(step.name(), "pending"));
      drawing.setDaemon(true);
    }

    void start() {
      drawing.start();
    }

    synchronized void add(TaskEvent event) {
      String to = text(event.data(), "to_state");
      if (event.type().equals("task")) {
        state = to;
      } else if (event.type().equals("step")) {
        states.put(text(event.data(), "step"), to);
        attempts.put(text(event.data(), "step"), text(event.data(), "attempt"));
      }
    }

    private void draw() {
      try {
        while (!stopped) {
          Thread.sleep(REDRAW_MILLIS);
          synchronized (this) {
            if (!stopped) {
              redraw();
            }
          }
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    void stop() {
      stopped = true;
      drawing.interrupt();
    }

    synchronized void finish(Task last) {
      state = last.state().toString();
      last.steps().forEach(step -> states.put(step.name(), step.state()));
      redraw();
    }

    private void redraw() {
      PrintStream out = in.terminal().out();
      StringBuilder text = new StringBuilder(printed == 0 ? "" : "\u001B[" + printed + "A");
      List<String> lines = lines();
      lines.forEach(line -> text.append('\r').append(line).append("\u001B[K\n"));
      text.append("\u001B[J");
      printed = lines.size();
      out.print(text);
      out.flush();
    }

    /** The whole graph if it fits; else the steps that are neither done nor to come. */
    private List<String> lines() {
      List<String> lines = new java.util.ArrayList<>();
      lines.add(
          in.output().colours().bold(Text.printable(task.namespace() + "/" + task.name().orElse("?")
              + ":" + task.version().orElse("?"))));
      List<Graph.Line> drawn = graph.draw(step -> Colours.glyph(states.get(step)));
      int room = Math.max(3, in.terminal().height() - 4);
      if (drawn.size() <= room) {
        drawn.forEach(line -> lines
            .add(line.step() == null ? line.rails() : line.rails() + " " + label(line.step())));
      } else {
        states.keySet().stream()
            .filter(step -> !states.get(step).equals("pending") && !isDone(step)).limit(room)
            .forEach(step -> lines.add(Colours.glyph(states.get(step)) + " " + label(step)));
      }
      // Steps that were added while it runs.
      states.keySet().stream().filter(step -> !graph.parents().containsKey(step))
          .limit(Math.max(0, room - lines.size()))
          .forEach(step -> lines.add(Colours.glyph(states.get(step)) + "  " + label(step)));
      lines.add(bar());
      return lines;
    }

    private String label(String step) {
      String shown = states.getOrDefault(step, "");
      String attempt = attempts.getOrDefault(step, "");
      String name = String.format(Locale.ROOT, "%-" + Math.max(1, widest) + "s",
          Text.printable(step));
      int room = Math.max(10, in.terminal().width() - 50);
      return Text.shortened(name, room) + "  " + in.output().colours().state(shown, shown)
          + (attempt.matches("[2-9]|\\d{2,}") ? "  attempt " + attempt : "");
    }

    private boolean isDone(String step) {
      return states.get(step).equals("complete") || states.get(step).equals("resolved_manually");
    }

    private String bar() {
      long done = states.keySet().stream().filter(this::isDone).count();
      int full = states.isEmpty() ? 0 : (int) (30 * done / states.size());
      return in.output().colours().green("█".repeat(full))
          + in.output().colours().dim("░".repeat(30 - full)) + " " + done + "/"
          + states.size() + " steps  "
          + in.output().colours().state(state, state) + "  "
          + Duration.ofNanos(System.nanoTime() - began).toSeconds() + " s";
    }
  }
}
