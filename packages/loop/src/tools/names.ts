import { SUMMARY_TOOL } from '../history/message.ts';
import { type Tool, toolName } from './tool.ts';

const MAX_LENGTH = 64;

/** Letters, digits, `_` and `-`, starting with a letter or `_`: valid with every provider. */
export function legalName(name: string): string {
  const legal = name.replace(/[^a-zA-Z0-9_-]/g, '_');
  return (/^[a-zA-Z_]/.test(legal) ? legal : `_${legal}`).slice(0, MAX_LENGTH);
}

/** Converts tool names to the provider's form and back. */
export interface ToolNames {
  toProvider(name: string): string;
  fromProvider(name: string): string;
}

/**
 * No two tools share a valid name: the later one gets a number. Reserved names, such as that of the provider's own
 * search, are not used either.
 */
export function toolNames(tools: readonly Tool[], reserved: readonly string[] = []): ToolNames {
  const forward = new Map<string, string>();
  const back = new Map<string, string>();
  const taken = new Set([SUMMARY_TOOL, ...reserved]);
  const numbered = (name: string): string => {
    let legal = legalName(name);
    for (let n = 2; taken.has(legal); n++) {
      const suffix = `_${n}`;
      legal = legalName(name).slice(0, MAX_LENGTH - suffix.length) + suffix;
    }
    return legal;
  };
  // Valid names are kept, regardless of the order.
  const names = tools.map(toolName);
  const ordered = [...names].sort(
    (a, b) => Number(legalName(a) !== a) - Number(legalName(b) !== b),
  );
  for (const name of ordered) {
    if (forward.has(name)) continue;
    const legal = numbered(name);
    taken.add(legal);
    forward.set(name, legal);
    back.set(legal, name);
  }
  // A model may call a tool that was not offered: it must not pass for a summary.
  back.set(SUMMARY_TOOL, numbered(SUMMARY_TOOL));
  return {
    toProvider: (name) => forward.get(name) ?? numbered(name),
    fromProvider: (name) => back.get(name) ?? name,
  };
}
