package ee.tasker.event;

import ee.tasker.handler.DomainEvent;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.platform.thread.StartSequence;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.Resource;
import jakarta.ejb.ConcurrencyManagement;
import jakarta.ejb.ConcurrencyManagementType;
import jakarta.ejb.DependsOn;
import jakarta.ejb.Singleton;
import jakarta.ejb.Startup;
import jakarta.ejb.Timeout;
import jakarta.ejb.TimerConfig;
import jakarta.ejb.TimerService;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.inject.Inject;
import jakarta.json.JsonValue;
import java.util.UUID;

/**
 * Calls the observers of this server for domain events of {@code delivery_mode: fast} and {@code
 * broadcast}, from the feed and so after their
 * commit: within a second while events come, and after a quiet time within {@value
 * #LONGEST_PERIOD_MS} ms, so that an idle server asks
 * rarely. A server without observers reads nothing. Begins with what is published after its start.
 */
@Singleton
@Startup
@DependsOn("TaskerSchema")
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class ObserverCalls {
  private static final Log LOG = Log.of(ObserverCalls.class);
  private static final long SHORTEST_PERIOD_MS = 500;
  private static final long LONGEST_PERIOD_MS = 8_000;
  private static final long UNKNOWN = -1;
  private static final DomainEvent ANY = new DomainEvent(new UUID(0, 0), "", "", new UUID(0, 0), "",
      "", JsonValue.EMPTY_JSON_OBJECT);

  @Resource
  private TimerService timers;

  @Inject
  private BeanManager beans;

  @Inject
  private Event<DomainEvent> observers;

  @Inject
  private DomainEvents feed;

  @Inject
  private StartSequence start;

  private long position = UNKNOWN;
  private long periodMs = SHORTEST_PERIOD_MS;

  @PostConstruct
  void prepare() {
    if (!beans.resolveObserverMethods(ANY).isEmpty()) {
      comeBack();
    }
  }

  private void comeBack() {
    timers.createSingleActionTimer(periodMs, new TimerConfig("tasker-observers", false));
  }

  /** One timeout at a time: the next is made when this one has ended. */
  @Timeout
  void read() {
    try {
      if (!start.isWaiting()) {
        readOn();
      }
    } catch (Exception fault) {
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "list_domain_events");
    } finally {
      comeBack();
    }
  }

  private void readOn() {
    if (position == UNKNOWN) {
      position = feed.end().position();
    }
    long before = position;
    feed.sequence();
    DomainEvents.Observed page;
    do {
      page = feed.observed(position);
      page.events().forEach(this::call);
      position = page.position();
    } while (page.hasMore());
    periodMs = position > before ? SHORTEST_PERIOD_MS : Math.min(2 * periodMs, LONGEST_PERIOD_MS);
  }

  private void call(DomainEvent event) {
    try {
      observers.fire(event);
    } catch (RuntimeException fault) {
      LOG.write(LogEvent.OBSERVER_FAILED, fault, "event", event.id(), "type", event.type());
    }
  }
}
