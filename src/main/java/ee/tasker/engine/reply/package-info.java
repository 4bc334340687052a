/**
 * What the functions of the engine answer, parsed once: a gateway makes the record, and no other class knows the members' names.
 * Documents of claimed steps stay JSON here; {@code step} reads them when this server takes them over.
 */
package ee.tasker.engine.reply;
