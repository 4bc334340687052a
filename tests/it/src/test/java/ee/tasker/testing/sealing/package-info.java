/** A codec of an application, which replaces that of the keystore where it is deployed. */
package ee.tasker.testing.sealing;
