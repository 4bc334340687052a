package ee.tasker.template;

import ee.tasker.template.model.TemplateKey;
import java.util.Optional;
import java.util.UUID;

/**
 * What accepting a request needs of a registered template. Templates never change, so it can be
 * cached without expiry.
 *
 * @param inputSchema empty when the template has none
 * @param rootSteps   how many of its steps can start at once
 */
public record KnownTemplate(UUID namedTaskUuid, TemplateKey key,
    Optional<ContextSchema> inputSchema, int rootSteps) {
}
