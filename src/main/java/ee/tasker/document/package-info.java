/**
 * Documents whose members are sealed: encrypted before they are stored, and open only for those who
 * may read them (ADR 0095).
 *
 * <ul>
 * <li>{@link ee.tasker.document.SealedPlaces} are the members that a schema marks.
 * <li>{@link ee.tasker.document.Seals} seals and opens documents.
 * <li>{@link ee.tasker.document.DocumentCodec} is for applications that encrypt in their own way.
 * </ul>
 */
package ee.tasker.document;
