package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import jakarta.json.JsonObject;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@DatabaseTest
class ReadDocumentTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private JsonObject read(UUID task, UUID step, String document, String pointer, int offset,
      int limit) {
    return sql.object("select tasker.read_document(?::uuid, ?::uuid, ?, null, ?, ?, ?)", task, step,
        document, pointer, offset, limit);
  }

  @Test
  void a_long_document_is_read_in_parts_with_every_digit() {
    String context = "{\"n\": 9007199254740993, \"exact\": 1.10, \"text\": \""
        + "äöü€😀".repeat(4_000)
        + "\", \"a/b\": {\"~\": [1, [2, 3]]}}";
    Dag.Task task = Dag.of("a").context(context).started();

    StringBuilder whole = new StringBuilder();
    JsonObject part = read(task.uuid(), null, "context", "", 0, 16_384);
    assertThat(part.getString("type")).isEqualTo("object");
    assertThat(part.getInt("members")).isEqualTo(4);
    assertThat(part.getString("text")).hasSizeGreaterThanOrEqualTo(16_384)
        .as("characters, not halves of surrogate pairs").satisfies(
            text -> assertThat(text.codePointCount(0, text.length())).isEqualTo(16_384));
    while (true) {
      whole.append(part.getString("text"));
      if (part.isNull("next_offset")) {
        break;
      }
      part = read(task.uuid(), null, "context", "", part.getInt("next_offset"), 1_000);
    }
    String stored = sql.text("select context::text from tasker.task_contexts where task_uuid = ?",
        task.uuid());
    assertThat(whole.toString()).isEqualTo(stored).contains("9007199254740993", "1.10");
    assertThat(part.getInt("bytes"))
        .isEqualTo(stored.getBytes(java.nio.charset.StandardCharsets.UTF_8).length);
    assertThat(part.getInt("characters")).isEqualTo(stored.codePointCount(0, stored.length()));
  }

  @Test
  void a_pointer_leads_to_a_member_an_element_or_nothing() {
    Dag.Task task = Dag.of("a").context("{\"a/b\": {\"~\": [1, [2, 3]]}, \"nothing\": null}")
        .started();
    assertThat(read(task.uuid(), null, "context", "/a~1b/~0/1", 0, 100).getString("text"))
        .isEqualTo("[2, 3]");
    assertThat(read(task.uuid(), null, "context", "/a~1b/~0/0", 0, 100).getString("type"))
        .isEqualTo("number");
    assertThat(read(task.uuid(), null, "context", "/nothing", 0, 100).getString("type"))
        .isEqualTo("null");
    for (String wrong : new String[]{"/none", "/a~1b/~0/7", "a~1b", "$.nothing"}) {
      assertThat(read(task.uuid(), null, "context", wrong, 0, 100).getString("field")).as(wrong)
          .isEqualTo("pointer");
    }
    assertThat(read(task.uuid(), null, "output", "", 0, 100).getString("code"))
        .isEqualTo("document-not-found");
    assertThat(sql.text("select tasker.read_document(gen_random_uuid(), null, 'context')"))
        .isNull();
    assertThat(
        sql.text("select tasker.read_document(?::uuid, gen_random_uuid(), 'result')", task.uuid()))
        .isNull();
  }

  @Test
  void results_and_errors_are_those_of_the_latest_attempt_or_of_one() {
    Dag.Task task = Dag.of("a").maxAttempts(3).inNamespace("read").started();
    worker.forNamespaces("read");
    UUID step = task.step("a");
    assertThat(read(task.uuid(), step, "result", "", 0, 100).getString("code"))
        .isEqualTo("document-not-found");
    worker.complete(worker.claimOne().retryableFailure(0));
    assertThat(read(task.uuid(), step, "error", "/type", 0, 100).getString("text"))
        .isEqualTo("\"Test\"");
    assertThat(read(task.uuid(), step, "result", "", 0, 100).getString("code"))
        .isEqualTo("document-not-found");
    worker.advance();
    worker.complete(worker.claimOne().success("{\"value\": \"" + "x".repeat(100) + "\"}"));
    assertThat(read(task.uuid(), step, "result", "", 0, 12).getString("text"))
        .isEqualTo("{\"value\": \"x");
    assertThat(
        sql.object("select tasker.read_document(?::uuid, ?::uuid, 'error', 1)", task.uuid(), step)
            .getString("text"))
        .contains("Test");
    assertThat(
        sql.object("select tasker.read_document(?::uuid, ?::uuid, 'error', 2)", task.uuid(), step)
            .getString("code"))
        .isEqualTo("document-not-found");
    assertThat(read(task.uuid(), null, "output", "/a/value", 0, 3).getString("text"))
        .isEqualTo("\"xx");
  }

  @Test
  void documents_tell_sizes_and_leave_out_what_is_longer_than_asked_for() {
    Dag.Task task = Dag.of("a").context("{\"x\": \"" + "y".repeat(1_000) + "\"}")
        .inNamespace("read").started();
    worker.complete(worker.forNamespaces("read").claimOne().success("{\"value\": 1}"));
    JsonObject whole = sql.object("select tasker.get_task_documents(array[?::uuid]) -> 0",
        task.uuid());
    assertThat(whole.getJsonObject("document_bytes").getInt("context")).isEqualTo(1_009);
    assertThat(whole.getJsonObject("context").getString("x")).hasSize(1_000);
    JsonObject limited = sql.object("select tasker.get_task_documents(array[?::uuid], 1008) -> 0",
        task.uuid());
    assertThat(limited.isNull("context")).isTrue();
    assertThat(limited.getJsonObject("document_bytes"))
        .isEqualTo(whole.getJsonObject("document_bytes"));
    assertThat(limited.getJsonObject("output")).isNotEmpty();

    JsonObject step = sql.object("select tasker.get_step_documents(?::uuid, null, 11) -> 0",
        task.uuid());
    assertThat(step.isNull("result")).isTrue();
    assertThat(step.getJsonObject("document_bytes").toString()).as("there is no error")
        .isEqualTo("{\"result\":12}");
    assertThat(sql.object("select tasker.get_step_documents(?::uuid, null, 12) -> 0", task.uuid())
        .getJsonObject("result").getInt("value"))
        .isEqualTo(1);
    assertThat(sql.object("select tasker.get_step_audit(?::uuid, ?::uuid, 11) -> 0", task.uuid(),
        task.step("a")).isNull("result"))
        .isTrue();
  }
}
