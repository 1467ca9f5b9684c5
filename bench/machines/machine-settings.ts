/** The same for the local and the remote machine. */
export const MACHINE = {
  allowUnsandboxed: false,
  terminals: { perWorkspace: 1000 },
} as const;
