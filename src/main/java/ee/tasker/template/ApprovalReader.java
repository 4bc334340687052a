package ee.tasker.template;

import ee.tasker.template.StepDraft.Expression;
import ee.tasker.template.StepDraft.Named;
import ee.tasker.template.model.Limits;
import ee.tasker.template.model.StepWait;
import ee.tasker.template.model.StepWait.Approval;
import ee.tasker.template.model.StepWait.Candidates;
import ee.tasker.template.model.StepWait.Escalation;
import ee.tasker.template.model.StepWait.OnReject;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import org.snakeyaml.engine.v2.nodes.NodeType;

/** Reads {@code approval} of a step. */
final class ApprovalReader {
  private static final String ERROR = OnReject.ERROR.name().toLowerCase(Locale.ROOT);

  private final Keys keys;
  private final Optional<String> step;
  private final List<Expression> expressions;

  private ApprovalReader(Keys keys, Optional<Named> name, List<Expression> expressions) {
    this.keys = keys;
    step = name.map(Named::name);
    this.expressions = expressions;
  }

  /**
   * Adds the paths to the expressions. The result may be called only when the template has no
   * problem.
   */
  static Supplier<StepWait> read(Keys keys, Optional<Named> name, List<Expression> expressions) {
    return new ApprovalReader(keys, name, expressions).read();
  }

  private Supplier<StepWait> read() {
    var title = keys.require("title").flatMap(this::title);
    var description = keys.find("description")
        .flatMap(place -> place.text(Limits.APPROVAL_DESCRIPTION));
    var show = keys.find("show").filter(place -> place.keys().isPresent()).flatMap(this::mapping);
    var form = keys.find("form").flatMap(Located::schema);
    var candidates = keys.require("candidates").flatMap(Located::keys).map(given -> {
      var read = candidates(given);
      given.refuseOthers();
      return read;
    });
    var due = keys.require("due").flatMap(this::due);
    var escalation = keys.find("escalate_to").flatMap(Located::keys).flatMap(this::escalation);
    var onDuePlace = keys.find("on_due");
    var onDue = onDuePlace.flatMap(place -> onDue(place, form));
    onDuePlace.filter(place -> escalation.isPresent() && escalation.get().due().isEmpty())
        .ifPresent(place -> place
            .refuse("needs escalate_to.due: it says what happens when those do not decide either"));
    var onReject = keys.find("on_reject").flatMap(place -> place.oneOf(OnReject.class))
        .orElse(OnReject.RESULT);
    var fourEyes = keys.find("four_eyes").flatMap(Located::flag).orElse(false);
    var claimFor = keys.find("claim_for").flatMap(WaitReader::duration);
    keys.refuseOthers();
    return () -> new Approval(title.orElseThrow(), description, show, form,
        candidates.orElseThrow(), due.orElseThrow(), escalation, onDue, onReject, fourEyes,
        claimFor);
  }

  /** A text or a path, or a list of them. */
  private Optional<String> title(Located place) {
    if (place.node().getNodeType() != NodeType.SEQUENCE) {
      return place.word(Limits.APPROVAL_TITLE).flatMap(text -> mapping(place));
    }
    var parts = place.list().orElse(List.of());
    if (parts.isEmpty() || parts.size() > Limits.APPROVAL_TITLE_PARTS) {
      return place.refuse(
          "must be a text, or a list of 1 to " + Limits.APPROVAL_TITLE_PARTS + " texts and paths");
    }
    return parts.stream().allMatch(part -> part.text(Limits.EXPRESSION).isPresent())
        ? mapping(place) : Optional.empty();
  }

  /** Any JSON in which strings that begin with a single $ are paths. */
  private Optional<String> mapping(Located place) {
    paths(place);
    return place.json().map(CanonicalJson::write);
  }

  private void paths(Located place) {
    switch (place.node().getNodeType()) {
      case MAPPING ->
        place.keys().ifPresent(inside -> inside.entries().values().forEach(this::paths));
      case SEQUENCE -> place.list().ifPresent(elements -> elements.forEach(this::paths));
      default ->
        place.json().filter(value -> value instanceof JsonString text && isPath(text.getString()))
            .ifPresent(value -> expressions
                .add(new Expression(step, "value", ((JsonString) value).getString(), place)));
    }
  }

  private static boolean isPath(String text) {
    return text.startsWith("$") && !text.startsWith("$$");
  }

  private Candidates candidates(Keys given) {
    var read = new Candidates(names(given, "roles"), names(given, "users"));
    if (read.isEmpty()) {
      given.mapping().refuse("must have at least one of roles and users");
    }
    return read;
  }

  private List<String> names(Keys given, String key) {
    List<String> names = new ArrayList<>();
    var places = given.list(key);
    if (places.size() > Limits.APPROVAL_CANDIDATES) {
      given.find(key).ifPresent(
          place -> place.refuse("must have at most " + Limits.APPROVAL_CANDIDATES + " elements"));
    }
    places.forEach(place -> place.word(Limits.APPROVAL_NAME).ifPresent(name -> {
      paths(place);
      names.add(name);
    }));
    return names;
  }

  private Optional<String> due(Located place) {
    return place.text(Limits.EXPRESSION).filter(ApprovalReader::isPath).map(path -> {
      paths(place);
      return path;
    }).or(() -> WaitReader.duration(place));
  }

  private Optional<Escalation> escalation(Keys given) {
    var to = candidates(given);
    var replaces = given.find("replace").flatMap(Located::flag).orElse(false);
    var due = given.find("due").flatMap(WaitReader::duration);
    given.refuseOthers();
    return to.isEmpty() ? Optional.empty() : Optional.of(new Escalation(to, replaces, due));
  }

  /** Empty for the word error. */
  private static Optional<String> onDue(Located place, Optional<String> form) {
    if (place.node().getNodeType() != NodeType.MAPPING) {
      return place.json()
          .filter(value -> value instanceof JsonString text && text.getString().equals(ERROR))
          .isPresent() ? Optional.empty()
              : place.refuse(
                  "must be error, or a decision such as {approved: false}; escalate_to alone says who is asked then");
    }
    return place.keys().flatMap(given -> {
      var approved = given.require("approved").flatMap(Located::flag);
      var valuesPlace = given.find("values");
      var values = valuesPlace.filter(inside -> inside.keys().isPresent()).flatMap(Located::json);
      given.refuseOthers();
      if (approved.isEmpty()) {
        return Optional.empty();
      }
      if (form.isEmpty()) {
        valuesPlace.ifPresent(inside -> inside.refuse("must be absent: the approval has no form"));
      } else if (approved.get() || values.isPresent()) {
        ContextSchema.compile(form.get()).validate(values.orElse(JsonValue.EMPTY_JSON_OBJECT))
            .complaints().forEach(violation -> {
              var inside = valuesPlace.map(found -> NodePointer.follow(found, violation.pointer()))
                  .orElse(place);
              inside.refuse(
                  "does not fit the form: " + violation.pointer() + " " + violation.message());
            });
      }
      WaitReader.refuseSealed(valuesPlace, form, values.map(CanonicalJson::write));
      JsonObject decision = place.json().map(JsonValue::asJsonObject)
          .orElse(JsonValue.EMPTY_JSON_OBJECT);
      return Optional.of(CanonicalJson.write(decision));
    });
  }
}
