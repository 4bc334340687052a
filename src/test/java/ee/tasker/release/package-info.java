/** The version in all files, the notes of a release, and the contexts of its container images. */
package ee.tasker.release;
