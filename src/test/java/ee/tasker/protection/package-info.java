/**
 * The proof: one test for every named case of protection. A method's name begins with the case that
 * it is
 * ({@code C1_…}); {@link ee.tasker.protection.CasesTest} fails when one is missing.
 * docs/guarantees.md tells which
 * layer catches which failure, and names the test that shows it.
 */
package ee.tasker.protection;
