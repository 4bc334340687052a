package ee.tasker.step;

import ee.tasker.document.SealedPlaces;
import ee.tasker.document.Seals;
import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.step.StepSpec.Sealing;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonValue;
import java.util.List;

/**
 * Seals what handlers give before it is stored or logged, and opens what they get. All methods
 * throw {@link Problem} as {@link Seals}.
 */
public record StepSeals(Seals seals) {
  /** Stands where a message was, for those who may not open it. */
  public static final String MESSAGE = "sealed";
  private static final String SEALED = "sealed";
  private static final SealedPlaces WHOLE = SealedPlaces.of(
      Json.build().createObjectBuilder().add(SealedPlaces.KEYWORD, true).build());

  /** All that a handler gave, as it may be stored. A success has a result that fits its schema. */
  public StepResult seal(StepSpec spec, StepResult result) {
    if (spec.sealing() == Sealing.NOTHING) {
      return result;
    }
    JsonValue document = result.outcome().endsWell() ? sealResult(spec, result.result())
        : sealPartialResult(spec, result.result());
    return new StepResult(result.key(), result.outcome(), document,
        sealError(spec, result.error()), result.executionTime(), result.decision(),
        result.batches(), result.yield().map(yield -> sealYield(spec, yield)));
  }

  /** A result that fits its schema. */
  public JsonValue sealResult(StepSpec spec, JsonValue result) {
    return seals.seal(result, spec.sealed(), spec.namespace());
  }

  /**
   * The partial result of a step that was cancelled, which no schema has judged: whole if its
   * members would be.
   */
  public JsonValue sealPartialResult(StepSpec spec, JsonValue result) {
    return result == JsonValue.NULL || spec.sealed().isNone() ? result
        : seals.seal(result, WHOLE, spec.namespace());
  }

  /** An error without its message and details, which are in the sealed member beside its type. */
  public JsonValue sealError(StepSpec spec, JsonValue error) {
    if (spec.sealing() != Sealing.MEMBERS_AND_ERRORS
        || !(error instanceof JsonObject object) || object.containsKey(SEALED)) {
      return error;
    }
    JsonObjectBuilder secret = Json.build().createObjectBuilder();
    JsonObjectBuilder shown = Json.build().createObjectBuilder(object);
    for (String member : List.of("message", "details")) {
      if (object.containsKey(member)) {
        secret.add(member, object.get(member));
        shown.remove(member);
      }
    }
    return shown.add("message", MESSAGE)
        .add(SEALED, seals.seal(secret.build(), WHOLE, spec.namespace())).build();
  }

  /** Where a step goes on, with its checkpoint sealed. */
  public StepResult.Yield sealYield(StepSpec spec, StepResult.Yield yield) {
    return new StepResult.Yield(
        yield.checkpoint().map(checkpoint -> sealCheckpoint(spec, checkpoint)), yield.after());
  }

  /** A checkpoint, whole. */
  public JsonValue sealCheckpoint(StepSpec spec, JsonValue checkpoint) {
    return spec.sealing() == Sealing.NOTHING ? checkpoint
        : seals.seal(checkpoint, WHOLE, spec.namespace());
  }

  /** Any document of a step, or of its task. */
  public JsonValue open(StepSpec spec, JsonValue document) {
    return seals.open(document, spec.namespace());
  }

  /** A claimed step as its handler sees it. */
  public ClaimedStep open(ClaimedStep step) {
    return step.withDocuments(document -> open(step.definition(), document));
  }
}
