import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import { argumentsFor, quotedIn, type Wish } from './arguments.ts';
import type { DemoRequest, ToolOutcome } from './request.ts';
import type { JsonSchema } from './schema.ts';
import { call, type ScriptPiece, say } from './script.ts';

type Tool = LanguageModelV4FunctionTool;

/** Used only if asked for by name: they end the turn, change something, or cost more than they show. */
const ON_REQUEST =
  /ask|question|plan|delete|remove|write|edit|create|start|stop|execute|bash|spawn|agent|signal|kill|interrupt/i;
/** They fail in a chat without a workspace. */
const IN_WORKSPACE = /file|process|execute|bash|skill|workspace|computer/i;
/** Words that do not identify a tool. */
const COMMON_WORDS = new Set(
  'a an and any at call can do file files for from get give in is it me my of on one please run show some tell the this to tool tools try use what which with you your'.split(
    ' ',
  ),
);

const wordsOf = (text: string): string[] =>
  text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1 && !COMMON_WORDS.has(word));

/**
 * The tools that match the message, best first. Without a match, those that need no workspace come first, then those
 * with the fewest required arguments. Tools that must be asked for by name are left out if there are others.
 */
export function rank({ tools, said }: DemoRequest): Tool[] {
  const spoken = new Set(wordsOf(said));
  const text = said.toLowerCase();
  const mayLackWorkspace = tools.some(({ name }) => name === 'create_workspace');
  const scored = tools.map((tool) => {
    const named = text.includes(tool.name.toLowerCase()) ? 100 : 0;
    const byName = wordsOf(tool.name).filter((word) => spoken.has(word)).length;
    const byAbout = wordsOf(tool.description ?? '').filter((word) => spoken.has(word)).length;
    const score = named + byName * 10 + byAbout;
    const schema: JsonSchema = tool.inputSchema;
    return {
      tool,
      score,
      free: score >= 10 || !ON_REQUEST.test(tool.name),
      fails: mayLackWorkspace && IN_WORKSPACE.test(tool.name) ? 1 : 0,
      asksFor: schema.required?.length ?? 0,
    };
  });
  const free = scored.filter((each) => each.free);
  return (free.length > 0 ? free : scored)
    .toSorted((a, b) => b.score - a.score || a.fails - b.fails || a.asksFor - b.asksFor)
    .map(({ tool }) => tool);
}

/** Whether a message implies a tool without naming it: "what is the weather in Lisbon?" */
export function meansATool({ tools, said }: DemoRequest): boolean {
  const spoken = new Set(wordsOf(said).filter((word) => word.length > 3));
  return tools.some(
    (tool) => !ON_REQUEST.test(tool.name) && wordsOf(tool.name).some((word) => spoken.has(word)),
  );
}

export const offered = ({ tools }: DemoRequest, name: RegExp): Tool | undefined =>
  tools.find((tool) => name.test(tool.name));

export function callTool(tool: Tool, said: string, wishes: readonly Wish[] = []): ScriptPiece {
  return call(
    tool.name,
    argumentsFor(tool.inputSchema, { said, wishes: [...wishes, ...mentioned(said)] }),
  );
}

/** Names in the message: a path, a place, quoted text. */
function mentioned(said: string): Wish[] {
  const path = /(?:^|\s)((?:[\w.-]+\/)*[\w-]+\.[a-z]{1,5})(?=[\s,;:!?)]|\.?$)/i.exec(said)?.[1];
  const place = /\b(?:in|for|of|at|near|to)\s+(\p{Lu}[\p{L}-]+(?:\s+\p{Lu}[\p{L}-]+)*)/u.exec(said);
  const quoted = quotedIn(said);
  return [
    ...(path === undefined ? [] : [[/^(path|file|file_?name|file_?path)$/i, path] as const]),
    [/^(city|location|place|town|destination)$/i, place?.[1] ?? 'Lisbon'],
    ...(quoted === undefined
      ? []
      : [[/^(query|q|search|pattern|text|message)$/i, quoted] as const]),
  ];
}

const MAX_LENGTH = 600;

export function report(results: readonly ToolOutcome[]): ScriptPiece {
  const parts = results.map(({ name, text, isError }) => {
    const cut = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}\n…` : text;
    const fence = cut.includes('```') ? '````' : '```';
    const verdict = isError ? 'failed. It returned:' : 'answered:';
    const language = /^[[{]/.test(cut) ? 'json' : '';
    return `\`${name}\` ${verdict}\n\n${fence}${language}\n${cut.trim() === '' ? '(nothing)' : cut}\n${fence}`;
  });
  return say(parts.join('\n\n'));
}

export const namesOf = (tools: readonly Tool[]): string =>
  tools.map((tool) => `\`${tool.name}\``).join(', ');
