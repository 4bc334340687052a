package ee.tasker.template;

import ee.tasker.platform.sql.SqlFunctions;
import ee.tasker.template.model.TemplateKey;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import java.util.UUID;

/** Calls the SQL functions for templates. */
@Dependent
class TemplateGateway {
  @Inject
  private SqlFunctions sql;

  JsonObject registerTemplate(JsonObject template) {
    return sql.object("register_template(cast(? as jsonb))", template);
  }

  JsonArray checkExpressions(JsonObject graph, JsonArray expressions) {
    return sql.array("check_expressions(cast(? as jsonb), cast(? as jsonb))", graph, expressions);
  }

  JsonObject checkRegistration(TemplateKey key, String contentHash) {
    return sql.object("check_registration(?, ?, ?, ?)", key.namespace(), key.name(), key.version(),
        contentHash);
  }

  JsonObject findMissingHandlers(String namespace, String name, String version) {
    return sql.object("find_missing_handlers(?, ?, ?)", namespace, name, version);
  }

  /** Null when the template does not exist. */
  String getLatestVersion(String namespace, String name) {
    return sql.text("get_latest_version(?, ?)", namespace, name);
  }

  JsonArray getTemplates(String namespace, String name, String version, boolean withConfiguration) {
    return sql.array("get_templates(?, ?, ?, ?)", namespace, name, version, withConfiguration);
  }

  /** One template with its configuration; empty when it does not exist. */
  JsonArray getTemplate(UUID templateUuid) {
    return sql.array(
        "get_templates(p_with_configuration => true, p_template_uuid => cast(? as uuid))",
        templateUuid);
  }
}
