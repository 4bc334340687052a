package ee.tasker.event;

import ee.tasker.platform.config.LiveSettings;
import ee.tasker.platform.config.Role;
import ee.tasker.platform.config.ServerIdentity;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.platform.thread.StartSequence;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
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
import jakarta.inject.Inject;
import jakarta.json.JsonObject;

/**
 * Sends every domain event to a topic of Jakarta Messaging, when one is configured, in the order of
 * the feed and at least once. Of the servers that are
 * configured alike one sends at a time, by a lease; what it has sent is recorded after each page,
 * so that another server that takes over repeats
 * the last page at most, with the same ids, and leaves nothing out. While the broker is away the
 * feed waits.
 */
@Singleton
@Startup
@DependsOn("TaskerSchema")
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class TopicPublisher {
  private static final Log LOG = Log.of(TopicPublisher.class);
  private static final long SHORTEST_PERIOD_MS = 500;
  private static final long LONGEST_PERIOD_MS = 8_000;

  @Resource
  private TimerService timers;

  @Inject
  private DomainEvents feed;

  @Inject
  private ServerIdentity server;

  @Inject
  private Settings settings;

  @Inject
  private LiveSettings live;

  @Inject
  private StartSequence start;

  private MessageTopic topic;
  private long periodMs = SHORTEST_PERIOD_MS;

  @PostConstruct
  void prepare() {
    if (settings.messaging().isPresent()) {
      comeBack();
    }
  }

  private void comeBack() {
    timers.createSingleActionTimer(periodMs, new TimerConfig("tasker-topic", false));
  }

  /** One timeout at a time: the next is made when this one has ended. */
  @Timeout
  void publish() {
    try {
      if (!start.isWaiting() && !live.isPaused(Role.ORCHESTRATOR)) {
        boolean hasSent = false;
        while (sendPage()) {
          hasSent = true;
        }
        periodMs = hasSent ? SHORTEST_PERIOD_MS : Math.min(2 * periodMs, LONGEST_PERIOD_MS);
      }
    } catch (Exception fault) {
      periodMs = Math.min(2 * periodMs, LONGEST_PERIOD_MS);
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "claim_event_consumer");
    } finally {
      comeBack();
    }
  }

  /** @return whether events were sent, and more may be there */
  private boolean sendPage() {
    DomainEvents.Claimed page = feed.claimForTopic(server.uuid());
    if (page.events().isEmpty()) {
      if (!page.isClaimed()) {
        closeTopic();
      }
      return false;
    }
    long sent = 0;
    String failure = null;
    try {
      if (topic == null) {
        topic = MessageTopic.open(settings.messaging().orElseThrow());
      }
      for (JsonObject event : page.events()) {
        topic.send(event);
        sent = Long.parseLong(event.getString("sequence"));
      }
      sent = page.position();
    } catch (Exception | LinkageError fault) {
      failure = fault.toString();
      LOG.write(LogEvent.TOPIC_FAILED, fault, "failures", page.failures() + 1, "topic",
          settings.messaging().orElseThrow().topic());
      closeTopic();
    }
    boolean isRecorded = feed.sentToTopic(server.uuid(), sent, failure);
    if (failure == null && page.failures() > 0) {
      LOG.write(LogEvent.TOPIC_BACK, "failures", page.failures(), "topic",
          settings.messaging().orElseThrow().topic());
    }
    return failure == null && isRecorded;
  }

  private void closeTopic() {
    if (topic != null) {
      try {
        topic.close();
      } catch (RuntimeException fault) {
        LOG.write(LogEvent.TOPIC_NOT_CLOSED, "cause", fault);
      }
      topic = null;
    }
  }

  @PreDestroy
  void stop() {
    closeTopic();
  }
}
