/**
 * What a release needs besides Maven's own plugins: one version in all places that name it ({@link
 * ee.tasker.release.Versions}), and the folder with everything that is published ({@link
 * ee.tasker.release.Release}). Nothing
 * here publishes anything; docs/releasing.md describes what a maintainer does.
 */
package ee.tasker.release;
