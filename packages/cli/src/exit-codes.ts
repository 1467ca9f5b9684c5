/** Exit codes of all commands but `chatd serve`, which has its own. docs/command.md lists both. */
export const EXIT = {
  ok: 0,
  /** The turn failed, or an unexpected error. */
  failed: 1,
  usage: 2,
  /** The chat waits for an approval, an answer or a dynamic tool. */
  needs_person: 3,
  /** Another client interrupted the turn. */
  interrupted: 4,
  /** The server refused the request. */
  refused: 5,
  unreachable: 6,
  timeout: 7,
  /** The shell convention for a program that Ctrl-C ended. */
  ctrl_c: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
