package ee.tasker.template.model;

/** How an event travels: through a queue, inside the server, or both. */
public enum DeliveryMode {
  DURABLE, FAST, BROADCAST
}
