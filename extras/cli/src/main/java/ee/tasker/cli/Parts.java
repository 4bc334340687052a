package ee.tasker.cli;

/** Reading a part of a long document: what is asked for, and how it is shown. */
final class Parts {
  static final View VIEW = View.details("document", "pointer", "type", "members", "bytes", "offset",
      "next=next_offset", "text");

  private Parts() {}

  static Arg mostBytes() {
    return Arg.query("max_document_bytes", "BYTES", "Leaves out longer documents.").integer();
  }

  static Arg pointer() {
    return Arg.query("pointer", "POINTER", "JSON pointer to a part of the document.");
  }

  static Arg offset() {
    return Arg.query("offset", "N", "How many characters to leave out.").integer();
  }

  static Arg characters() {
    return Arg.query("limit", "N", "How many characters; 16384 by default.").integer();
  }
}
