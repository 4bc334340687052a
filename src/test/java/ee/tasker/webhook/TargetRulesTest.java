package ee.tasker.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.platform.Problem;
import ee.tasker.platform.config.Network;
import ee.tasker.platform.config.Settings.WebhookSettings;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Webhooks reach the public network, and what the configuration allows. */
class TargetRulesTest {
  static final WebhookSettings CLOSED = new WebhookSettings(false, Set.of(443, 8443), List.of(), 4);
  static final WebhookSettings OPEN = new WebhookSettings(true, Set.of(),
      List.of(Network.parse("127.0.0.0/8"), Network.parse("::1")), 4);

  private final TargetRules rules = new TargetRules(CLOSED);

  @ParameterizedTest
  @ValueSource(strings = {"https://books.example.com", "https://books.example.com/in?to=a%20b",
    "https://BOOKS.example.com:8443/",
    "https://8.8.8.8/", "https://[2606:4700::1111]/in", "https://localhost.example.com/",
    "https://x2.y-3.example/"})
  void public_addresses_are_allowed(String url) {
    assertThat(rules.check(url).path()).startsWith("/");
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://books.example.com/", "ftp://books.example.com/",
    "https://ann:pw@books.example.com/",
    "https://books.example.com:22/", "https://books.example.com:0443/",
    "https://books.example.com/#part", "https://books.example.com/a b",
    "https:/books.example.com/", "https://", "https:///in", "https://books_.example.com/",
    "https://-a.example.com/", "https://a..b/",
    "https://books.example.com./", "https://bücher.example/",
    "https://books.example.com\\@127.0.0.1/", "https://books.example.com/\n",
    "https://localhost/", "https://LOCALHOST/", "https://sub.localhost/", "https://127.0.0.1/",
    "https://127.1/", "https://2130706433/",
    "https://0x7f000001/", "https://0x7f.0.0.1/", "https://0177.0.0.1/", "https://127.0.0.1.:443/",
    "https://0/", "https://0.0.0.0/",
    "https://10.1.2.3/", "https://172.16.0.1/", "https://192.168.1.1/",
    "https://169.254.169.254/latest/meta-data", "https://100.64.0.1/",
    "https://224.0.0.1/", "https://255.255.255.255/", "https://198.18.0.1/", "https://[::1]/",
    "https://[::]/", "https://[fe80::1]/",
    "https://[fd00::1]/", "https://[fc00::1]/", "https://[ff02::1]/", "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://[::127.0.0.1]/", "https://[64:ff9b::7f00:1]/", "https://[2002:7f00:1::]/",
    "https://[2001:0:7f00:1::]/",
    "https://[2001:db8::1]/", "https://[fe80::1%25eth0]/", "https://[]/", "https://[1.2.3.4]/",
    "https://8.8.8.8.8/", "https://8.8.8.08/",
    "https://8.8.8.256/"})
  void all_others_are_refused(String url) {
    assertThatThrownBy(() -> rules.check(url)).isInstanceOfSatisfying(Problem.class,
        problem -> assertThat(problem.violations()).singleElement()
            .satisfies(each -> assertThat(each.field()).isEqualTo("url")));
  }

  @Test
  void the_configuration_can_allow_more() throws UnknownHostException {
    TargetRules open = new TargetRules(OPEN);
    assertThat(open.check("http://127.0.0.1:8080/in"))
        .isEqualTo(new TargetRules.Target(false, "127.0.0.1", 8080, "/in"));
    assertThat(open.check("http://localhost/").authority()).isEqualTo("localhost");
    assertThat(open.check("https://[::1]:8443/").authority()).isEqualTo("[::1]:8443");
    assertThat(open.isAllowed(InetAddress.getByName("10.0.0.1"))).isFalse();
  }

  @Test
  void networks_are_compared_bit_by_bit() throws UnknownHostException {
    Network network = Network.parse("10.128.0.0/9");
    assertThat(network.contains(InetAddress.getByName("10.128.0.1"))).isTrue();
    assertThat(network.contains(InetAddress.getByName("10.127.255.255"))).isFalse();
    assertThat(network.contains(InetAddress.getByName("2001:db8::1"))).isFalse();
    for (String wrong : List.of("books.example.com", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/",
        "10.0.0/8", "")) {
      assertThatThrownBy(() -> Network.parse(wrong)).as(wrong)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
