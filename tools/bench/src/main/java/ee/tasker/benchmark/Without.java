package ee.tasker.benchmark;

import java.io.IOException;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the larger ideas buy: the same measurements as they are, and with each of them taken out of
 * the running product. Functions of the database are replaced and put
 * back, and for what is a setting the server is started anew, and warmed up. What is in the
 * server's code cannot be taken out here: ADR 0010 has what was measured when
 * it was put in.
 */
final class Without implements Phase {
  /** Turns the text of a function into that without the idea. */
  private record Change(String functions, String text, String without) {
  }

  private record Idea(String name, List<Change> changes, Map<String, String> environment) {
    Idea(String name, Change... changes) {
      this(name, List.of(changes), Map.of());
    }
  }

  private static final String ALL_WITH_SETTINGS = "array_to_string(p.proconfig, ',') like '%plan_cache_mode%'";

  private static final List<Idea> IDEAS = List.of(
      new Idea("a path of its own for one result",
          named("complete_steps", "if p_settle and jsonb_array_length(p_results) = 1",
              "if false and jsonb_array_length(p_results) = 1")),
      new Idea("successors go to who completed the step",
          named("complete_step", "and not c.is_automatic and p_claim_limit > 0",
              "and not c.is_automatic and false"),
          named("enqueue_steps", "v_limit     int := p_claim_limit;", "v_limit     int := 0;")),
      new Idea("first steps go to who submits",
          named("create_steps", "and s.turn <= p_claim_limit as is_claimed",
              "and false as is_claimed")),
      new Idea("plans that are made once and joined as written",
          new Change(ALL_WITH_SETTINGS,
              "\\n SET (jit|plan_cache_mode|join_collapse_limit|enable_[a-z]+) TO '[a-z0-9_]+'",
              "")),
      new Idea("calls that take along what has arrived", List.of(),
          Map.of("TASKER_WORKER_BATCH_SIZE", "1")),
      new Idea("steps claimed ahead", List.of(), Map.of("TASKER_WORKER_PREFETCH", "0")));

  private static Change named(String function, String text, String without) {
    return new Change("p.proname = '" + function + "'", Pattern.quote(text),
        Matcher.quoteReplacement(without));
  }

  @Override
  public String name() {
    return "without";
  }

  @Override
  public void run(Bench bench) throws IOException, SQLException, InterruptedException {
    Report.Table table = bench.report().table("With each of the larger ideas taken out (linear_4)",
        "without", "one at a time, P50 ms",
        bench.options().rates().get(0) + " tasks/s, P50, P99 ms", "one POST each, steps/s",
        "batches, steps/s",
        "database µs per step, batches",
        "log bytes per step, batches");
    measure(bench, table, "nothing: as it is");
    for (Idea idea : IDEAS) {
      System.out.println("   without: " + idea.name() + " ...");
      Map<String, String> before = new LinkedHashMap<>();
      for (Change change : idea.changes()) {
        for (List<String> row : bench.database()
            .rows(
                "select p.oid::regprocedure::text, pg_get_functiondef(p.oid) from pg_proc p where p.pronamespace = 'tasker'::regnamespace and "
                    + change.functions())) {
          String without = row.get(1).replaceAll(change.text(), change.without());
          if (without.equals(row.get(1))) {
            throw new IllegalStateException(row.get(0) + " has no " + change.text());
          }
          before.put(row.get(0), row.get(1));
          bench.database().run(without);
        }
      }
      boolean restarts = !idea.environment().isEmpty();
      if (restarts) {
        restart(bench, idea.environment());
      }
      try {
        measure(bench, table, idea.name());
      } finally {
        for (String definition : before.values()) {
          bench.database().run(definition);
        }
      }
      if (restarts) {
        restart(bench, Map.of());
      }
    }
    measure(bench, table, "nothing: as it is, once more");
  }

  private static void restart(Bench bench, Map<String, String> environment)
      throws IOException, SQLException, InterruptedException {
    bench.servers().restart(environment);
    int half = bench.options().warmup() / 2;
    bench.untilComplete("warm-up", 2 * half, () -> {
      bench.load().batches("linear_4", half, bench.options().batch(),
          bench.options().batchConnections());
      bench.load().singles("linear_4", half, bench.options().connections());
    });
  }

  private static void measure(Bench bench, Report.Table table, String what)
      throws IOException, SQLException, InterruptedException {
    Options options = bench.options();
    int batched = options.tasks().get(0);
    int singles = options.singles() / 2;
    // New plans, and what the sessions cache.
    bench.batches(what, batched);
    bench.load().oneAtATime("linear_4", options.latencyTasks() / 4);
    List<Double> alone = new ArrayList<>();
    List<Double> inBatches = new ArrayList<>();
    List<Double> each = new ArrayList<>();
    List<Double> micros = new ArrayList<>();
    List<Double> log = new ArrayList<>();
    for (int round = 0; round < options.rounds(); round++) {
      alone.add(bench.load().oneAtATime("linear_4", options.latencyTasks()).p50());
      each.add(4 * singles / bench.untilComplete(what, singles,
          () -> bench.load().singles("linear_4", singles, options.connections())));
      Cpu cpu = Cpu.of(List.of(), bench.database().postmaster());
      Counters counters = Counters.of(bench.database());
      inBatches.add(bench.batches(what, batched));
      micros.add(Cpu.of(List.of(), bench.database().postmaster()).since(cpu).database() * 1e6
          / (4 * batched));
      log.add((Counters.of(bench.database()).walBytes() - counters.walBytes()) / (4 * batched));
    }
    OffsetDateTime begin = bench.database().now();
    Samples answers = bench.load().atRate("linear_4", options.rates().get(0), options.loadSeconds(),
        options.loadConnections());
    bench.expectComplete(what, options.rates().get(0) * options.loadSeconds(), begin);
    table.row(what, Samples.of(alone).median(),
        Report.format(answers.p50()) + ", " + Report.format(answers.p99()),
        Samples.of(each).median(), Samples.of(inBatches).median(), Samples.of(micros).median(),
        Samples.of(log).median());
    bench.report().write(options.target());
  }
}
