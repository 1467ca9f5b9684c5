import type { JsonObject } from '../json.ts';
import type { AnthropicRule } from './rule.ts';
import { asText, objects } from '../json.ts';
import { badRequest } from '../refusal.ts';
import { allBlocks, blocksOf } from './rule.ts';

function isUse(block: JsonObject | undefined): boolean {
  return block?.['type'] === 'server_tool_use' || block?.['type'] === 'mcp_tool_use';
}

function isResult(block: JsonObject | undefined): boolean {
  const type = asText(block?.['type']);
  return type.endsWith('_tool_result') && type !== 'tool_result';
}

/** Consecutive uses are followed by their results in the same order. */
function resultOf(blocks: readonly JsonObject[], at: number): JsonObject | undefined {
  for (let next = at + 1; isUse(blocks[next]) || isResult(blocks[next]); next++) {
    if (blocks[next]?.['tool_use_id'] === blocks[at]?.['id']) return blocks[next];
  }
  return undefined;
}

const answeredUses: AnthropicRule = ({ body }) => {
  const messages = objects(body['messages']);
  for (const [index, message] of messages.entries()) {
    const blocks = blocksOf(message);
    for (const [at, block] of blocks.entries()) {
      if (!isUse(block) || resultOf(blocks, at)) continue;
      // A paused turn ends with a use that has no result yet.
      if (index === messages.length - 1 && at === blocks.length - 1) continue;
      const name = asText(block['name']);
      return badRequest(
        `messages.${index}: \`${name}\` tool use with id \`${asText(block['id'])}\` was found without a corresponding \`${name}_tool_result\` block right after it`,
      );
    }
  }
  return undefined;
};

const noOrphanResults: AnthropicRule = ({ body }) => {
  for (const [index, message] of objects(body['messages']).entries()) {
    const blocks = blocksOf(message);
    for (const [at, block] of blocks.entries()) {
      if (!isResult(block)) continue;
      const type = asText(block['type']);
      const id = asText(block['tool_use_id']);
      const asked = blocks.slice(0, at).some((use) => isUse(use) && use['id'] === id);
      if (message['role'] === 'assistant' && asked) continue;
      return badRequest(
        `messages.${index}.content.${at}: unexpected \`tool_use_id\` found in \`${type}\` blocks: ${id}. ` +
          `Each \`${type}\` block must have a corresponding \`server_tool_use\` block before it.`,
      );
    }
  }
  return undefined;
};

const sealedResults: AnthropicRule = ({ body, issued }) => {
  for (const { path, block } of allBlocks(body)) {
    if (block['type'] !== 'web_search_tool_result') continue;
    for (const [at, result] of objects(block['content']).entries()) {
      if (issued.sealed.has(asText(result['encrypted_content']))) continue;
      return badRequest(
        `${path}.web_search_tool_result.content.${at}: Invalid \`encrypted_content\` in \`search_result\` block`,
      );
    }
  }
  return undefined;
};

export const serverToolRules: readonly AnthropicRule[] = [
  answeredUses,
  noOrphanResults,
  sealedResults,
];
