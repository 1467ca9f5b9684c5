import { type Tool, toolName } from './tool.ts';

const MAX_LENGTH = 64;

/** Letters, digits, `_` and `-`, a letter or `_` first: legal with every provider. */
export function legalName(name: string): string {
  const legal = name.replace(/[^a-zA-Z0-9_-]/g, '_');
  return (/^[a-zA-Z_]/.test(legal) ? legal : `_${legal}`).slice(0, MAX_LENGTH);
}

/** Tool names as the provider sees them, and back. */
export interface ToolNames {
  toProvider(name: string): string;
  fromProvider(name: string): string;
}

/** Two tools never share a legal name: the later one gets a number. */
export function toolNames(tools: readonly Tool[]): ToolNames {
  const forward = new Map<string, string>();
  const back = new Map<string, string>();
  // Names that are legal as they stand keep them, whatever comes before.
  const names = tools.map(toolName);
  const ordered = [...names].sort(
    (a, b) => Number(legalName(a) !== a) - Number(legalName(b) !== b),
  );
  for (const name of ordered) {
    if (forward.has(name)) continue;
    let legal = legalName(name);
    for (let n = 2; back.has(legal); n++) {
      const suffix = `_${n}`;
      legal = legalName(name).slice(0, MAX_LENGTH - suffix.length) + suffix;
    }
    forward.set(name, legal);
    back.set(legal, name);
  }
  return {
    toProvider: (name) => forward.get(name) ?? legalName(name),
    fromProvider: (name) => back.get(name) ?? name,
  };
}
