package ee.tasker.platform;

import jakarta.enterprise.context.ApplicationScoped;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.UUID;

/**
 * Who this server is: a uuid drawn at every boot, so that a restarted server is never taken for the one that died. It is
 * recorded with every move as the processor, for audit; no decision depends on it.
 */
@ApplicationScoped
public class ServerIdentity {
  private final UUID uuid = UUID.randomUUID();
  private final String name = hostName() + ":" + ProcessHandle.current().pid();

  public UUID uuid() {
    return uuid;
  }

  /** Host and process, for people. */
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
