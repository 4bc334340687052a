package ee.tasker.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * deploy/systemd: by sections, names and kinds of values everywhere, and by systemd itself where it
 * is.
 */
class SystemdExampleTest {
  private static final Path EXAMPLE = Path.of("deploy", "systemd", "tasker-ee.service");

  /**
   * Of the directives in the manual (systemd.directives), those a service of this kind may want.
   */
  private static final Map<String, Set<String>> KNOWN = Map.of(
      "Unit",
      Set.of("Description", "Documentation", "Wants", "Requires", "BindsTo", "PartOf", "Before",
          "After", "Conflicts", "OnFailure",
          "ConditionPathExists", "AssertPathExists", "StartLimitIntervalSec", "StartLimitBurst",
          "RequiresMountsFor"),
      "Service",
      Set.of("Type", "User", "Group", "DynamicUser", "SupplementaryGroups", "WorkingDirectory",
          "Environment", "EnvironmentFile",
          "LoadCredential",
          "ExecStart", "ExecStartPre", "ExecStartPost", "ExecStop", "ExecReload", "KillSignal",
          "KillMode", "TimeoutStartSec",
          "TimeoutStopSec",
          "SuccessExitStatus", "Restart", "RestartSec", "StateDirectory", "LogsDirectory",
          "RuntimeDirectory", "ConfigurationDirectory",
          "CacheDirectory",
          "UMask", "LimitNOFILE", "LimitNPROC", "TasksMax", "MemoryMax", "MemoryHigh", "CPUQuota",
          "OOMPolicy", "OOMScoreAdjust", "Nice",
          "NoNewPrivileges", "ProtectSystem", "ProtectHome", "PrivateTmp", "PrivateDevices",
          "PrivateUsers", "ProtectClock",
          "ProtectHostname",
          "ProtectKernelTunables", "ProtectKernelModules", "ProtectKernelLogs",
          "ProtectControlGroups", "ProtectProc", "ProcSubset",
          "RestrictAddressFamilies", "RestrictNamespaces", "RestrictRealtime", "RestrictSUIDSGID",
          "LockPersonality",
          "MemoryDenyWriteExecute",
          "RemoveIPC", "CapabilityBoundingSet", "AmbientCapabilities", "SystemCallArchitectures",
          "SystemCallFilter",
          "SystemCallErrorNumber",
          "ReadWritePaths", "ReadOnlyPaths", "InaccessiblePaths", "IPAddressAllow", "IPAddressDeny",
          "StandardOutput", "StandardError",
          "SyslogIdentifier"),
      "Install", Set.of("WantedBy", "RequiredBy", "Alias", "Also"));
  private static final Set<String> MANY_TIMES = Set.of("Environment", "EnvironmentFile",
      "ExecStartPre", "ExecStartPost", "After", "Wants",
      "SystemCallFilter", "Documentation");
  private static final Set<String> YES_OR_NO = Set.of("NoNewPrivileges", "PrivateTmp",
      "PrivateDevices", "ProtectClock", "ProtectHostname",
      "ProtectKernelTunables",
      "ProtectKernelModules", "ProtectKernelLogs", "ProtectControlGroups", "RestrictNamespaces",
      "RestrictRealtime", "RestrictSUIDSGID",
      "LockPersonality", "RemoveIPC");
  private static final Map<String, Set<String>> WORDS = Map.of(
      "Type", Set.of("simple", "exec", "forking", "oneshot", "notify", "idle"),
      "Restart",
      Set.of("no", "always", "on-success", "on-failure", "on-abnormal", "on-abort", "on-watchdog"),
      "ProtectSystem", Set.of("yes", "no", "full", "strict"), "ProtectHome",
      Set.of("yes", "no", "read-only", "tmpfs"),
      "ProtectProc", Set.of("default", "noaccess", "invisible", "ptraceable"), "OOMPolicy",
      Set.of("continue", "stop", "kill"));

  private final Map<String, List<String>> values = new LinkedHashMap<>();

  /** All that is wrong with a unit. */
  private List<String> complaints(String unit) {
    List<String> wrong = new ArrayList<>();
    String section = null;
    for (String line : unit.lines().map(String::strip)
        .filter(text -> !text.isEmpty() && !text.startsWith("#")).toList()) {
      if (line.matches("\\[.*]")) {
        section = line.substring(1, line.length() - 1);
        if (!KNOWN.containsKey(section)) {
          wrong.add("there is no section " + section);
        }
        continue;
      }
      String[] parts = line.split("=", 2);
      if (section == null || parts.length != 2
          || !KNOWN.getOrDefault(section, Set.of()).contains(parts[0])) {
        wrong.add("not in [" + section + "]: " + line);
        continue;
      }
      if (values.containsKey(parts[0]) && !MANY_TIMES.contains(parts[0])) {
        wrong.add("twice: " + line);
      }
      values.computeIfAbsent(parts[0], key -> new ArrayList<>()).add(parts[1]);
      boolean fits = YES_OR_NO.contains(parts[0]) ? parts[1].matches("yes|no")
          : WORDS.containsKey(parts[0]) ? WORDS.get(parts[0]).contains(parts[1])
              : parts[0].endsWith("Sec") ? parts[1].matches("\\d+(s|min|h)?")
                  : !parts[0].startsWith("Exec") || parts[1].startsWith("/");
      if (!fits) {
        wrong.add("no such value: " + line);
      }
    }
    return wrong;
  }

  @Test
  void unit_is_in_order() throws IOException {
    assertThat(complaints(Files.readString(EXAMPLE))).isEmpty();
    assertThat(values).containsKeys("ExecStart", "User", "WantedBy");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      [Service]            | [Services]
      TimeoutStopSec=90    | TimeoutStopSecs=90
      TimeoutStopSec=90    | TimeoutStopSec=long
      ProtectSystem=strict | ProtectSystem=strictly
      Restart=on-failure   | Restart=on-failures
      PrivateTmp=yes       | PrivateTmp=jes
      ExecStart=/opt       | ExecStart=opt
      UMask=0027           | TimeoutStopSec=10
      """)
  void slip_of_the_pen_is_found(String right, String wrong) throws IOException {
    String unit = Files.readString(EXAMPLE);
    assertThat(unit).contains(right);

    assertThat(complaints(unit.replace(right, wrong))).isNotEmpty();
  }

  @Test
  void there_is_time_for_the_drain() throws IOException {
    complaints(Files.readString(EXAMPLE));
    int drain = values.get("Environment").stream()
        .filter(value -> value.startsWith("TASKER_WORKER_DRAIN_SECONDS="))
        .mapToInt(value -> Integer.parseInt(value.substring(value.indexOf('=') + 1))).findFirst()
        .orElseThrow();

    assertThat(Integer.parseInt(values.get("TimeoutStopSec").get(0)))
        .isGreaterThanOrEqualTo(drain + 30);
  }

  /**
   * It also looks for the program and the user, which are not on this machine; what it says of the
   * unit itself counts.
   */
  @Test
  void systemd_itself_finds_nothing_wrong(@TempDir Path folder)
      throws IOException, InterruptedException {
    Path unit = Files.copy(EXAMPLE, folder.resolve("tasker-ee.service"));
    assertThat(verify(unit))
        .doesNotContainPattern("(?i)unknown|failed to parse|invalid|ignoring|not a valid");

    Path broken = folder.resolve("broken.service");
    Files.writeString(broken,
        Files.readString(EXAMPLE).replace("PrivateTmp=yes", "PrivateTmpp=yes"));
    assertThat(verify(broken)).containsPattern("(?i)unknown");
  }

  private static String verify(Path unit) throws IOException, InterruptedException {
    Process process;
    try {
      process = new ProcessBuilder("systemd-analyze", "verify", "--man=no", unit.toString())
          .redirectErrorStream(true).start();
    } catch (IOException e) {
      Assumptions.abort("there is no systemd here");
      throw e;
    }
    String output = new String(process.getInputStream().readAllBytes());
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    Assumptions.assumeFalse(output.contains("Failed to initialize manager"), output);
    return output;
  }
}
