package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** SQL/JSON paths over the document of a task. */
@DatabaseTest
@DatabaseTest.Covers({"check_path", "measure_path", "count_values", "count_pairs", "reads_its_list",
  "bound_path", "charge_expressions",
  "fill_mapping", "check_expression", "check_expressions", "find_ancestors", "evaluate_list",
  "evaluate_value", "evaluate_predicate",
  "evaluate_mapping", "get_expression_document", "try_expression"})
class ExpressionsTest {
  private static final String DOCUMENT = """
      {"context": {"amount": 50, "name": "ann", "on": true, "none": null, "items": [{"price": 1}, {"price": 9}]},
       "results": {"check": {"score": 700}}, "task": {"attempt": 1}}""";

  private final Sql sql = Sql.open();

  private JsonObject tried(String expression, String kind) {
    return sql.object("select tasker.try_expression(?, ?::jsonb, ?)", expression, DOCUMENT, kind);
  }

  @ParameterizedTest
  @CsvSource(delimiter = ';', textBlock = """
      $.results.check.score >= 700 && $.context.amount < 10000; true
      $.results.check.score > 700; false
      $.context.missing > 1; false
      $.context.missing; false
      $.results.later.score > 1; false
      $.context.on; true
      !($.context.missing > 1); true
      exists($.context.items[*] ? (@.price > 5)); true
      $.context.items[*].price > 8; true
      $.context.none == null; true
      true || $.context.name > 1; refused
      $.context.amount < 100 || $.context.name > 1; true
      """)
  void a_predicate_is_true_or_false_and_false_where_a_member_is_missing(String path,
      String expected) {
    JsonObject answer = tried(path, "predicate");

    if (expected.equals("refused")) {
      assertThat(answer.getString("outcome")).isEqualTo("refused");
    } else {
      assertThat(answer.getString("outcome")).isEqualTo("done");
      assertThat(answer.getBoolean("value")).isEqualTo(Boolean.parseBoolean(expected));
    }
  }

  @ParameterizedTest
  @CsvSource(delimiter = ';', textBlock = """
      $.context.name > 1; is unknown, neither true nor false: it compares values of different types, or computes with what is no number
      $.context.amount > "1"; is unknown, neither true nor false: it compares values of different types, or computes with what is no number
      $.context.name + 1 > 1; is unknown, neither true nor false: it compares values of different types, or computes with what is no number
      $.context.none; is unknown, neither true nor false: it compares values of different types, or computes with what is no number
      $.context.amount; gives a value of type number, but true or false is expected
      $.context.items[*].price; gives 2 values, but true or false is expected
      strict $.context.missing == 1 && strict 1 == 1; is not a valid path: syntax error
      $.context.amount / 0; division by zero
      """)
  void an_unknown_predicate_is_an_error_and_never_quietly_false(String path, String message) {
    JsonObject answer = tried(path, "predicate");

    assertThat(answer.getString("code")).isEqualTo("expression_error");
    assertThat(answer.getString("path")).isEqualTo(path);
    assertThat(answer.getString("message")).startsWith(message);
    assertThatThrownBy(
        () -> sql.text("select tasker.evaluate_predicate(?, ?::jsonb)", path, DOCUMENT))
        .isInstanceOfSatisfying(Sql.SqlProblem.class,
            problem -> assertThat(problem.state()).isEqualTo("TK010"));
  }

  @Test
  void a_value_is_one_or_null_and_a_list_has_all_in_order() {
    assertThat(tried("$.context.amount", "value").getInt("value")).isEqualTo(50);
    assertThat(tried("$.context.items", "value").getJsonArray("value")).hasSize(2);
    assertThat(tried("$.context.missing", "value").get("value")).isEqualTo(JsonValue.NULL);
    assertThat(tried("$.context.items[*].price", "value").getString("message"))
        .isEqualTo("gives 2 values, but one is expected");
    assertThat(tried("$.context.items[*].price", "list").getJsonArray("value"))
        .hasToString("[1,9]");
    assertThat(tried("$.context.missing[*]", "list").getJsonArray("value")).isEmpty();
    assertThat(tried("strict $.context.missing", "value").getString("outcome"))
        .isEqualTo("refused");
    assertThat(tried("$.context.name.datetime()", "value").getString("code"))
        .isEqualTo("expression_error");
  }

  @Test
  void a_mapping_has_its_paths_replaced_at_any_depth() {
    assertThat(tried(
        """
        {"a": "$.context.amount", "b": {"c": ["$.context.name", "$$.x", "plain", 7, null]}, "d": "$.context.missing", "e": {}, "f": []}""",
        "mapping").getJsonObject("value"))
        .hasToString(
            "{\"a\":50,\"b\":{\"c\":[\"ann\",\"$.x\",\"plain\",7,null]},\"d\":null,\"e\":{},\"f\":[]}");
    assertThat(tried("{\"a\": {\"b\": [1, \"$.context.items[*]\"]}}", "mapping"))
        .containsEntry("path", jakarta.json.Json.createValue("$.context.items[*]"));
    assertThat(tried("{\"a\": {\"b/c\": \"$.contxt\"}}", "mapping").getString("message"))
        .startsWith("there is no member \"contxt\"");
    assertThat(tried("[]", "mapping").getString("message")).isEqualTo("must be an object");
    assertThat(tried("{", "mapping").getString("message"))
        .isEqualTo("is not the text of a JSON object");
    assertThatThrownBy(() -> tried("$", "other")).isInstanceOfSatisfying(Sql.SqlProblem.class,
        problem -> assertThat(problem.state()).isEqualTo("TK007"));
  }

  private String problems(String path) {
    return String.join("; ",
        sql.texts(
            "select message from tasker.check_path(?, '{\"check\": 0, \"later\": 1, \"a b\": 2}', b'101')",
            path));
  }

  @Test
  void a_path_names_only_what_its_document_can_have() {
    assertThat(problems("$.results.check.score > 1 && $.results.\"a b\".x == \"$.results.nobody\""))
        .isEmpty();
    assertThat(problems("$.results.*.score > 1 && exists($.context ? (@.results.nobody > 1))"))
        .isEmpty();
    assertThat(problems("$.results.chek.score > 1")).isEqualTo("there is no step \"chek\"");
    assertThat(problems("($.results).later > 1"))
        .isEqualTo(
            "step \"later\" is no ancestor of this step, so that its result is not there yet");
    assertThat(problems("$.contxt.a > 1")).isEqualTo(
        "there is no member \"contxt\" in the document: it has context, results and task");
    assertThat(problems("$.task.uid == \"x\"")).startsWith("there is no member \"uid\" in task");
    assertThat(problems("$x > 1 && $\"y z\" > 1"))
        .isEqualTo("there is no variable $x: a path begins with $.context, $.results or $.task; "
            + "there is no variable $y z: a path begins with $.context, $.results or $.task");
    assertThat(problems("$.results.")).startsWith("is not a valid path: ");
    assertThat(problems("$.context.a like_regex \"(\"")).startsWith("is not a valid path: ");
    assertThat(problems("")).startsWith("is not a valid path: ");
    assertThat(problems("$." + "x".repeat(4000)))
        .isEqualTo("must have at most 4000 characters, but has 4002");
    assertThat(sql.texts("select message from tasker.check_path('$.results.anything')")).isEmpty();
    assertThat(sql.text(
        "select unknown_step from tasker.check_path('$.results.chek', '{\"check\": 0}', b'1')"))
        .isEqualTo("chek");
  }

  @Test
  void expressions_of_a_template_see_the_results_of_ancestors_and_every_problem_is_found() {
    var found = sql.array("select tasker.check_expressions(?::jsonb, ?::jsonb)", """
        {"a": [], "b": ["a"], "c": ["b", "nowhere"], "d": ["c"]}""", """
        [{"step": "c", "kind": "predicate", "expression": "$.results.a > 1 && $.results.b > 1"},
         {"step": "c", "kind": "predicate", "expression": "$.results.d > 1 && $.results.c > 1 && $.results.nowhere > 1"},
         {"step": "d", "kind": "mapping", "expression": {"x": ["$.context.a", "$.results.q"], "y": "$$.results.q"}},
         {"kind": "value", "expression": "$.results.d"},
         {"step": "a", "kind": "list", "expression": 7}]""");

    assertThat(found.getValuesAs(JsonObject.class))
        .extracting(problem -> problem.getInt("index") + " " + problem.getString("pointer") + " "
            + problem.getString("message"))
        .containsExactly(
            "1  step \"d\" is no ancestor of this step, so that its result is not there yet",
            "1  step \"c\" is no ancestor of this step, so that its result is not there yet",
            "1  there is no step \"nowhere\"",
            "2 /x/1 there is no step \"q\"",
            "4  must be a text, a path");
    assertThat(sql.array("select tasker.check_expressions('{}', '[]')")).isEmpty();
  }

  @Test
  void the_ancestors_of_a_step_are_those_above_its_parents_in_any_order_of_names() {
    assertThat(sql.texts(
        """
        select f.step || f.number || ' ' || f.ancestors from tasker.find_ancestors(
          '{"d": ["b", "c", "b"], "a": ["gone"], "c": ["z"], "z": ["a"], "b": ["a"], "x": ["y"], "y": ["x"], "q": ["y", "a"]}') f"""))
        .containsExactly("a0 00000000", "b1 10000000", "c2 10000001", "d3 11100001", "q4 11111111",
            "x5 11111111", "y6 11111111",
            "z7 10000000");
    assertThat(sql.texts("select f.step from tasker.find_ancestors('{}') f")).isEmpty();
  }

  /** Every step of the chain reads the first one's result and one that is not there. */
  @Test
  @Timeout(20)
  void expressions_of_a_chain_of_thousands_of_steps_are_checked_in_seconds() {
    String graph = IntStream.range(0, 4_000).mapToObj(i -> "\"s%d\": [\"s%d\"]".formatted(i, i - 1))
        .collect(Collectors.joining(", ", "{", "}"));
    String expressions = IntStream.range(1, 4_000)
        .mapToObj(
            i -> """
        {"step": "s%d", "kind": "mapping", "expression": {"x": "$.results.s0", "y": "$.results.s%d"}}"""
                .formatted(i, i == 7 ? 8 : i - 1))
        .collect(Collectors.joining(", ", "[", "]"));

    assertThat(sql.array("select tasker.check_expressions(?::jsonb, ?::jsonb)", graph, expressions)
        .getValuesAs(JsonObject.class))
        .extracting(problem -> problem.getInt("index") + " " + problem.getString("pointer"))
        .containsExactly("6 /y");
  }

  @Test
  void the_document_of_a_step_has_its_context_its_ancestors_results_and_its_task() {
    var task = Dag.diamond().context("{\"n\": 7}").started();
    SqlWorker worker = SqlWorker.open();
    worker.complete(worker.claimOne().success("{\"x\": 1}"));

    JsonObject document = sql.object("select tasker.get_expression_document(?, ?)", task.uuid(),
        task.step("b"));
    assertThat(document.keySet()).containsExactlyInAnyOrder("context", "results", "task");
    assertThat(document.getJsonObject("context")).hasToString("{\"n\":7}");
    assertThat(document.getJsonObject("results")).hasToString("{\"a\":{\"x\":1}}");
    assertThat(document.getJsonObject("task").getString("uuid")).isEqualTo(task.uuid().toString());
    assertThat(document.getJsonObject("task").keySet())
        .containsExactlyInAnyOrder("attempt", "correlation_id", "created_at", "name", "namespace",
            "priority", "requested_at", "uuid",
            "version");
    assertThat(sql.object("select tasker.get_expression_document(?)", task.uuid())
        .getJsonObject("results"))
        .hasToString("{\"a\":{\"x\":1}}");
    assertThat(
        sql.object("select tasker.get_expression_document(?, ?)", task.uuid(), task.step("a"))
            .getJsonObject("results"))
        .isEmpty();
    assertThat(sql.text("select tasker.get_expression_document(?)", UUID.randomUUID())).isNull();
    assertThat(
        sql.text("select tasker.get_expression_document(?, ?)", task.uuid(), UUID.randomUUID()))
        .isNull();
  }

  private static final String AGAIN = "reads the list that it filters again for each of its elements";
  private static final String FILTER = "has a filter that starts at $ inside another filter or a subscript, and is evaluated again for each element; "
      + "put it outside, with &&";
  private static final String PATTERN = "has a regular expression with a back reference or a look-around, which cannot be matched in bounded time";

  @Test
  void a_path_that_reads_a_list_again_for_each_of_its_elements_cannot_be_registered() {
    List<String> lines = """
        exists($.context.a[*] ? (@ == $.context.a[*] && @ < 0)); again
        exists($.context.a[*] ? (@ == $.context.a)); again
        exists($.context.a[*] ? (@.x > 1 && (@.y == 2 || @.x == -$.context.a.x))); again
        exists($.context.rows[*].tags[*] ? (@ == $.context.rows.tags[*])); again
        exists($.context.rows[*].tags[*] ? (@ == $.context.rows[*].tags[*].name)); again
        exists($.context.a[*] ? (exists($.context.b[*] ? (@ == 1)))); filter
        exists($.context.a[*] ? (exists(@.b[*] ? (exists($.context.c ? (@ == 1)))))); filter
        $.context.a[$.context.b ? (@ > 1)] == 1; filter
        $.context.**.** == 1; has .** below .**, which reads everything again at each level
        exists($.context.** ? (@.**.x == 1)); has .** below .**, which reads everything again at each level
        $.context[0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0] == 1; has subscripts that choose the same value more than 1000 times
        $.context.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a == 1; has more than 32 accessors in a row
        $.context.s like_regex "(.*)x\\\\1"; pattern
        $.context.s like_regex "a(?!b)"; pattern
        $.context.s like_regex "(.*)x\\\\1" flag "q"; -
        $.context.s like_regex "(?:a|b)+\\\\\\\\1$"; -
        exists($.context.a[*] ? (@ == $.context.a[0] || @ == $.context.a[last])); -
        exists($.context.a[*] ? (@.position < $.context.a.size())); -
        exists($.context.a[*] ? (@ == $.context.b[*])); -
        exists($.context.a[*] ? (@.price > $.context.limit && exists(@.tags[*] ? (@ == $.context.tag)))); -
        exists($.context ? (@.x == $.context.y)); -
        exists($.context.a[*] ? (@.x == "$.context.a[*] ? ($.b)")); -
        """.lines().toList();

    for (String line : lines) {
      String path = line.substring(0, line.lastIndexOf("; "));
      String problem = line.substring(path.length() + 2);
      String message = switch (problem) {
        case "again" -> AGAIN;
        case "filter" -> FILTER;
        case "pattern" -> PATTERN;
        case "-" -> "";
        default -> problem;
      };

      assertThat(String.join("; ", sql.texts("select message from tasker.check_path(?)", path)))
          .as(path).isEqualTo(message);
    }
  }

  /**
   * {"context": {"a": 0…2 999, "b": the same, "few": 1…5, "rows": [{"id", "low", "high",
   * "tags"}…]}}.
   */
  private static final String LARGE = """
      (select jsonb_build_object('task', '{"uuid": "x"}'::jsonb, 'context', jsonb_build_object('limit', 7, 'few', '[1, 2, 3, 4, 5]'::jsonb,
         'a', jsonb_agg(i), 'b', jsonb_agg(i),
         'rows', jsonb_agg(jsonb_build_object('id', i, 'low', i % 7, 'high', i % 5, 'tags', jsonb_build_array('x', 'y')))))
       from generate_series(0, 2999) i)""";

  @Test
  void an_expression_that_would_read_too_much_is_an_error_before_it_is_evaluated() {
    List<String> paths = """
        exists($.context.a[*] ? (@ == $.context.a[*] && @ < 0))
        exists($.context.a[*] ? (@ == $.context.b && @ < 0))
        strict exists($.context.a[*] ? (@ == $.context.b[*] && @ < 0))
        $.context.a == -1 - 0 || $.context.a < -$.context.b
        (-$.context.a[*]) == (+$.context.b[*] ? (@ < 0))
        exists($.context.rows[*] ? (@.id == $.context.rows.low && @.id < 0))
        exists($.context.rows[*].tags[*] ? (@ == $.context.rows.tags && @ == "z"))
        exists($.context.rows[*] ? (exists(@.tags[*] ? (@ == $.context.b))))
        exists($ ? (@.context.a[@.context.b[*]] == 1))
        exists($.context.*[*] ? (@ == $.context.a[*]))
        exists($.context.** ? (@ == $.context.a[*]))
        exists($.context.keyvalue() ? (@.value == $.context.b))
        exists($.context.a[0 to last, 0 to last][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0] ? (@ == -1))
        /* $ */ $.context.a < /* $ */ $.context.b
        """.lines().toList();

    for (String path : paths) {
      assertThatThrownBy(
          () -> sql.text("select tasker.evaluate_predicate(?, " + LARGE + ")", path.strip()))
          .as(path)
          .isInstanceOfSatisfying(Sql.SqlProblem.class,
              problem -> assertThat(problem.state()).isEqualTo("TK010"))
          .hasMessageContaining("would read more than 1000000 values");
    }
  }

  @ParameterizedTest
  @CsvSource(delimiter = ';', textBlock = """
      $.context.limit == 7; true
      exists($.context.a[*] ? (@ > 2998)); true
      exists($.context.a[*] ? (@ == $.context.limit)); true
      exists($.context.rows[*] ? (@.id == $.context.few[*] && @.id > 4)); true
      exists($.context.rows[*] ? (@.low < @.high && @.id > 2990)); true
      exists($.context.rows[*] ? (@.tags == @.id)); false
      exists($.context.rows[*] ? (@.tags[*] == "x" && @.low >= $.context.limit - 1)); true
      exists($.context.rows[*] ? (exists(@.tags[*] ? (@ == $.context.few)))); false
      $.context.few == $.context.a; true
      exists($.context.** ? (@.id == 7)); true
      exists($.context.rows[*].keyvalue() ? (@.key == "low" && @.value == 6)); true
      $.context.a[$.context.few[2] - 1] == 2; true
      """)
  void long_lists_are_filtered_and_compared_with_values_and_short_lists(String path,
      boolean expected) {
    assertThat(sql.isTrue("select tasker.evaluate_predicate(?, " + LARGE + ")", path))
        .isEqualTo(expected);
  }

  @Test
  void values_that_are_chosen_several_times_are_bounded_by_their_bytes() {
    assertThatThrownBy(() -> sql.text(
        "select tasker.evaluate_list('$.context[' || repeat('0,', 900) || '0]', " + LARGE + ")"))
        .hasMessageContaining("gives more than 8388608 bytes");
    assertThatThrownBy(
        () -> sql.text(
            "select tasker.evaluate_mapping((select jsonb_object_agg('k' || i, '$.context') from generate_series(1, 90) i), "
                + LARGE + ")"))
        .hasMessageContaining("gives more than 8388608 bytes");
    assertThat(sql.number("select count(*) from jsonb_object_keys(tasker.evaluate_mapping("
        + "(select jsonb_object_agg('k' || i, '$.context.limit') from generate_series(1, 5000) i), "
        + LARGE + "))")).isEqualTo(5000);
  }

  @Test
  void what_the_expressions_of_a_task_read_in_a_transaction_is_bounded() {
    String read = "do $$ declare v_document jsonb := " + LARGE
        + " || '{\"task\": {\"uuid\": \"some\"}}'; begin for i in 1..times loop "
        + "perform tasker.evaluate_list('exists($.context.a[*] ? (@ < $.context.few[*]))', v_document); end loop; end $$";

    sql.run(read.replace("times", "20"));
    assertThatThrownBy(() -> sql.run(read.replace("times", "2000")))
        .hasMessageContaining("read more than 20000000 values in one transaction");
    sql.run(read.replace("times", "20").replace("some", "other"));
    assertThat(sql.texts(
        "select tasker.charge_expressions(t, 11000000)::text from unnest(array['a', 'a', 'b', 'b']) t"))
        .containsExactly("true", "false", "true", "false");
  }
}
