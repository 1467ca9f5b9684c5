/**
 * Why this Node cannot run chatd; undefined when it can. An older Node fails while it loads the modules of chatd, so
 * the entry point asks before it imports them.
 */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return undefined;
  return `chatd requires Node 22.18 or newer. This is Node ${version}.`;
}
