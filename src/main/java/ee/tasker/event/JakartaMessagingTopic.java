package ee.tasker.event;

import ee.tasker.platform.config.Settings.MessagingSettings;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.DeliveryMode;
import jakarta.jms.Destination;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.TextMessage;
import jakarta.json.JsonObject;
import java.util.Map;
import javax.naming.InitialContext;
import javax.naming.NamingException;

/**
 * Sends CloudEvents in the JSON format as persistent text messages. The only class that needs the
 * API of Jakarta Messaging: it is loaded when a topic is
 * configured, because not every server has that API. Its objects are found by name for the same
 * reason.
 *
 * <p>Properties of a message: {@code JMSType} and {@code type}, {@code id}, {@code source}, {@code
 * subject}, {@code partitionkey}, {@code
 * taskernamespace}, {@code taskertemplate}; {@code JMSCorrelationID} is the correlation id of the
 * task, {@code JMSXGroupID} the partition key, so
 * that a broker with message groups keeps the events of a task in order.
 */
final class JakartaMessagingTopic implements MessageTopic {
  private static final Map<String, String> PROPERTIES = Map.of("id", "id", "type", "type", "source",
      "source", "subject", "subject",
      "partitionkey", "partitionkey", "taskernamespace", "taskernamespace", "taskertemplate",
      "taskertemplate", "JMSXGroupID",
      "partitionkey");

  private final JMSContext context;
  private final Destination topic;

  private JakartaMessagingTopic(JMSContext context, Destination topic) {
    this.context = context;
    this.topic = topic;
  }

  static MessageTopic open(MessagingSettings settings) throws NamingException {
    InitialContext names = new InitialContext();
    try {
      Destination topic = (Destination) names.lookup(settings.topic());
      ConnectionFactory factory = (ConnectionFactory) names.lookup(settings.connectionFactory());
      return new JakartaMessagingTopic(factory.createContext(), topic);
    } finally {
      names.close();
    }
  }

  @Override
  public void send(JsonObject event) throws JMSException {
    TextMessage message = context.createTextMessage(event.toString());
    message.setJMSType(event.getString("type"));
    message.setJMSCorrelationID(event.getString("taskercorrelation", null));
    for (Map.Entry<String, String> property : PROPERTIES.entrySet()) {
      message.setStringProperty(property.getKey(), event.getString(property.getValue()));
    }
    context.createProducer().setDeliveryMode(DeliveryMode.PERSISTENT).send(topic, message);
  }

  @Override
  public void close() {
    context.close();
  }
}
