/** What failed, and what the person at the terminal can do. */
export class RunError extends Error {
  constructor(message, hint) {
    super(message);
    this.hint = hint;
  }
}
