/** For interactive terminals. Agent commands get a plain environment instead. */
export const TERMINAL_ENVIRONMENT = {
  TERM: 'xterm-256color',
  COLORTERM: 'truecolor',
  GIT_TERMINAL_PROMPT: '1',
  PS1: '\\[\\e[1;34m\\]\\w\\[\\e[0m\\] \\$ ',
} as const;
