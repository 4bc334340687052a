package ee.tasker.event;

import ee.tasker.platform.config.Settings.MessagingSettings;
import jakarta.json.JsonObject;

/** A connection to a topic of Jakarta Messaging. Not thread-safe. */
interface MessageTopic extends AutoCloseable {

  /** Where Jakarta Messaging is not part of the server, the failure is a {@link LinkageError}. */
  static MessageTopic open(MessagingSettings settings) throws Exception {
    return JakartaMessagingTopic.open(settings);
  }

  /** Sends an event, and returns when the broker has it. */
  void send(JsonObject event) throws Exception;

  @Override
  void close();
}
