/**
 * The template as a value, independent of any task.
 *
 * <p>{@link ee.tasker.template.model.TemplateDefinition} is the root. Every record rejects invalid
 * values in its
 * constructor with a sentence that names the field, so every existing definition is consistent:
 * step names are unique,
 * dependencies exist, there is no cycle. The reader of a template fills in defaults; they are never
 * added later.
 *
 * <p>Parts that only user code interprets (schemas, handler configuration, metadata) are stored as
 * JSON text with sorted
 * keys and no whitespace, because this package depends on the JDK only.
 *
 * <p>Reading YAML, positions in a file and JSON objects belong to {@code ee.tasker.template}.
 */
package ee.tasker.template.model;
