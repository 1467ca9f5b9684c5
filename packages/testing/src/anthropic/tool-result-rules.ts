import type { JsonObject } from '../json.ts';
import type { AnthropicRule } from './rule.ts';
import { asText, isObject, objects } from '../json.ts';
import { badRequest } from '../refusal.ts';
import { allBlocks, blocksOf } from './rule.ts';

const ID = /^[a-zA-Z0-9_-]+$/;
const NAME = /^[a-zA-Z0-9_-]{1,200}$/;

interface Turn {
  role: unknown;
  /** Index of the first message of the turn. */
  at: number;
  blocks: JsonObject[];
}

/** The service merges adjacent messages of one role before checking them. */
function turnsOf(body: JsonObject): Turn[] {
  const turns: Turn[] = [];
  for (const [at, message] of objects(body['messages']).entries()) {
    if (message['role'] === 'system') continue;
    const last = turns.at(-1);
    if (last?.role === message['role']) last?.blocks.push(...blocksOf(message));
    else turns.push({ role: message['role'], at, blocks: blocksOf(message) });
  }
  return turns;
}

function callsOf(turn: Turn | undefined): string[] {
  if (turn?.role !== 'assistant') return [];
  return turn.blocks
    .filter((block) => block['type'] === 'tool_use')
    .map((block) => asText(block['id']));
}

const wellFormedCalls: AnthropicRule = ({ body }) => {
  const seen = new Set<string>();
  for (const { path, block, role } of allBlocks(body)) {
    if (block['type'] !== 'tool_use') continue;
    const id = asText(block['id']);
    if (role !== 'assistant') {
      return badRequest(`${path}: \`tool_use\` blocks can only be in \`assistant\` messages`);
    }
    if (!ID.test(id)) {
      return badRequest(`${path}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
    }
    if (!NAME.test(asText(block['name']))) {
      return badRequest(
        `${path}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'`,
      );
    }
    if (seen.has(id)) return badRequest(`${path}: \`tool_use\` ids must be unique`);
    if (!isObject(block['input'])) {
      return badRequest(`${path}.tool_use.input: Input should be a valid dictionary`);
    }
    seen.add(id);
  }
  return undefined;
};

const answeredCalls: AnthropicRule = ({ body }) => {
  const turns = turnsOf(body);
  for (const [index, turn] of turns.entries()) {
    const calls = callsOf(turn);
    const following = turns[index + 1]?.blocks ?? [];
    const results = new Set(
      following
        .filter((block) => block['type'] === 'tool_result')
        .map((block) => block['tool_use_id']),
    );
    const open = calls.filter((id) => !results.has(id));
    if (open.length === 0) continue;
    return badRequest(
      `messages.${turn.at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}. ` +
        'Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
    );
  }
  return undefined;
};

const noOrphanResults: AnthropicRule = ({ body }) => {
  const turns = turnsOf(body);
  for (const [index, turn] of turns.entries()) {
    const calls = callsOf(turns[index - 1]);
    const seen = new Set<string>();
    for (const [at, block] of turn.blocks.entries()) {
      if (block['type'] !== 'tool_result') continue;
      const id = asText(block['tool_use_id']);
      if (!calls.includes(id)) {
        return badRequest(
          `messages.${turn.at}.content.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. ` +
            'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
        );
      }
      if (seen.has(id)) {
        return badRequest(
          `messages.${turn.at}.content.${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
        );
      }
      seen.add(id);
    }
  }
  return undefined;
};

const resultsFirst: AnthropicRule = ({ body }) => {
  for (const turn of turnsOf(body)) {
    const types = turn.blocks.map((block) => block['type'] === 'tool_result');
    if (types.lastIndexOf(true) === types.filter(Boolean).length - 1) continue;
    return badRequest(
      `messages.${turn.at}: \`tool_result\` blocks must come before any other content of the message`,
    );
  }
  return undefined;
};

export const toolResultRules: readonly AnthropicRule[] = [
  wellFormedCalls,
  noOrphanResults,
  answeredCalls,
  resultsFirst,
];
