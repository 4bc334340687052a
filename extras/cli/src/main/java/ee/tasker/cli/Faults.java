package ee.tasker.cli;

import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;

/** What went wrong, in words: exceptions of files say little more than their class. */
final class Faults {
  private Faults() {}

  static String text(Throwable fault) {
    if (fault instanceof NoSuchFileException) {
      return "it does not exist";
    }
    if (fault instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (fault instanceof FileAlreadyExistsException) {
      return "it exists already";
    }
    if (fault instanceof InvalidPathException) {
      return "it is no path";
    }
    if (fault instanceof CharacterCodingException) {
      return "it is not UTF-8";
    }
    return fault.getMessage() == null ? "no more is known" : fault.getMessage();
  }
}
