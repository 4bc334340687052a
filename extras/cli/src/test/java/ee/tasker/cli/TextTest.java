package ee.tasker.cli;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.json.JsonValue;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

class TextTest {

  @Test
  void yaml_is_read_as_the_same_value() {
    String json = "{\"a\":[],\"b\":{},\"c\":[1,[2,[\"x\"]],{\"d\":null,\"e\":[{\"f\":true}]}],\"no\":\"no\",\"n\":\"1\",\"m\":\"- x\",\"s\":\"a: b # c\",\"t\":\"line\\nline\\t\\u0007\","
        + "\"u\":\"ünï\",\"v\":\"\",\"w\":\" x \",\"1\":1.50,\"big\":123456789012345678901234567890,\"~\":\"~\",\"q\":\"'\\\"\",\"k k\":\"2026-11-21T04:56:06Z\"}";
    JsonValue value = Text.parse(json, "test");

    Object read = new Load(LoadSettings.builder().build()).loadFromString(Text.yaml(value));
    Object expected = new Load(LoadSettings.builder().build()).loadFromString(json);

    assertThat(read).isEqualTo(expected);
  }

  @Test
  void diff_has_hunks_with_context() {
    List<String> before = "1 2 3 4 5 6 7 8 9".lines()
        .flatMap(line -> List.of(line.split(" ")).stream()).toList();
    List<String> after = List.of("1", "2", "3", "4", "five", "6", "7", "8", "9", "10");

    assertThat(Diff.unified("old", "new", before, after)).containsExactly("--- old", "+++ new",
        "@@ -2,8 +2,9 @@", " 2", " 3", " 4", "-5",
        "+five", " 6", " 7", " 8", " 9", "+10");
    assertThat(Diff.unified("old", "new", before, before)).isEmpty();
    assertThat(Diff.unified("old", "new", List.of(), List.of("a"))).containsExactly("--- old",
        "+++ new", "@@ -0,0 +1,1 @@", "+a");
  }

  @Test
  void versions_are_ordered_as_numbers() {
    assertThat(TemplateCommands.compareVersions("1.10.0", "1.9.0")).isPositive();
    assertThat(TemplateCommands.compareVersions("1.0.0-rc1", "1.0.0-alpha")).isPositive();
    assertThat(TemplateCommands.compareVersions("2.0.0", "2.0.0")).isZero();
  }
}
