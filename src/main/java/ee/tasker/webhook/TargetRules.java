package ee.tasker.webhook;

import ee.tasker.platform.Problem;
import ee.tasker.platform.config.Network;
import ee.tasker.platform.config.Settings.WebhookSettings;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Which addresses a webhook may have, so that it cannot be used to reach what only the servers can
 * reach. The text is checked when a webhook is saved and again
 * before each call; the addresses that its name leads to are checked before each call, which then
 * goes to exactly these. Immutable.
 */
final class TargetRules {
  /** Strict: what other readers might understand differently is refused. */
  private static final Pattern URL = Pattern.compile(
      "(https?)://(\\[[0-9a-fA-F:.]+]|[A-Za-z0-9.-]+)(?::([1-9][0-9]{0,4}))?((?:/[A-Za-z0-9._~!$&'()*+,;=:@/%-]*)?)((?:\\?[A-Za-z0-9._~!$&'()*+,;=:@/?%-]*)?)");
  private static final Pattern NAME = Pattern
      .compile("(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?");
  /**
   * A last label that begins with a digit makes other readers try a number: decimal, octal,
   * hexadecimal.
   */
  private static final Pattern NUMERIC = Pattern.compile("(?:.*\\.)?[0-9][^.]*");
  private static final Pattern IPV4 = Pattern
      .compile("(?:0|[1-9][0-9]{0,2})(?:\\.(?:0|[1-9][0-9]{0,2})){3}");
  private static final int LONGEST = 2_000;

  /**
   * What is not reached over the public network, besides what {@link InetAddress} knows by itself.
   */
  private static final List<Network> CLOSED = Stream
      .of("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
          "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16",
          "198.18.0.0/15", "198.51.100.0/24",
          "203.0.113.0/24", "224.0.0.0/3", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
      .map(Network::parse).toList();
  /** All other addresses of IPv6 are local, reserved, or contain one of IPv4. */
  private static final Network PUBLIC_IPV6 = Network.parse("2000::/3");

  private final WebhookSettings settings;

  TargetRules(WebhookSettings settings) {
    this.settings = settings;
  }

  /**
   * Where a call goes.
   *
   * @param host a name in lower case, or an address, without brackets
   * @param path with the query
   */
  record Target(boolean isTls, String host, int port, String path) {
    /** As the header Host has it. */
    String authority() {
      String name = host.indexOf(':') < 0 ? host : "[" + host + "]";
      return port == (isTls ? 443 : 80) ? name : name + ":" + port;
    }
  }

  /** @throws Problem 400 that names the field {@code url} */
  Target check(String url) {
    if (url.length() > LONGEST) {
      throw Problem.invalid("url", "must have at most " + LONGEST + " characters");
    }
    Matcher matcher = URL.matcher(url);
    if (!matcher.matches()) {
      throw Problem.invalid("url", url.contains("@") ? "must have no user and no password"
          : "must be an address such as https://receiver.example.com/events, in ASCII and without a fragment");
    }
    boolean isTls = "https".equals(matcher.group(1));
    if (!isTls && !settings.isHttpAllowed()) {
      throw Problem.invalid("url", "must begin with https: tasker.webhooks.allow-http is not set");
    }
    int port = matcher.group(3) == null ? isTls ? 443 : 80 : Integer.parseInt(matcher.group(3));
    if (port < 1 || port > 65_535
        || !settings.ports().isEmpty() && !settings.ports().contains(port)) {
      throw Problem.invalid("url", "the port " + port + " is not in tasker.webhooks.allow-ports");
    }
    String path = (matcher.group(4).isEmpty() ? "/" : matcher.group(4)) + matcher.group(5);
    return new Target(isTls, host(matcher.group(2).toLowerCase(Locale.ROOT)), port, path);
  }

  private String host(String text) {
    boolean isIpv6 = text.startsWith("[");
    if (!isIpv6 && !NUMERIC.matcher(text).matches()) {
      if (text.length() > 253 || !NAME.matcher(text).matches()) {
        throw Problem.invalid("url", "the name of the host is not one of the DNS");
      }
      if (text.equals("localhost") || text.endsWith(".localhost")) {
        literal("127.0.0.1");
      }
      return text;
    }
    String address = isIpv6 ? text.substring(1, text.length() - 1) : text;
    if (isIpv6 ? address.indexOf(':') < 0 : !IPV4.matcher(address).matches()) {
      throw Problem.invalid("url",
          "an address must be in its usual form, such as 192.0.2.7 or [2001:db8::7]");
    }
    literal(address);
    return address;
  }

  private void literal(String address) {
    try {
      if (!isAllowed(InetAddress.getByName(address))) {
        throw Problem.invalid("url",
            "the address is not public and not in tasker.webhooks.allow-addresses");
      }
    } catch (UnknownHostException e) {
      throw Problem.invalid("url", "the address cannot be read");
    }
  }

  boolean isAllowed(InetAddress address) {
    if (settings.networks().stream().anyMatch(network -> network.contains(address))) {
      return true;
    }
    return !(address.isAnyLocalAddress() || address.isLoopbackAddress()
        || address.isLinkLocalAddress() || address.isSiteLocalAddress()
        || address.isMulticastAddress()
        || CLOSED.stream().anyMatch(network -> network.contains(address)))
        && (!(address instanceof Inet6Address) || PUBLIC_IPV6.contains(address));
  }
}
