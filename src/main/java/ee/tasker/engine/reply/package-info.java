/**
 * The parsed replies of the database functions: a gateway creates the record, and no other class
 * knows the names of its
 * members. Documents of claimed steps stay JSON here; {@code step} reads them when this server
 * accepts the claim.
 */
package ee.tasker.engine.reply;
