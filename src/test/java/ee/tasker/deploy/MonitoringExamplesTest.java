package ee.tasker.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Sources;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** deploy/prometheus and deploy/grafana: what can be told without them. */
class MonitoringExamplesTest {
  private static final Path DEPLOY = Path.of("deploy");

  @Test
  @SuppressWarnings("unchecked")
  void each_alert_leads_to_its_chapter_which_quotes_it_and_none_is_without_alert() {
    String chapters = Sources.text(Path.of("docs/reference/alerts.md"));
    List<String> names = new ArrayList<>();
    Map<String, Object> file = (Map<String, Object>) read(DEPLOY.resolve("prometheus/alerts.yaml"));
    for (Map<String, Object> group : (List<Map<String, Object>>) file.get("groups")) {
      for (Map<String, Object> rule : (List<Map<String, Object>>) group.get("rules")) {
        String name = (String) rule.get("alert");
        Map<String, String> labels = (Map<String, String>) rule.get("labels");
        Map<String, String> annotations = (Map<String, String>) rule.get("annotations");
        names.add(name);
        assertThat(annotations).as(name).containsEntry("runbook_url",
            "docs/reference/alerts.md#" + name.toLowerCase(java.util.Locale.ROOT));
        String severity = labels.get("severity");
        assertThat(severity).isIn("critical", "warning");
        assertThat(chapters).contains("\n## " + name + "\n\n"
            + severity.substring(0, 1).toUpperCase(java.util.Locale.ROOT) + severity.substring(1)
            + ", after " + rule.get("for") + " of `" + rule.get("expr") + "`.\n");
      }
    }
    assertThat(names).hasSize(23).doesNotHaveDuplicates();
    assertThat(Pattern.compile("(?m)^## (\\w+)$").matcher(chapters).results()
        .map(chapter -> chapter.group(1))).containsExactlyElementsOf(names);
  }

  @Test
  @SuppressWarnings("unchecked")
  void panels_of_the_dashboard_do_not_overlap_and_read_from_the_chosen_source() {
    Map<String, Object> dashboard = (Map<String, Object>) read(
        DEPLOY.resolve("grafana/tasker-ee.json"));
    List<Map<String, Object>> panels = (List<Map<String, Object>>) dashboard.get("panels");

    assertThat(panels).hasSizeGreaterThan(20).extracting(panel -> panel.get("id"))
        .doesNotHaveDuplicates();
    assertThat(panels).extracting(panel -> panel.get("title")).doesNotHaveDuplicates();
    List<String> taken = new ArrayList<>();
    for (Map<String, Object> panel : panels) {
      Map<String, Integer> place = (Map<String, Integer>) panel.get("gridPos");
      assertThat(place.get("x") + place.get("w")).isLessThanOrEqualTo(24);
      for (int x = 0; x < place.get("w"); x++) {
        for (int y = 0; y < place.get("h"); y++) {
          taken.add((place.get("x") + x) + "/" + (place.get("y") + y));
        }
      }
      assertThat((Map<String, Object>) panel.get("datasource")).containsEntry("uid",
          "${datasource}");
      assertThat((List<Object>) panel.get("targets")).isNotEmpty();
    }
    assertThat(taken).doesNotHaveDuplicates();
  }

  /** JSON is YAML. */
  private static Object read(Path file) {
    return new Load(LoadSettings.builder().build()).loadFromString(Sources.text(file));
  }
}
