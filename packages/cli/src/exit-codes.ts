/** How the command ends. `chatd serve` has codes of its own; docs/command.md lists both. */
export const EXIT = {
  ok: 0,
  /** The turn failed, or something that nobody foresaw. */
  failed: 1,
  usage: 2,
  /** The chat waits for a person: an approval, a question, a tool of another program. */
  needs_person: 3,
  /** Somebody else stopped the turn. */
  interrupted: 4,
  /** The server said no. */
  refused: 5,
  unreachable: 6,
  timeout: 7,
  /** As shells have it for a program that was ended by Ctrl-C. */
  ctrl_c: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
