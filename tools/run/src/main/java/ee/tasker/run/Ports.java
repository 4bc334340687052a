package ee.tasker.run;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;

/**
 * Checks whether a port is in use, before starting something that would fail later and less
 * clearly.
 */
final class Ports {

  private Ports() {}

  /** The given port if it is free, otherwise any other. */
  static int freeNear(int port) {
    if (port < 65536 && isFree(port))
      return port;
    try (var socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new RunProblem("There is no free port: " + e.getMessage(), e);
    }
  }

  static boolean isFree(int port) {
    try (var socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port));
    } catch (IOException e) {
      return false;
    }
    return !listensOnLocalhost(port);
  }

  /**
   * What a browser means by localhost may also be ::1, where another server can listen beside ours.
   */
  private static boolean listensOnLocalhost(int port) {
    try {
      for (var address : InetAddress.getAllByName("localhost")) {
        try (var socket = new Socket()) {
          socket.connect(new InetSocketAddress(address, port), 1_000);
          return true;
        } catch (IOException e) {
          // not there
        }
      }
    } catch (UnknownHostException e) {
      // then the banner's address leads nowhere else either
    }
    return false;
  }
}
