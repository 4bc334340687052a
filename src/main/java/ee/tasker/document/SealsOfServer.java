package ee.tasker.document;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.Produces;

/**
 * The seals of this server: by the application's {@link DocumentCodec} if it has one, otherwise by
 * the keys of {@code tasker.documents.keystore}.
 */
@Dependent
class SealsOfServer {
  @Produces
  @ApplicationScoped
  Seals seals(Instance<DocumentCodec> applications, KeystoreCodec ours) {
    return new CodecSeals(applications.isUnsatisfied() ? ours : applications.get());
  }
}
