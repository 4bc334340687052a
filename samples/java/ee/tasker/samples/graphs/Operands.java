package ee.tasker.samples.graphs;

import ee.tasker.handler.PermanentStepException;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonString;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;

/**
 * The numbers a step works on. {@code handler.initialization.of} lists steps; without it, the
 * number is {@code even_number}
 * of the task's context. Results have the form {@code {"value": n}}, n of any size.
 */
final class Operands {

  private Operands() {
  }

  static List<BigInteger> of(StepContext step) {
    return step.config("of")
        .map(JsonArray.class::cast)
        .map(names -> names.getValuesAs(JsonString::getString).stream()
            .map(name -> resultOf(step, name)).toList())
        .orElseGet(() -> List.of(evenNumber(step)));
  }

  static StepOutcome result(BigInteger value) {
    return StepOutcome.success(Json.createObjectBuilder().add("value", value).build());
  }

  private static BigInteger resultOf(StepContext step, String name) {
    return whole(Fields.of(name, step.resultObject(name)).number("value"), name + ".value");
  }

  private static BigInteger evenNumber(StepContext step) {
    BigInteger number = whole(Fields.of("context", step.input()).number("even_number"),
        "even_number");
    if (number.testBit(0)) {
      throw new PermanentStepException("ValidationError",
          "even_number must be even, but is " + number);
    }
    return number;
  }

  private static BigInteger whole(BigDecimal number, String name) {
    try {
      return number.toBigIntegerExact();
    } catch (ArithmeticException e) {
      throw new PermanentStepException("ValidationError",
          name + " must be a whole number, but is " + number);
    }
  }
}
