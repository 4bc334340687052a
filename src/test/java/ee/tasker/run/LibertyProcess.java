package ee.tasker.run;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Open Liberty as a child process, with a server folder of its own per HTTP port, so that several may run from one
 * checkout and a build under way does not touch what runs.
 *
 * <p>Started by its jar and not by its script: the script needs a shell, and would stand between us and the process to stop.
 */
public final class LibertyProcess implements AutoCloseable {

    private static final String SERVER = "tasker";

    private final Path liberty;
    private final Path folder;
    private final int httpPort;
    private final Map<String, String> environment;
    private ProcessBuilder.Redirect output = ProcessBuilder.Redirect.INHERIT;
    private FolderLock lock;
    private Path console;
    private volatile Process process;
    private boolean closed;

    /** @param environment what the server sees on top of our own environment */
    public LibertyProcess(Path liberty, Path parent, int httpPort, Map<String, String> environment) {
        this.liberty = liberty;
        this.folder = parent.resolve("run-" + httpPort);
        this.httpPort = httpPort;
        this.environment = environment;
    }

    /** Nothing of it on our own console; {@link #log} has everything. */
    public LibertyProcess quietly() {
        output = ProcessBuilder.Redirect.DISCARD;
        return this;
    }

    public Path log() {
        return folder.resolve("usr/servers").resolve(SERVER).resolve("logs/messages.log");
    }

    /** Sends what the server prints to a file; otherwise it goes where our own output goes. To be called before the start. */
    public LibertyProcess withConsole(Path file) {
        console = file;
        return this;
    }

    /** Empty until it is started. */
    public Optional<ProcessHandle> handle() {
        return Optional.ofNullable(process).map(Process::toHandle);
    }

    /** To be called before anything is started: the common reasons why it could not be. */
    public void claimPort() {
        lock = FolderLock.of(folder).orElseThrow(() -> new RunProblem("Another ./mvnw of this checkout runs on port " + httpPort
                + ": stop it, or start beside it with HTTP_PORT=<another> DB_HOST=127.0.0.1."));
        stopOrphan();
        if (!Ports.isFree(httpPort)) {
            throw new RunProblem("Port " + httpPort + " is taken: stop what uses it, or choose another with HTTP_PORT=<port>.");
        }
    }

    public synchronized void start(Path serverConfig, Path war) {
        if (closed) throw new RunProblem("Told to stop before the server was started.");
        try {
            var server = folder.resolve("usr/servers").resolve(SERVER);
            Folders.delete(server.resolve("apps"));
            Folders.copy(serverConfig, server);
            Files.createDirectories(server.resolve("apps"));
            Files.copy(war, server.resolve("apps/tasker-ee.war"), StandardCopyOption.REPLACE_EXISTING);
            Folders.delete(server.resolve("jdbc"));
            Files.createDirectories(server.resolve("jdbc"));
            var driver = Path.of(org.postgresql.Driver.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            Files.copy(driver, server.resolve("jdbc").resolve(driver.getFileName()));

            var builder = command(List.of(SERVER)).redirectOutput(output).redirectError(output).redirectInput(ProcessBuilder.Redirect.PIPE);
            if (console != null) builder.redirectOutput(console.toFile()).redirectError(console.toFile());
            process = builder.start();
            process.getOutputStream().close();
            Files.writeString(pidFile(), process.pid() + " " + startOf(process.toHandle()));
        } catch (IOException | URISyntaxException e) {
            throw new RunProblem("The server cannot be started in " + folder + ": " + e.getMessage(), e);
        }
    }

    /** Waits until the server says it is ready; false when it ended or took too long instead. */
    public boolean awaitReady(Duration patience) throws InterruptedException {
        var client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(2)).build();
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + httpPort + "/health/ready")).timeout(Duration.ofSeconds(5)).build();
        long deadline = System.nanoTime() + patience.toNanos();
        while (System.nanoTime() < deadline && process.isAlive()) {
            try {
                if (client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200) return true;
            } catch (IOException e) {
                // not listening yet
            }
            process.waitFor(200, TimeUnit.MILLISECONDS);
        }
        return false;
    }

    /** The end that no server expects: as if its machine had lost power. Close it afterwards all the same. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    int waitFor() throws InterruptedException {
        return process.waitFor();
    }

    @Override
    public synchronized void close() {
        closed = true;
        var running = process;
        if (running != null && running.isAlive()) {
            try {
                // Windows knows no request to end, only the end: there the server is asked through its own command.
                if (PostgresBinaries.WINDOWS) command(List.of(SERVER, "--stop")).start().waitFor(40, TimeUnit.SECONDS);
                else running.destroy();
                if (!running.waitFor(40, TimeUnit.SECONDS)) running.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
            } catch (IOException e) {
                running.destroyForcibly();
            } catch (InterruptedException e) {
                running.destroyForcibly();
                Thread.currentThread().interrupt();
            }
        }
        try {
            Files.deleteIfExists(pidFile());
        } catch (IOException e) {
            // a stale one is recognised at the next start
        }
        if (lock != null) lock.close();
        lock = null;
    }

    private ProcessBuilder command(List<String> arguments) throws IOException {
        var words = new ArrayList<String>();
        words.add(Path.of(System.getProperty("java.home"), "bin", PostgresBinaries.WINDOWS ? "java.exe" : "java").toString());
        words.add("-javaagent:" + liberty.resolve("bin/tools/ws-javaagent.jar"));
        words.addAll(options(folder.resolve("usr/servers").resolve(SERVER).resolve("jvm.options")));
        words.addAll(options(liberty.resolve("lib/platform/java").resolve(Runtime.version().feature() < 24 ? "java9.options" : "java24.options")));
        words.addAll(List.of("-jar", liberty.resolve("bin/tools/ws-server.jar").toString()));
        words.addAll(arguments);
        var builder = new ProcessBuilder(words).directory(folder.toFile());
        builder.environment().putAll(environment);
        builder.environment().put("WLP_USER_DIR", folder.resolve("usr").toString());
        builder.environment().remove("WLP_OUTPUT_DIR");
        builder.environment().remove("LOG_DIR");
        return builder;
    }

    private static List<String> options(Path file) throws IOException {
        if (!Files.exists(file)) return List.of();
        return Files.readAllLines(file).stream().map(String::strip).filter(line -> !line.isEmpty() && !line.startsWith("#")).toList();
    }

    private Path pidFile() {
        return folder.resolve("server.pid");
    }

    /** A server that outlived its run command, after a kill -9 for instance. Its number alone proves nothing, number and start do. */
    private void stopOrphan() {
        try {
            if (!Files.exists(pidFile())) return;
            var words = Files.readString(pidFile()).strip().split(" ");
            var orphan = ProcessHandle.of(Long.parseLong(words[0]))
                    .filter(handle -> words.length == 2 && words[1].equals(startOf(handle)) && !words[1].equals("?"));
            if (orphan.isPresent()) {
                System.out.println("Stopping a server that an earlier run left behind ...");
                orphan.get().destroy();
                try {
                    orphan.get().onExit().get(30, TimeUnit.SECONDS);
                } catch (ExecutionException | TimeoutException e) {
                    orphan.get().destroyForcibly();
                }
            }
            Files.deleteIfExists(pidFile());
        } catch (IOException | NumberFormatException e) {
            // then the check of the port will tell
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String startOf(ProcessHandle handle) {
        return handle.info().startInstant().map(instant -> Long.toString(instant.toEpochMilli())).orElse("?");
    }
}
