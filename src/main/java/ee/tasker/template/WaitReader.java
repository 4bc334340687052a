package ee.tasker.template;

import ee.tasker.document.SealedPlaces;
import ee.tasker.template.StepDraft.Expression;
import ee.tasker.template.StepDraft.Named;
import ee.tasker.template.StepDraft.SignalDraft;
import ee.tasker.template.model.Limits;
import ee.tasker.template.model.StepType;
import ee.tasker.template.model.StepWait;
import ee.tasker.template.model.TemplateKey;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Reads {@code wait}, {@code signal}, {@code approval} and {@code task} of a step.
 *
 * @param place       the key that says what the step waits for; empty when it does not wait
 * @param expressions {@code until}, the paths of an approval, and the context of a child task
 * @param isChild     whether it waits for a child task, which has the step's retries and timeout
 * @param signal      the signal that the step waits for
 * @param definition  may be called only when the template has no problem; empty for a step that
 *   does not wait
 */
record WaitReader(Optional<Located> place, boolean isChild, List<Expression> expressions,
    Optional<SignalDraft> signal, Supplier<Optional<StepWait>> definition) {
  private enum OnTimeout {
    ERROR
  }

  private static final String ERROR = OnTimeout.ERROR.name().toLowerCase(Locale.ROOT);

  static WaitReader read(Keys step, Optional<Named> name, StepType type) {
    List<Expression> expressions = new ArrayList<>();
    var timer = step.find("wait");
    var signal = step.find("signal");
    var approval = step.find("approval");
    signal.filter(given -> timer.isPresent())
        .ifPresent(given -> given.refuse(
            "a step waits for a time or for a signal; let one step follow the other, or use signal.timeout"));
    approval.filter(given -> timer.isPresent() || signal.isPresent())
        .ifPresent(
            given -> given.refuse(
                "a step with an approval waits for nothing else; let one step follow the other, or use approval.due"));
    approval.flatMap(given -> step.find("handler"))
        .ifPresent(given -> given
            .refuse("a step with an approval runs no handler; let the step after it do the work"));
    var child = step.find("task");
    child.filter(given -> timer.isPresent() || signal.isPresent() || approval.isPresent())
        .ifPresent(
            given -> given.refuse(
                "a step waits for a child task or for a time, a signal or an approval; let one step follow the other"));
    var place = timer.or(() -> signal).or(() -> approval).or(() -> child);
    place.filter(given -> type != StepType.STANDARD && type != StepType.DEFERRED_CONVERGENCE)
        .ifPresent(given -> given
            .refuse("belongs only to steps of type standard or deferred_convergence"));
    var readTimer = timer.flatMap(Located::keys).map(keys -> timer(keys, name, expressions));
    var readSignal = signal.flatMap(Located::keys).map(WaitReader::signal);
    var readApproval = approval.flatMap(Located::keys)
        .map(keys -> ApprovalReader.read(keys, name, expressions));
    var readChild = child.flatMap(Located::keys).map(keys -> child(keys, name, expressions));
    return new WaitReader(place, child.isPresent(), expressions,
        readSignal.flatMap(draft -> draft.name()
            .map(given -> new SignalDraft(given, draft.schemaPlace(), draft.schema()))),
        () -> readTimer.map(Supplier::get).or(() -> readSignal.map(Draft::signal))
            .or(() -> readApproval.map(Supplier::get))
            .or(() -> readChild.map(Supplier::get)));
  }

  private static Supplier<StepWait> child(Keys keys, Optional<Named> step,
      List<Expression> expressions) {
    var namespace = keys.find("namespace", "namespace_name").flatMap(place -> place
        .word(Integer.MAX_VALUE)
        .flatMap(text -> TemplateKey.isNamespace(text) ? Optional.of(text)
            : place.refuse(
                "must be the name of a namespace, but is \"" + Located.shortened(text) + "\"")));
    var name = keys.require("name").flatMap(place -> place.word(Limits.TEMPLATE_NAME));
    var version = keys.find("version").flatMap(place -> place.word(Integer.MAX_VALUE)
        .flatMap(text -> TemplateKey.isVersion(text) ? Optional.of(text)
            : place.refuse("must be a semantic version such as 1.0.0, but is \""
                + Located.shortened(text) + "\"")));
    var context = keys.find("context")
        .flatMap(place -> mapping(place, step.map(Named::name), expressions));
    var priority = RetryReader.number(keys, "priority", -100, 100);
    keys.refuseOthers();
    return () -> new StepWait.Child(namespace, name.orElseThrow(), version, context.orElse("{}"),
        priority);
  }

  /** A mapping of expressions, as canonical text. */
  static Optional<String> mapping(Located place, Optional<String> step,
      List<Expression> expressions) {
    return place.keys().flatMap(keys -> place.json()).map(CanonicalJson::write).map(text -> {
      expressions.add(new Expression(step, "mapping", text, place));
      return text;
    });
  }

  private static Supplier<StepWait> timer(Keys keys, Optional<Named> name,
      List<Expression> expressions) {
    var duration = keys.find("for").flatMap(WaitReader::duration);
    var until = keys.find("until").flatMap(value -> value.word(Limits.EXPRESSION).map(path -> {
      expressions.add(new Expression(name.map(Named::name), "value", path, value));
      return path;
    }));
    keys.refuseOthers();
    if (keys.find("for").isPresent() == keys.find("until").isPresent()) {
      keys.mapping()
          .refuse("must have exactly one of for, a duration, and until, a path to an instant");
    }
    return () -> new StepWait.Timer(duration, until);
  }

  private record Draft(Optional<Named> name, Optional<Located> schemaPlace, Optional<String> schema,
      Optional<String> timeout, Optional<String> defaultValue) {
    StepWait signal() {
      return new StepWait.Signal(name.orElseThrow().name(), schema, timeout, defaultValue);
    }
  }

  private static Draft signal(Keys keys) {
    var name = keys.require("name")
        .flatMap(place -> place.word(Limits.SIGNAL_NAME).map(text -> new Named(text, place)));
    var schemaPlace = keys.find("schema");
    var schema = schemaPlace.flatMap(Located::schema);
    var timeoutPlace = keys.find("timeout");
    var timeout = timeoutPlace.flatMap(WaitReader::duration);
    var onTimeoutPlace = keys.find("on_timeout");
    var defaultValue = onTimeoutPlace.flatMap(Located::json)
        .filter(value -> !(value instanceof JsonString text && text.getString().equals(ERROR)))
        .map(CanonicalJson::write);
    keys.refuseOthers();
    refuseSealed(onTimeoutPlace, schema, defaultValue);
    onTimeoutPlace.filter(place -> timeoutPlace.isEmpty())
        .ifPresent(place -> place.refuse("needs a timeout beside it"));
    return new Draft(name, schemaPlace, schema, timeout, defaultValue);
  }

  /** A value that the template itself gives is in clear, in the template at least. */
  static void refuseSealed(Optional<Located> place, Optional<String> schema,
      Optional<String> value) {
    if (place.isPresent() && schema.isPresent() && value.isPresent()) {
      var clear = JsonText.parse(value.get());
      var sealed = SealedPlaces.of(JsonText.parse(schema.get()))
          .replace(clear, each -> JsonValue.NULL);
      if (!clear.equals(sealed)) {
        place.get().refuse("must have no member that the schema seals");
      }
    }
  }

  static Optional<String> duration(Located place) {
    return place.word(Limits.DURATION).flatMap(text -> StepWait.isDuration(text) ? Optional.of(text)
        : place.refuse(
            "must be a duration of ISO 8601 of at most ten years, such as PT30M, PT3H, P1D or P1M, but is \""
                + Located.shortened(text) + "\""));
  }
}
