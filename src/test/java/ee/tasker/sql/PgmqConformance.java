package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What pgmq's functions do: of what holds for our own ({@link PgmqConformanceTest}) and for those
 * of its makers ({@link PgmqOfItsMakersTest}), everything may be relied upon.
 */
abstract class PgmqConformance {

  /** As {@code pgmq.message_record} has them, in this order. */
  private record Message(long id, int reads, OffsetDateTime enqueuedAt, OffsetDateTime visibleAt,
      String message, String headers) {
  }

  private Connection connection;
  private final List<String> queues = new ArrayList<>();

  abstract Connection connect() throws SQLException;

  @BeforeEach
  void begin() throws SQLException {
    connection = connect();
    create("conform");
  }

  @AfterEach
  void drop() throws SQLException {
    for (String queue : queues) {
      text("select pgmq.drop_queue(?)", queue);
    }
    connection.close();
  }

  // ---- signatures

  /**
   * Newer releases have added arguments with defaults at the end; calls as here work with all of
   * them.
   */
  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      create       | queue_name text                                                                              | void
      send         | queue_name text, msg jsonb                                                                   | SETOF bigint
      send         | queue_name text, msg jsonb, headers jsonb                                                    | SETOF bigint
      send         | queue_name text, msg jsonb, delay integer                                                    | SETOF bigint
      send         | queue_name text, msg jsonb, delay timestamp with time zone                                   | SETOF bigint
      send         | queue_name text, msg jsonb, headers jsonb, delay integer                                     | SETOF bigint
      send         | queue_name text, msg jsonb, headers jsonb, delay timestamp with time zone                    | SETOF bigint
      send_batch   | queue_name text, msgs jsonb[]                                                                | SETOF bigint
      send_batch   | queue_name text, msgs jsonb[], headers jsonb[]                                               | SETOF bigint
      send_batch   | queue_name text, msgs jsonb[], delay integer                                                 | SETOF bigint
      send_batch   | queue_name text, msgs jsonb[], delay timestamp with time zone                                | SETOF bigint
      send_batch   | queue_name text, msgs jsonb[], headers jsonb[], delay integer                                | SETOF bigint
      send_batch   | queue_name text, msgs jsonb[], headers jsonb[], delay timestamp with time zone               | SETOF bigint
      read         | queue_name text, vt integer, qty integer, conditional jsonb                                  | SETOF pgmq.message_record
      pop          | queue_name text                                                                              | SETOF pgmq.message_record
      set_vt       | queue_name text, msg_id bigint, vt integer                                                   | SETOF pgmq.message_record
      delete       | queue_name text, msg_id bigint                                                               | boolean
      delete       | queue_name text, msg_ids bigint[]                                                            | SETOF bigint
      archive      | queue_name text, msg_id bigint                                                               | boolean
      archive      | queue_name text, msg_ids bigint[]                                                            | SETOF bigint
      metrics      | queue_name text                                                                              | pgmq.metrics_result
      metrics_all  | ''                                                                                           | SETOF pgmq.metrics_result
      purge_queue  | queue_name text                                                                              | bigint
      drop_queue   | queue_name text                                                                              | boolean
      list_queues  | ''                                                                                           | SETOF pgmq.queue_record
      read_with_poll              | queue_name text, vt integer, qty integer, max_poll_seconds integer, poll_interval_ms integer, conditional jsonb | SETOF pgmq.message_record
      create_non_partitioned      | queue_name text                                                               | void
      create_unlogged             | queue_name text                                                               | void
      create_partitioned          | queue_name text, partition_interval text, retention_interval text              | void
      convert_archive_partitioned | table_name text, partition_interval text, retention_interval text, leading_partition integer | void
      drop_queue                  | queue_name text, partitioned boolean                                           | boolean
      detach_archive              | queue_name text                                                               | void
      validate_queue_name         | queue_name text                                                               | void
      """)
  void function_has_the_arguments_and_the_result(String name, String arguments, String result)
      throws SQLException {
    List<String> found = texts(
        "select pg_get_function_identity_arguments(p.oid) || ' -> ' || pg_get_function_result(p.oid) "
            + "from pg_proc p where p.pronamespace = 'pgmq'::regnamespace and p.proname = ? and cardinality(string_to_array(?, ',')) between p.pronargs - p.pronargdefaults and p.pronargs",
        name, arguments);

    assertThat(found).anyMatch(
        signature -> signature.startsWith(arguments) && signature.endsWith("-> " + result));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      message_record | msg_id bigint, read_ct integer, enqueued_at timestamp with time zone, vt timestamp with time zone, message jsonb, headers jsonb
      queue_record   | queue_name character varying, is_partitioned boolean, is_unlogged boolean, created_at timestamp with time zone
      metrics_result | queue_name text, queue_length bigint, newest_msg_age_sec integer, oldest_msg_age_sec integer, total_messages bigint, scrape_time timestamp with time zone, queue_visible_length bigint
      """)
  void record_has_the_columns_and_their_types(String type, String columns) throws SQLException {
    assertThat(
        text(
            "select string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', ' order by a.attnum) from pg_attribute a "
                + "where a.attrelid = ('pgmq.' || ?)::regclass and a.attnum > 0 and not a.attisdropped",
            type))
        .isEqualTo(columns);
  }

  // ---- send

  @Test
  void messages_are_numbered_from_1_in_the_order_they_are_sent() throws SQLException {
    assertThat(send("{\"n\": 1}")).isEqualTo(1);
    assertThat(send("{\"n\": 2}")).isEqualTo(2);
    assertThat(numbers("select pgmq.send_batch('conform', ?)", array("{\"n\": 3}", "{\"n\": 4}")))
        .containsExactly(3L, 4L);

    List<Message> all = read(30, 10);
    assertThat(all).extracting(Message::message).containsExactly("{\"n\": 1}", "{\"n\": 2}",
        "{\"n\": 3}", "{\"n\": 4}");
    assertThat(all).extracting(Message::headers).containsOnlyNulls();
  }

  @Test
  void message_may_be_any_json_and_also_nothing() throws SQLException {
    for (String message : new String[]{"{}", "[1, 2]", "\"text\"", "7", "null",
      "{\"quote\": \"it's\", \"percent\": \"%s %I\"}"}) {
      send(message);
    }
    numbers("select pgmq.send('conform', null::jsonb)");

    assertThat(read(30, 10)).extracting(Message::message)
        .containsExactly("{}", "[1, 2]", "\"text\"", "7", "null",
            "{\"quote\": \"it's\", \"percent\": \"%s %I\"}", null);
  }

  @Test
  void empty_batch_sends_nothing() throws SQLException {
    assertThat(numbers("select pgmq.send_batch('conform', ?)", array())).isEmpty();
    assertThat(read(30, 10)).isEmpty();
  }

  @Test
  void headers_travel_beside_the_message() throws SQLException {
    numbers("select pgmq.send('conform', '{\"n\": 1}'::jsonb, '{\"trace\": \"a\"}'::jsonb)");
    numbers("select pgmq.send_batch('conform', ?, ?)", array("{\"n\": 2}", "{\"n\": 3}"),
        array("{\"trace\": \"b\"}", null));

    assertThat(read(30, 10)).extracting(Message::headers).containsExactly("{\"trace\": \"a\"}",
        "{\"trace\": \"b\"}", null);
  }

  @Test
  void batch_with_fewer_headers_than_messages_leaves_the_rest_without() throws SQLException {
    numbers("select pgmq.send_batch('conform', ?, ?)",
        array("{\"n\": 1}", "{\"n\": 2}", "{\"n\": 3}"), array("{\"trace\": \"a\"}"));

    assertThat(read(30, 10)).extracting(Message::headers).containsExactly("{\"trace\": \"a\"}",
        null, null);
  }

  @ParameterizedTest
  @ValueSource(strings = {
    "select pgmq.send('conform', '{}'::jsonb, 100)",
    "select pgmq.send('conform', '{}'::jsonb, clock_timestamp() + interval '100 s')",
    "select pgmq.send('conform', '{}'::jsonb, '{}'::jsonb, 100)",
    "select pgmq.send('conform', '{}'::jsonb, '{}'::jsonb, clock_timestamp() + interval '100 s')",
    "select pgmq.send_batch('conform', array['{}'::jsonb], 100)",
    "select pgmq.send_batch('conform', array['{}'::jsonb], clock_timestamp() + interval '100 s')",
    "select pgmq.send_batch('conform', array['{}'::jsonb], array['{}'::jsonb], 100)",
    "select pgmq.send_batch('conform', array['{}'::jsonb], array['{}'::jsonb], clock_timestamp() + interval '100 s')"})
  void delayed_message_is_there_and_not_to_be_read_before_its_time(String sending)
      throws SQLException {
    assertThat(numbers(sending)).containsExactly(1L);

    assertThat(read(30, 10)).isEmpty();
    assertThat(messages("select * from pgmq.pop('conform')")).isEmpty();
    Message due = messages("select * from pgmq.set_vt('conform', 1, 0)").get(0);
    assertThat(Duration.between(due.enqueuedAt(), due.visibleAt())).isBetween(Duration.ZERO,
        Duration.ofSeconds(30));
    assertThat(read(30, 10)).hasSize(1);
  }

  // ---- read, pop, set_vt

  @Test
  void reading_hides_a_message_for_its_time_and_counts() throws SQLException {
    send("{}");
    Message first = read(30, 1).get(0);

    assertThat(first.reads()).isEqualTo(1);
    assertThat(secondsFromNow(first)).isBetween(25.0, 30.0);
    assertThat(read(30, 1)).isEmpty();
    messages("select * from pgmq.set_vt('conform', 1, 0)");
    assertThat(read(0, 1)).extracting(Message::reads).containsExactly(2);
    assertThat(read(0, 1)).as("a time of 0 hides nothing").extracting(Message::reads)
        .containsExactly(3);
  }

  @Test
  void reading_gives_the_oldest_and_no_more_than_asked_for() throws SQLException {
    numbers("select pgmq.send_batch('conform', ?)", array("1", "2", "3", "4", "5"));

    assertThat(read(30, 0)).isEmpty();
    assertThat(read(30, 2)).extracting(Message::id).containsExactly(1L, 2L);
    assertThat(read(30, 2)).extracting(Message::id).containsExactly(3L, 4L);
    assertThat(read(30, 100)).extracting(Message::id).containsExactly(5L);
  }

  @Test
  void reading_may_be_limited_to_messages_that_contain_something() throws SQLException {
    numbers("select pgmq.send_batch('conform', ?)",
        array("{\"kind\": \"a\", \"n\": 1}", "{\"kind\": \"b\"}", "{\"kind\": \"a\", \"n\": 2}"));

    assertThat(messages("select * from pgmq.read('conform', 30, 10, '{\"kind\": \"a\"}')"))
        .extracting(Message::id).containsExactly(1L, 3L);
    assertThat(messages("select * from pgmq.read('conform', 30, 10, '{}')")).extracting(Message::id)
        .containsExactly(2L);
  }

  @Test
  void no_condition_is_said_with_null_as_well() throws SQLException {
    numbers("select pgmq.send_batch('conform', ?)", array("{\"kind\": \"a\"}", "7", "null"));

    assertThat(messages("select * from pgmq.read('conform', 30, 10, null)")).hasSize(3);
  }

  @Test
  void polling_answers_at_once_when_there_is_a_message() throws SQLException {
    numbers("select pgmq.send_batch('conform', ?)",
        array("{\"kind\": \"a\"}", "{\"kind\": \"b\"}"));

    assertThat(messages("select * from pgmq.read_with_poll('conform', 30, 1)")).hasSize(1);
    assertThat(messages(
        "select * from pgmq.read_with_poll('conform', 30, 10, 5, 50, '{\"kind\": \"b\"}')"))
        .extracting(Message::message)
        .containsExactly("{\"kind\": \"b\"}");
  }

  @Test
  void polling_waits_for_a_message_of_another_session_within_its_limit() throws Exception {
    long start = System.nanoTime();
    assertThat(messages("select * from pgmq.read_with_poll('conform', 30, 1, 1, 50)")).isEmpty();
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isGreaterThanOrEqualTo(Duration.ofMillis(900));
    var polled = java.util.concurrent.CompletableFuture.supplyAsync(() -> {
      try {
        return messages("select * from pgmq.read_with_poll('conform', 30, 1, 60, 50)");
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    });
    try (Connection other = connect(); var statement = other.createStatement()) {
      statement.execute("select pgmq.send('conform', '{\"n\": 1}'::jsonb)");
    }
    assertThat(polled.get(90, java.util.concurrent.TimeUnit.SECONDS)).hasSize(1);
  }

  @Test
  void message_that_another_reads_just_now_is_skipped() throws SQLException {
    numbers("select pgmq.send_batch('conform', ?)", array("1", "2"));
    try (Connection other = connect()) {
      other.setAutoCommit(false);
      try (var statement = other.createStatement();
          ResultSet rows = statement
              .executeQuery("select msg_id from pgmq.read('conform', 0, 1)")) {
        assertThat(rows.next()).isTrue();
        assertThat(rows.getLong(1)).isEqualTo(1);
        assertThat(read(0, 10)).extracting(Message::id).containsExactly(2L);
        assertThat(messages("select * from pgmq.pop('conform')")).extracting(Message::id)
            .containsExactly(2L);
      }
      other.rollback();
    }
    assertThat(read(0, 10)).as("what was rolled back was not read")
        .extracting(Message::id, Message::reads)
        .containsExactly(org.assertj.core.groups.Tuple.tuple(1L, 1));
  }

  @Test
  void popping_takes_the_oldest_away_and_counts_nothing() throws SQLException {
    numbers("select pgmq.send_batch('conform', ?)", array("1", "2"));

    assertThat(messages("select * from pgmq.pop('conform')"))
        .extracting(Message::id, Message::reads, Message::message)
        .containsExactly(org.assertj.core.groups.Tuple.tuple(1L, 0, "1"));
    assertThat(messages("select * from pgmq.pop('conform')")).extracting(Message::id)
        .containsExactly(2L);
    assertThat(messages("select * from pgmq.pop('conform')")).isEmpty();
  }

  @Test
  void visibility_is_set_anew_from_now_and_nothing_else_changes() throws SQLException {
    send("{}");
    read(30, 1);

    Message set = messages("select * from pgmq.set_vt('conform', 1, 300)").get(0);
    assertThat(secondsFromNow(set)).isBetween(295.0, 300.0);
    assertThat(set.reads()).isEqualTo(1);
    assertThat(secondsFromNow(messages("select * from pgmq.set_vt('conform', 1, -10)").get(0)))
        .isBetween(-15.0, -10.0);
    assertThat(messages("select * from pgmq.set_vt('conform', 99, 10)")).isEmpty();
  }

  // ---- delete, archive, purge

  @Test
  void deleting_says_what_was_there() throws SQLException {
    numbers("select pgmq.send_batch('conform', ?)", array("1", "2", "3"));

    assertThat(flag("select pgmq.delete('conform', 1)")).isTrue();
    assertThat(flag("select pgmq.delete('conform', 1)")).isFalse();
    assertThat(numbers("select pgmq.delete('conform', array[1, 2, 3, 4]::bigint[])"))
        .containsExactlyInAnyOrder(2L, 3L);
    assertThat(numbers("select pgmq.delete('conform', array[]::bigint[])")).isEmpty();
    assertThat(read(0, 10)).isEmpty();
  }

  @Test
  void archiving_keeps_the_message_elsewhere_as_it_was() throws SQLException {
    numbers("select pgmq.send('conform', '{\"n\": 1}'::jsonb, '{\"trace\": \"a\"}'::jsonb)");
    numbers("select pgmq.send_batch('conform', ?)", array("2", "3"));
    Message first = read(30, 1).get(0);

    assertThat(flag("select pgmq.archive('conform', 1)")).isTrue();
    assertThat(flag("select pgmq.archive('conform', 1)")).isFalse();
    assertThat(numbers("select pgmq.archive('conform', array[1, 2, 3]::bigint[])"))
        .containsExactlyInAnyOrder(2L, 3L);
    assertThat(read(0, 10)).isEmpty();
    assertThat(messages(
        "select msg_id, read_ct, enqueued_at, vt, message, headers from pgmq.a_conform where msg_id = 1"))
        .containsExactly(first);
    assertThat(text(
        "select count(*) from pgmq.a_conform where archived_at between now() - interval '1 minute' and clock_timestamp()"))
        .isEqualTo("3");
  }

  @Test
  void purging_empties_the_queue_says_how_many_and_goes_on_counting() throws SQLException {
    numbers("select pgmq.send_batch('conform', ?)", array("1", "2", "3"));
    read(30, 1);

    assertThat(text("select pgmq.purge_queue('conform')")).as("those that are hidden too")
        .isEqualTo("3");
    assertThat(text("select pgmq.purge_queue('conform')")).isEqualTo("0");
    assertThat(send("4")).isEqualTo(4);
  }

  // ---- queues

  @Test
  void metrics_of_a_queue_that_was_never_used() throws SQLException {
    assertThat(text(
        "select concat_ws(' ', queue_name, queue_length, total_messages, queue_visible_length) from pgmq.metrics('conform')"))
        .isEqualTo("conform 0 0 0");
    assertThat(
        flag(
            "select newest_msg_age_sec is null and oldest_msg_age_sec is null and scrape_time is not null from pgmq.metrics('conform')"))
        .isTrue();
  }

  @Test
  void metrics_count_what_is_there_what_is_visible_and_what_ever_was() throws SQLException {
    numbers("select pgmq.send_batch('conform', ?)", array("1", "2", "3", "4"));
    flag("select pgmq.delete('conform', 4)");
    read(30, 1);
    text(
        "with aged as (update pgmq.q_conform set enqueued_at = now() - msg_id * interval '100 s' returning 1) select count(*) from aged");

    assertThat(text(
        "select concat_ws(' ', queue_length, queue_visible_length, total_messages, newest_msg_age_sec / 10, oldest_msg_age_sec / 10) from pgmq.metrics('conform')"))
        .isEqualTo("3 2 4 10 30");
    assertThat(texts("select queue_name || ' ' || queue_length from pgmq.metrics_all()"))
        .contains("conform 3");
  }

  @Test
  void making_a_queue_twice_changes_nothing() throws SQLException {
    send("1");
    text("select pgmq.create('conform')");

    assertThat(read(30, 10)).hasSize(1);
    assertThat(texts("select queue_name from pgmq.list_queues()")).containsOnlyOnce("conform");
    assertThat(text(
        "select concat_ws(' ', is_partitioned, is_unlogged, created_at between now() - interval '1 minute' and clock_timestamp()) from pgmq.list_queues() where queue_name = 'conform'"))
        .isEqualTo("f f t");
  }

  @Test
  void unlogged_queue_works_as_any_and_says_what_it_is() throws SQLException {
    text("select pgmq.create_unlogged('conform_quick')");
    queues.add("conform_quick");
    numbers("select pgmq.send('conform_quick', '{}'::jsonb)");

    assertThat(texts("select msg_id::text from pgmq.read('conform_quick', 30, 1)"))
        .containsExactly("1");
    assertThat(flag(
        "select is_unlogged and not is_partitioned from pgmq.list_queues() where queue_name = 'conform_quick'"))
        .isTrue();
    assertThat(texts(
        "select c.relname || ' ' || c.relpersistence::text from pg_class c where c.oid in ('pgmq.q_conform_quick'::regclass, 'pgmq.a_conform_quick'::regclass) order by 1"))
        .containsExactly("a_conform_quick p", "q_conform_quick u");
  }

  @Test
  void dropping_a_queue_that_does_not_exist_says_so() throws SQLException {
    try (Connection connection = connect(); Statement statement = connection.createStatement()) {
      try (ResultSet rows = statement.executeQuery("select pgmq.drop_queue('conform_nowhere')")) {
        assertThat(rows.next()).isTrue();
        assertThat(rows.getBoolean(1)).isFalse();
      }
      assertThat(statement.getWarnings().getMessage())
          .isEqualTo("pgmq queue `conform_nowhere` does not exist");
    }
  }

  @Test
  void older_names_of_making_and_dropping_a_queue_do_the_same() throws SQLException {
    text("select pgmq.create_non_partitioned('conform_older')");
    numbers("select pgmq.send('conform_older', '{}'::jsonb)");
    text("select pgmq.detach_archive('conform_older')");

    assertThat(flag("select pgmq.drop_queue('conform_older', false)")).isTrue();
    assertThat(texts("select queue_name from pgmq.list_queues()")).doesNotContain("conform_older");
  }

  @Test
  void name_of_a_queue_can_be_asked_about() throws SQLException {
    text("select pgmq.validate_queue_name('abcdefghijklmnopqrstuvwxyz_abcdefghijklmnopqrst')");
    assertThatThrownBy(() -> text("select pgmq.validate_queue_name(?)", "a".repeat(49)))
        .isInstanceOf(SQLException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"select pgmq.create_partitioned('conform_parts')",
    "select pgmq.convert_archive_partitioned('conform')"})
  void partitions_need_pg_partman(String call) throws SQLException {
    org.junit.jupiter.api.Assumptions.assumeTrue(
        texts("select 1::text from pg_extension where extname = 'pg_partman'").isEmpty());
    assertThatThrownBy(() -> text(call)).isInstanceOf(SQLException.class)
        .hasMessageContaining("pg_partman");
  }

  @Test
  void dropping_a_queue_takes_its_tables_and_says_whether_it_was_there() throws SQLException {
    send("1");
    assertThat(flag("select pgmq.drop_queue('conform')")).isTrue();

    assertThat(texts("select queue_name from pgmq.list_queues()")).doesNotContain("conform");
    assertThat(flag(
        "select to_regclass('pgmq.q_conform') is null and to_regclass('pgmq.a_conform') is null"))
        .isTrue();
    assertThat(flag("select pgmq.drop_queue('conform')")).isFalse();
    create("conform");
    assertThat(send("1")).as("a new queue counts from the beginning").isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"Mixed_Case", "with-dash", "with.dot", "with space", "percent%s",
    "0_begins_with_a_digit",
    "abcdefghijklmnopqrstuvwxyz_abcdefghijklmnopqrst"})
  void queue_may_have_an_unusual_name(String name) throws SQLException {
    create(name);

    assertThat(numbers("select pgmq.send(?, '{}'::jsonb)", name)).containsExactly(1L);
    assertThat(texts("select msg_id::text from pgmq.read(?, 30, 1)", name)).containsExactly("1");
    assertThat(flag("select pgmq.archive(?, 1)", name)).isTrue();
    assertThat(text("select total_messages from pgmq.metrics(?)", name)).isEqualTo("1");
    assertThat(texts("select queue_name from pgmq.list_queues()")).contains(name);
    assertThat(flag("select pgmq.drop_queue(?)", name)).isTrue();
    queues.remove(name);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"a;b", "a'b", "a--b", "a$b", "abcdefghijklmnopqrstuvwxyz_abcdefghijklmnopqrstu"})
  void name_that_could_not_be_a_tables_is_refused(String name) throws SQLException {
    Set<String> before = new TreeSet<>(texts("select queue_name from pgmq.list_queues()"));

    assertThatThrownBy(() -> text("select pgmq.create(?)", name)).isInstanceOf(SQLException.class);
    assertThat(new TreeSet<>(texts("select queue_name from pgmq.list_queues()"))).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"select * from pgmq.send('nobody', '{}'::jsonb)",
    "select * from pgmq.read('nobody', 30, 1)",
    "select * from pgmq.pop('nobody')",
    "select * from pgmq.set_vt('nobody', 1, 1)", "select pgmq.delete('nobody', 1)",
    "select pgmq.archive('nobody', 1)",
    "select pgmq.purge_queue('nobody')", "select pgmq.metrics('nobody')"})
  void queue_that_is_not_there_is_an_undefined_table(String call) {
    assertThatThrownBy(() -> text(call)).isInstanceOfSatisfying(SQLException.class,
        e -> assertThat(e.getSQLState()).isEqualTo("42P01"));
  }

  // ---- calls

  private void create(String queue) throws SQLException {
    text("select pgmq.create(?)", queue);
    queues.add(queue);
  }

  private long send(String message) throws SQLException {
    return numbers("select pgmq.send('conform', ?::jsonb)", message).get(0);
  }

  /** In the order of their numbers: neither side promises another. */
  private List<Message> read(int seconds, int most) throws SQLException {
    return messages("select * from pgmq.read('conform', ?, ?) order by msg_id", seconds, most);
  }

  private double secondsFromNow(Message message) throws SQLException {
    return Double
        .parseDouble(text("select extract(epoch from ? - clock_timestamp())", message.visibleAt()));
  }

  private Array array(String... documents) throws SQLException {
    return connection.createArrayOf("jsonb", documents);
  }

  private interface Row<T> {
    T read(ResultSet rows) throws SQLException;
  }

  private <T> List<T> rows(String sql, Row<T> row, Object... arguments) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < arguments.length; i++) {
        statement.setObject(i + 1, arguments[i]);
      }
      List<T> all = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          all.add(row.read(rows));
        }
      }
      return all;
    }
  }

  private List<Message> messages(String sql, Object... arguments) throws SQLException {
    return rows(sql,
        row -> new Message(row.getLong(1), row.getInt(2), row.getObject(3, OffsetDateTime.class),
            row.getObject(4, OffsetDateTime.class), row.getString(5), row.getString(6)),
        arguments);
  }

  private List<Long> numbers(String sql, Object... arguments) throws SQLException {
    return rows(sql, row -> row.getLong(1), arguments);
  }

  private List<String> texts(String sql, Object... arguments) throws SQLException {
    return rows(sql, row -> row.getString(1), arguments);
  }

  private String text(String sql, Object... arguments) throws SQLException {
    return texts(sql, arguments).get(0);
  }

  private boolean flag(String sql, Object... arguments) throws SQLException {
    return rows(sql, row -> row.getBoolean(1), arguments).get(0);
  }
}
