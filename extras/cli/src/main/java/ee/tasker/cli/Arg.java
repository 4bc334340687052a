package ee.tasker.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * An option or a positional parameter of a command, and which part of the request it becomes. Built
 * once, then only read.
 */
final class Arg {
  enum Place {
    PATH, QUERY, BODY,
    /** The command itself does something with it. */
    LOCAL
  }

  enum Kind {
    TEXT, INTEGER, UUID, FLAG,
    /** JSON in the command line, {@code @file} or {@code -} for the standard input. */
    JSON
  }

  private final Place place;
  private final String member;
  private final String label;
  private final String description;
  private final List<String> names = new ArrayList<>();
  private Kind kind = Kind.TEXT;
  private List<String> values = List.of();
  private List<String> covers = List.of();
  private boolean positional;
  private boolean required;
  private boolean many;
  private boolean actor;

  private Arg(Place place, String member, String label, String description) {
    this.place = place;
    this.member = member;
    this.label = label;
    this.description = description;
    names.add("--" + member.substring(member.lastIndexOf('.') + 1).replace('_', '-'));
  }

  /** A required positional parameter that is part of the path; a UUID unless said otherwise. */
  static Arg path(String member, String label, String description) {
    Arg arg = new Arg(Place.PATH, member, label, description);
    arg.kind = Kind.UUID;
    return arg.positional();
  }

  static Arg query(String member, String label, String description) {
    return new Arg(Place.QUERY, member, label, description);
  }

  /** @param member of the body, with dots where it is nested: {@code filter.namespace} */
  static Arg body(String member, String label, String description) {
    return new Arg(Place.BODY, member, label, description);
  }

  static Arg local(String name, String label, String description) {
    return new Arg(Place.LOCAL, name, label, description);
  }

  static Arg flag(Place place, String member, String description) {
    Arg arg = new Arg(place, member, "", description);
    arg.kind = Kind.FLAG;
    return arg;
  }

  /** Who asks: the user of the operating system unless said otherwise. */
  static Arg actor(Place place, String member) {
    Arg arg = new Arg(place, member, "NAME",
        "Who asks for it; TASKER_BY or the user of the operating system by default.").named("--by");
    arg.actor = true;
    return arg;
  }

  static Arg reason(Place place) {
    return new Arg(place, "reason", "TEXT", "Why; the history keeps it.").alias("-m").required();
  }

  Arg positional() {
    positional = true;
    required = true;
    return this;
  }

  Arg optional() {
    required = false;
    return this;
  }

  Arg required() {
    required = true;
    return this;
  }

  Arg named(String name) {
    names.set(0, name);
    return this;
  }

  Arg alias(String name) {
    names.add(name);
    return this;
  }

  Arg integer() {
    kind = Kind.INTEGER;
    return this;
  }

  Arg uuid() {
    kind = Kind.UUID;
    return this;
  }

  Arg text() {
    kind = Kind.TEXT;
    return this;
  }

  Arg json() {
    kind = Kind.JSON;
    return this;
  }

  /** May be given several times: an array in a body, repeated in a query. */
  Arg many() {
    many = true;
    return this;
  }

  /**
   * What the shell completes where the interface does not say it ({@link Words}); the server says
   * what is allowed.
   */
  Arg values(String... values) {
    this.values = List.of(values);
    return this;
  }

  /** Members of the request that a local argument becomes. */
  Arg covers(String... members) {
    covers = List.of(members);
    return this;
  }

  Place place() {
    return place;
  }

  String member() {
    return member;
  }

  /** Some parameters of its own, and those that a command shares with others. */
  static Arg[] and(List<Arg> shared, Arg... own) {
    return Stream.concat(Stream.of(own), shared.stream()).toArray(Arg[]::new);
  }

  String label() {
    return label;
  }

  String description() {
    return description;
  }

  List<String> names() {
    return names;
  }

  /** How the command asks for its value: the first name of an option, or the label. */
  String key() {
    return positional ? label : names.get(0);
  }

  Kind kind() {
    return kind;
  }

  List<String> values() {
    return values;
  }

  List<String> covers() {
    return covers;
  }

  /** Whether the beginning of the identifier is enough: it names an entry that exists. */
  boolean isId() {
    return kind == Kind.UUID && (place == Place.PATH || label.equals(Ids.TASK));
  }

  boolean isPositional() {
    return positional;
  }

  boolean isRequired() {
    return required;
  }

  boolean isMany() {
    return many;
  }

  boolean isActor() {
    return actor;
  }
}
