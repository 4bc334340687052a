package ee.tasker.template;

/**
 * The text of a template and where it comes from.
 *
 * @param source a path or URL, for messages
 */
public record TemplateFile(String source, String text) {}
