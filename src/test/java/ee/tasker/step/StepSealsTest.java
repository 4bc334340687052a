package ee.tasker.step;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.document.CodecSeals;
import ee.tasker.document.DocumentCodec;
import ee.tasker.engine.model.Outcome;
import ee.tasker.platform.Json;
import ee.tasker.step.StepSpec.Sealing;
import ee.tasker.step.model.StepKey;
import ee.tasker.template.ContextSchema;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What of a handler's outcome is sealed, by a codec that only marks. */
class StepSealsTest {
  private static final StepKey KEY = new StepKey(UUID.randomUUID(), UUID.randomUUID(), 1);
  private static final JsonObject ERROR = Json.parseObject(
      "{\"type\": \"Refused\", \"message\": \"of DE02\", \"details\": {\"a\": 1}, \"delay_ms\": 5}");
  private final StepSeals seals = new StepSeals(new CodecSeals(new DocumentCodec() {
    @Override
    public String currentKey(String namespace) {
      return "k";
    }

    @Override
    public byte[] seal(byte[] clear, String key, String namespace) {
      return clear;
    }

    @Override
    public byte[] open(byte[] sealed, String key, String namespace) {
      return sealed;
    }
  }));

  private static StepSpec spec(Sealing sealing, String schema) {
    return new StepSpec(UUID.randomUUID(), "n", "t", "1.0.0", "a", "h", "call", Optional.empty(),
        JsonValue.EMPTY_JSON_OBJECT, JsonValue.EMPTY_JSON_OBJECT,
        Optional.ofNullable(schema).map(ContextSchema::compile),
        Optional.empty(), Set.of(), sealing);
  }

  private static final String SCHEMA = "{\"properties\": {\"iban\": {\"x-sealed\": true}}}";

  private static StepResult result(Outcome outcome, String result, JsonValue error) {
    return new StepResult(KEY, outcome, Json.parse(result), error, Duration.ZERO);
  }

  private static boolean isSealed(JsonValue value) {
    return value.toString().startsWith("{\"$sealed\":");
  }

  @Test
  void a_success_is_sealed_as_its_schema_says_and_a_partial_result_whole() {
    StepSpec spec = spec(Sealing.MEMBERS, SCHEMA);

    JsonObject success = seals.seal(spec,
        result(Outcome.SUCCESS, "{\"iban\": \"DE02\", \"id\": 1}", JsonValue.NULL)).result()
        .asJsonObject();
    assertThat(isSealed(success.get("iban"))).isTrue();
    assertThat(success.getInt("id")).isEqualTo(1);
    assertThat(isSealed(seals.seal(spec,
        result(Outcome.CANCELLED, "{\"id\": 1}", JsonValue.NULL)).result())).isTrue();
    assertThat(seals.seal(spec, result(Outcome.CANCELLED, "null", JsonValue.NULL)).result())
        .isEqualTo(JsonValue.NULL);
  }

  @Test
  void an_error_keeps_its_type_and_is_sealed_once() {
    StepSpec spec = spec(Sealing.MEMBERS_AND_ERRORS, null);
    StepResult once = seals.seal(spec, result(Outcome.PERMANENT_FAILURE, "null", ERROR));
    JsonObject error = once.error().asJsonObject();

    assertThat(error.keySet()).containsExactlyInAnyOrder("type", "message", "delay_ms", "sealed");
    assertThat(error.getString("type")).isEqualTo("Refused");
    assertThat(error.getString("message")).isEqualTo("sealed");
    assertThat(seals.open(spec, error).asJsonObject().getJsonObject("sealed"))
        .isEqualTo(Json.parse("{\"message\": \"of DE02\", \"details\": {\"a\": 1}}"));
    assertThat(seals.seal(spec, once).error()).isEqualTo(error);
    assertThat(seals.seal(spec(Sealing.MEMBERS, SCHEMA),
        result(Outcome.PERMANENT_FAILURE, "null", ERROR)).error()).isEqualTo(ERROR);
  }

  @Test
  void a_checkpoint_is_sealed_whole_where_anything_is() {
    StepResult yielded = StepResult.yielded(KEY,
        new StepResult.Yield(Optional.of(Json.parse("[1]")), Duration.ofSeconds(5)), Duration.ZERO);

    for (Sealing sealing : List.of(Sealing.MEMBERS, Sealing.MEMBERS_AND_ERRORS)) {
      StepResult.Yield yield = seals.seal(spec(sealing, null), yielded).yield().orElseThrow();
      assertThat(isSealed(yield.checkpoint().orElseThrow())).isTrue();
      assertThat(yield.after()).isEqualTo(Duration.ofSeconds(5));
    }
    assertThat(seals.seal(spec(Sealing.NOTHING, null), yielded)).isSameAs(yielded);
  }

  @Test
  void a_result_that_violates_the_schema_is_neither_kept_nor_quoted() {
    StepSpec spec = spec(Sealing.MEMBERS,
        "{\"properties\": {\"iban\": {\"type\": \"string\", \"x-sealed\": true}}}");

    JsonObject error = spec.rejection(Json.parse("{\"iban\": 4711}")).orElseThrow();

    assertThat(error.getString("message")).isEqualTo("result/iban: does not fit its schema");
    assertThat(error.toString().getBytes(StandardCharsets.UTF_8)).asString()
        .doesNotContain("4711");
  }
}
