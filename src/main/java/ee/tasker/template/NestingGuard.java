package ee.tasker.template;

import java.util.Optional;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.ParserException;
import org.snakeyaml.engine.v2.parser.Parser;

/** Rejects a document that is too deep or has too many aliases before a tree is built from it. */
final class NestingGuard implements Parser {
  static final int MAX_DEPTH = 64;
  static final int MAX_ALIASES = 1_000;

  /** The document may be YAML, but reading stops here. */
  static final class TooMuch extends ParserException {
    private static final long serialVersionUID = 1;

    private TooMuch(String problem, Optional<Mark> mark) {
      super(problem, mark);
    }
  }

  private final Parser parser;
  private int depth;
  private int aliases;

  NestingGuard(Parser parser) {
    this.parser = parser;
  }

  boolean sawAliases() {
    return aliases > 0;
  }

  @Override
  public boolean checkEvent(Event.ID choice) {
    return parser.checkEvent(choice);
  }

  @Override
  public Event peekEvent() {
    return parser.peekEvent();
  }

  @Override
  public boolean hasNext() {
    return parser.hasNext();
  }

  @Override
  public Event next() {
    var event = parser.next();
    switch (event.getEventId()) {
      case MappingStart, SequenceStart ->
        refuse(++depth > MAX_DEPTH, "more than " + MAX_DEPTH + " levels", event);
      case MappingEnd, SequenceEnd -> depth--;
      case Alias -> refuse(++aliases > MAX_ALIASES, "more than " + MAX_ALIASES + " aliases", event);
      default -> {
      }
    }
    return event;
  }

  private static void refuse(boolean tooMuch, String what, Event event) {
    if (tooMuch) {
      throw new TooMuch("the template has " + what, event.getStartMark());
    }
  }
}
