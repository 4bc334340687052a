package ee.tasker.template;

/**
 * The text of a template and its source.
 *
 * @param source a path or URL, for messages
 */
public record TemplateFile(String source, String text) {}
