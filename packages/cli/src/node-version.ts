/** Undefined if this Node can run chatd. The entry point checks first, because an older Node fails to load the modules. */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return undefined;
  return `chatd requires Node 22.18 or newer. This is Node ${version}.`;
}
