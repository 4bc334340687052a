/**
 * The models of the protocol ({@code db/model}): searched by Spin, and compared with the rules of
 * the product. docs/model.md tells what that means.
 */
package ee.tasker.model;
