package ee.tasker.platform.config;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/**
 * A range of addresses, {@code 10.1.0.0/16} or {@code fd00::/8}; a single address without a slash.
 *
 * @param prefix how many of the first bits are common to its addresses
 */
public record Network(InetAddress base, int prefix) {
  private static final Pattern LITERAL = Pattern
      .compile("\\d{1,3}(\\.\\d{1,3}){3}|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*");

  public Network {
    if (prefix < 0 || prefix > base.getAddress().length * 8) {
      throw new IllegalArgumentException("a prefix of " + prefix + " bits is impossible");
    }
  }

  /** @throws IllegalArgumentException when the text is no network; names are never resolved */
  public static Network parse(String text) {
    String[] parts = text.strip().split("/", -1);
    if (parts.length > 2 || !LITERAL.matcher(parts[0]).matches()) {
      throw new IllegalArgumentException("not a network: " + text);
    }
    try {
      InetAddress base = InetAddress.getByName(parts[0]);
      return new Network(base,
          parts.length == 1 ? base.getAddress().length * 8 : Integer.parseInt(parts[1]));
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("not a network: " + text, e);
    }
  }

  public boolean contains(InetAddress address) {
    byte[] mine = base.getAddress();
    byte[] other = address.getAddress();
    if (mine.length != other.length) {
      return false;
    }
    for (int bit = 0; bit < prefix; bit++) {
      if (((mine[bit / 8] ^ other[bit / 8]) >> (7 - bit % 8) & 1) != 0) {
        return false;
      }
    }
    return true;
  }
}
