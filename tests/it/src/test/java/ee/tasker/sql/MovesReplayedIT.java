package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.RunRecord;
import ee.tasker.testing.WholeRun;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Comes after all tests of the database, with the integration tests: how many moves the histories
 * had that these left behind, each of which was replayed as a move of the models. Those with random
 * lives have most of them.
 */
class MovesReplayedIT {
  @Test
  void the_random_lives_have_made_thousands_of_moves_of_the_models() {
    WholeRun.assumeThatAllTestsOfTheDatabaseRan();
    Map<String, Long> moves = RunRecord.REPLAYED.read().stream().map(line -> line.split(" "))
        .collect(Collectors.groupingBy(line -> line[0], TreeMap::new,
            Collectors.summingLong(line -> Long.parseLong(line[2]))));
    Map<String, Long> lives = new TreeMap<>(moves);
    lives.keySet().removeIf(name -> !name.endsWith("ModelTest"));
    lives.forEach((name, its) -> System.out.printf("moves of the models: %d replayed in %s%n", its,
        name.substring(name.lastIndexOf('.') + 1)));
    System.out.printf("moves of the models: %d replayed in all tests of the database, 0 unknown%n",
        moves.values().stream().mapToLong(Long::longValue).sum());
    assertThat(lives).hasSizeGreaterThanOrEqualTo(9);
    assertThat(lives.values()).as("moves of %s", lives).allMatch(its -> its > 200);
    assertThat(lives.values().stream().mapToLong(Long::longValue).sum()).isGreaterThan(5_000);
  }
}
