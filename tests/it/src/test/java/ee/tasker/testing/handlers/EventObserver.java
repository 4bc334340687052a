package ee.tasker.testing.handlers;

import ee.tasker.handler.DomainEvent;
import ee.tasker.operation.Signals;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.json.Json;

/** Answers events of one type with a signal to their task, and fails for another type. */
@ApplicationScoped
public class EventObserver {
  @Inject
  private Signals signals;

  void observe(@Observes DomainEvent event) {
    if (event.type().equals("observer.refused")) {
      throw new IllegalStateException("this observer refuses " + event.type());
    }
    if (event.type().startsWith("observer.") || event.type().startsWith("quiet.")) {
      signals.send(event.taskUuid(), "observed", Json.createValue(event.type()),
          event.id().toString());
    }
  }
}
