package ee.tasker.document;

/**
 * Encrypts what a schema marks as sealed. An application that has a bean of this type replaces the
 * codec that reads keys from a keystore ({@code tasker.documents.keystore}); all servers and
 * workers of an installation need the same one, with the same keys. Implementations must be
 * thread-safe, and quick: they are called for each marked member, by the threads that serve
 * requests and run handlers.
 */
public interface DocumentCodec {
  /**
   * The name of the key by which a document of this namespace is sealed now, of 1 to 64 letters,
   * digits and the characters {@code . _ -}. It is stored beside what it has sealed, in clear.
   */
  String currentKey(String namespace);

  /**
   * Encrypts and authenticates, so that a change of the result or another namespace is noticed when
   * it is opened. The same bytes should not give the same result twice.
   */
  byte[] seal(byte[] clear, String key, String namespace);

  /**
   * The reverse of {@link #seal}.
   *
   * @throws UnknownKeyException when there is no key of that name (yet)
   * @throws IllegalArgumentException when the bytes were not sealed with this key for this
   *   namespace
   */
  byte[] open(byte[] sealed, String key, String namespace);
}
