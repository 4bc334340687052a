package ee.tasker.platform.config;

import jakarta.enterprise.context.ApplicationScoped;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.UUID;

/**
 * The identity of this server: a uuid generated at every start, so that a restarted server is never
 * mistaken for the one
 * that crashed. Every move records it as the processor, for audit; no decision depends on it.
 */
@ApplicationScoped
public class ServerIdentity {
  private final UUID uuid = UUID.randomUUID();
  private final String name = hostName() + ":" + ProcessHandle.current().pid();

  public UUID uuid() {
    return uuid;
  }

  /** Host and process, for display. */
  public String name() {
    return name;
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "localhost";
    }
  }
}
