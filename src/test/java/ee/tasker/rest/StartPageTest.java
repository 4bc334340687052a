package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Accessibility of the start page: screen readers and keyboard use. */
class StartPageTest {
  private String body;

  @BeforeEach
  void read() throws Exception {
    String page = Files.readString(Path.of("src", "main", "webapp", "index.html"));
    body = page.substring(page.indexOf("<body>") + "<body>".length(), page.indexOf("</body>"));
  }

  @Test
  void all_of_it_is_in_a_landmark_and_one_of_them_is_the_main_one() {
    assertThat(body.split("<main[ >]", -1)).as("one main part").hasSize(2);
    assertThat(body.replaceAll("(?s)<(header|main|footer)[ >].*?</\\1>", "").strip())
        .as("what is in no landmark").isEmpty();
  }

  @Test
  void what_scrolls_can_be_reached_by_the_keyboard() {
    Matcher scrolling = Pattern.compile("<pre([^>]*)>").matcher(body);
    int found = 0;
    while (scrolling.find()) {
      assertThat(scrolling.group(1)).contains("tabindex=\"0\"");
      found++;
    }
    assertThat(found).isEqualTo(2);
  }
}
