package ee.tasker.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports that no connection is given for its own end: those begin at 32768 or later. A test that
 * stops a server and starts it again on its port would otherwise find it taken now
 * and then, most likely by a client that keeps trying to reach that server.
 */
public final class FreePort {
  private static final int FIRST = 20_000;
  private static final int END = 32_000;
  private static final int TRIES = 1_000;

  private FreePort() {
  }

  public static int find() {
    IOException taken = null;
    for (int i = 0; i < TRIES; i++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, END);
      try (ServerSocket socket = new ServerSocket()) {
        socket.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port));
        return port;
      } catch (IOException e) {
        taken = e;
      }
    }
    throw new IllegalStateException("There is no free port", taken);
  }
}
