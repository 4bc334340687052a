/**
 * Templates: from a user's text to a runnable definition, or to all of its problems.
 * <ul>
 * <li>{@link ee.tasker.template.TemplateFiles} finds the texts on the class path and in folders.
 * <li>{@link ee.tasker.template.TemplateReader} reads one, YAML or JSON, and reports every problem
 * with line and column.
 * <li>{@link ee.tasker.template.TemplateJson} writes the normal form with every default filled in,
 * and its hash.
 * <li>{@link ee.tasker.template.ContextSchema} validates a context or a result against a schema of
 * the template.
 * </ul>
 *
 * <p>The definition itself is {@link ee.tasker.template.model}. All of this is pure: text and
 * values in, values out. A
 * template passes through text, YAML nodes ({@code YamlDocument}), keys and values with their
 * position ({@code Keys},
 * {@code Located}), drafts of its steps ({@code StepDraft}) and definition; problems are collected
 * on the way and the
 * definition is built only when there are none.
 *
 * <p>Checking that a handler exists or a namespace may be used does not belong here, nor do limits
 * on the size of a
 * context.
 */
package ee.tasker.template;
