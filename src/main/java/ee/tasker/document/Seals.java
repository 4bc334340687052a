package ee.tasker.document;

import ee.tasker.platform.Problem;
import jakarta.json.JsonValue;

/**
 * Seals values of documents before they are stored, and opens them for those who may read them.
 * Thread-safe.
 */
public interface Seals {
  /**
   * The document with the values at these places sealed. What is sealed already stays so.
   *
   * @throws Problem 503 document-key-missing when there is no key to seal with
   */
  JsonValue seal(JsonValue document, SealedPlaces places, String namespace);

  /**
   * The document with all that is sealed in it opened, wherever it stands; the same object when
   * there is nothing.
   *
   * @throws Problem 503 document-key-missing when a key is missing here; 409 document-not-opened
   *   when something was changed, or comes from another namespace
   */
  JsonValue open(JsonValue document, String namespace);
}
