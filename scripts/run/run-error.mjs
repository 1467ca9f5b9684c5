/** A failure with a hint for the user. */
export class RunError extends Error {
  constructor(message, hint) {
    super(message);
    this.hint = hint;
  }
}
