package ee.tasker.rest;

import ee.tasker.rest.http.MayBeStale;
import jakarta.ws.rs.Path;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The routes whose answers may be stale, by their annotation. */
public final class StaleRoutes {
  private StaleRoutes() {
  }

  public static List<String> all() {
    return List.copyOf(new TreeSet<>(new RestApplication().getClasses().stream()
        .flatMap(type -> Arrays.stream(type.getDeclaredMethods())
            .filter(method -> method.isAnnotationPresent(MayBeStale.class))
            .map(method -> Stream
                .of(type.getAnnotation(Path.class), method.getAnnotation(Path.class))
                .filter(path -> path != null)
                .map(Path::value).reduce((resource, own) -> resource + "/" + own).orElseThrow()))
        .toList()));
  }
}
