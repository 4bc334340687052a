package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.platform.DatabaseFaults;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers({"calculate_backoff_delay", "canonical_json", "calculate_identity_hash",
  "extract_queue_namespace", "merge_replies",
  "is_transient_error", "get_longest_cron_gap"})
class PureFunctionsTest {
  private final Sql sql = Sql.open();

  @Test
  void each_kind_of_backoff_has_its_curve_up_to_the_cap() {
    assertThat(curve("exponential")).isEqualTo("1000 2000 4000 8000 16000 32000 60000");
    assertThat(curve("linear")).isEqualTo("1000 2000 3000 4000 5000 6000 7000");
    assertThat(curve("fibonacci")).isEqualTo("1000 1000 2000 3000 5000 8000 13000");
    assertThat(curve("none")).isEqualTo("0 0 0 0 0 0 0");
    assertThat(sql.number("select tasker.calculate_backoff_delay(2000000000)")).isEqualTo(60_000);
    assertThat(sql.number("select tasker.calculate_backoff_delay(0)")).isEqualTo(1000);
    assertThat(sql.number("select tasker.calculate_backoff_delay(1, p_jitter => 0.15)"))
        .isEqualTo(1150);
    assertThat(sql.number("select tasker.calculate_backoff_delay(9, p_jitter => -0.15)"))
        .isEqualTo(51_000);
  }

  @Test
  void the_longest_gap_of_a_cron_expression_is_no_shorter_than_its_days_allow() {
    assertThat(sql.texts("""
        select extract(day from tasker.get_longest_cron_gap(cron))::text
        from unnest(array['*/5 * * * *', '0 3 * * MON-FRI', '0 3 31 * *', '0 3 1 1 *', '0 3 29 2 *',
          '0 3 * 2 *', '0 3 13 * FRI', ' @Daily ', '@weekly', '@monthly', '@yearly'])
          with ordinality as c(cron, n) order by n"""))
        .containsExactly("3", "9", "64", "2925", "2925", "376", "9", "3", "9", "33", "368");
    assertThat(sql.text("select tasker.get_longest_cron_gap('0 3 *')::text")).isNull();
    assertThat(sql.text("select tasker.get_longest_cron_gap(null)::text")).isNull();
  }

  private String curve(String kind) {
    return sql.text(
        "select string_agg(tasker.calculate_backoff_delay(n, 1000, ?)::text, ' ' order by n) from generate_series(1, 7) n",
        kind);
  }

  @Test
  void json_has_one_canonical_text() {
    assertThat(sql.texts(
        "select distinct tasker.canonical_json(v::jsonb) from (values ('{\"b\":1,\"aa\":[1.0,2.50]}'), (' {\"aa\": [1,2.5],\"b\":1.00}')) t(v)"))
        .hasSize(1);
    assertThat(sql.text("select tasker.canonical_json('[\"1.0\", 1.0, 100, 1e2, null, {}]')"))
        .isEqualTo("[\"1.0\", 1, 100, 100, null, {}]");
    assertThat(sql.text("select tasker.canonical_json('0.10')")).isEqualTo("0.1");
  }

  @Test
  void requests_differ_by_namespace_name_version_and_context() {
    String hash = "select encode(tasker.calculate_identity_hash(?, ?, ?, ?, ?, ?), 'hex')";
    List<String> hashes = List.of(
        sql.text(hash, "strict", "a", "b", "1", "{\"x\": 1}", null),
        sql.text(hash, "strict", "a2", "b", "1", "{\"x\": 1}", null),
        sql.text(hash, "strict", "a", "b2", "1", "{\"x\": 1}", null),
        sql.text(hash, "strict", "a", "b", "2", "{\"x\": 1}", null),
        sql.text(hash, "strict", "a", "b", "1", "{\"x\": 2}", null),
        sql.text(hash, "strict", "a", "b", "1", "{\"x\": 1}", "k"));
    assertThat(hashes).doesNotHaveDuplicates().allMatch(h -> h.length() == 64);
    assertThat(sql.text(hash, "strict", "a", "b", "1", "{\"x\": 1.0}", null))
        .isEqualTo(hashes.get(0));
    assertThat(sql.text(hash, "always_unique", "a", "b", "1", "{}", null)).isNull();
    assertThat(sql.text(hash, "always_unique", "a", "b", "1", "{}", "k")).isNotNull();
  }

  @Test
  void two_replies_are_one_and_name_each_namespace_once() {
    assertThat(sql.text(
        "select tasker.merge_replies('{\"ended\": [1], \"queued\": [\"a\", \"b\"], \"tasks\": 3}', "
            + "'{\"queued\": [\"b\", \"c\", \"c\"], \"ended\": [2, 2], \"faulty\": []}') = "
            + "'{\"ended\": [1, 2, 2], \"queued\": [\"a\", \"b\", \"c\"], \"tasks\": 3, \"faulty\": []}'"))
        .isEqualTo("t");
    assertThat(sql.text("select tasker.merge_replies('{\"queued\": []}', '{}')"))
        .isEqualTo("{\"queued\": []}");
    assertThat(sql.text("select tasker.merge_replies('{\"queued\": []}', '{\"queued\": []}')"))
        .isEqualTo("{\"queued\": []}");
  }

  @Test
  void an_error_of_the_server_is_transient_and_one_of_the_data_is_not() {
    assertThat(
        sql.texts(
            "select s from unnest(array['08006', '40P01', '53300', '55P03', '57014', '22023', '23505', 'TK007', '42883', 'P0001']) s "
                + "where tasker.is_transient_error(s)"))
        .containsExactly("08006", "40P01", "53300", "55P03", "57014");
  }

  @Test
  void the_servers_call_the_same_errors_transient() {
    List<String> characters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ".chars()
        .mapToObj(Character::toString).toList();
    List<String> states = characters.stream()
        .flatMap(first -> characters.stream().map(second -> first + second))
        .flatMap(kind -> Stream
            .of("000", "001", "006", "014", "030", "100", "200", "300", "P01", "P02", "P03")
            .map(kind::concat))
        .toList();

    assertThat(
        sql.texts("select s from unnest(?::text[]) s where tasker.is_transient_error(s)", states))
        .isNotEmpty()
        .containsExactlyInAnyOrderElementsOf(
            states.stream().filter(DatabaseFaults::isTransient).toList());
  }

  @Test
  void a_queue_name_stands_for_its_namespace() {
    assertThat(sql.texts(
        "select tasker.extract_queue_namespace(q) from unnest(array['worker_a_b_queue', 'worker__queue', "
            + "'worker_queue', 'billing_queue', 'orchestration_x', '9_queue', 'odd', null]) q"))
        .containsExactly("a_b", "worker", "worker", "billing", "orchestration", "default",
            "default", "default");
  }
}
