package ee.tasker.testing.topic;

import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import javax.naming.InitialContext;
import javax.naming.NamingException;

/**
 * A durable subscriber of the topic in the server: the first request subscribes, each answers with
 * what has come since, as it came.
 */
@WebServlet("/testing-topic")
public class TopicServlet extends HttpServlet {
  private static final long serialVersionUID = 1L;
  private static final long WITHIN_MS = 1_000;

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws ServletException, IOException {
    JsonArrayBuilder messages = Json.createArrayBuilder();
    try {
      InitialContext names = new InitialContext();
      ConnectionFactory factory = (ConnectionFactory) names
          .lookup(System.getenv("TASKER_EVENTS_MESSAGING_CONNECTION_FACTORY"));
      Topic topic = (Topic) names.lookup(System.getenv("TASKER_EVENTS_MESSAGING_TOPIC"));
      try (JMSContext context = factory.createContext();
          JMSConsumer consumer = context.createSharedDurableConsumer(topic, "test")) {
        for (TextMessage message = (TextMessage) consumer
            .receive(WITHIN_MS); message != null; message = (TextMessage) consumer
                .receive(WITHIN_MS)) {
          messages.add(Json.createObjectBuilder()
              .add("body",
                  Json.createReader(new java.io.StringReader(message.getText())).readObject())
              .add("jms_type", message.getJMSType())
              .add("correlation", message.getJMSCorrelationID())
              .add("group", message.getStringProperty("JMSXGroupID"))
              .add("id", message.getStringProperty("id"))
              .add("persistent",
                  message.getJMSDeliveryMode() == jakarta.jms.DeliveryMode.PERSISTENT));
        }
      }
    } catch (NamingException | JMSException e) {
      throw new ServletException(e);
    }
    response.setContentType("application/json");
    response.setCharacterEncoding("UTF-8");
    response.getWriter().write(messages.build().toString());
  }
}
