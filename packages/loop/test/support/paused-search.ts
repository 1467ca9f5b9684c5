import { type AnswerPart, raw } from '@chatd/testing';

/** The blocks of a turn that Anthropic paused: a search without its result, and the result that follows. */

export const searchWithoutResult = (id: string, index: number): AnswerPart[] => [
  raw({
    type: 'content_block_start',
    index,
    content_block: { type: 'server_tool_use', id, name: 'web_search', input: {} },
  }),
  raw({
    type: 'content_block_delta',
    index,
    delta: { type: 'input_json_delta', partial_json: '{"query":"cats"}' },
  }),
  raw({ type: 'content_block_stop', index }),
];

export const resultOfSearch = (id: string, index: number): AnswerPart[] => [
  raw({
    type: 'content_block_start',
    index,
    content_block: {
      type: 'web_search_tool_result',
      tool_use_id: id,
      content: [
        {
          type: 'web_search_result',
          url: 'https://example.com/',
          title: 'Cats',
          encrypted_content: 'sealed-cats',
          page_age: null,
        },
      ],
    },
  }),
  raw({ type: 'content_block_stop', index }),
];

/** The search without a result at the end of a request, if any. */
export function openSearch(messages: unknown): string | undefined {
  const last = (messages as { role: string; content: { type: string; id?: string }[] }[]).at(-1);
  const block = last?.role === 'assistant' ? last.content.at(-1) : undefined;
  return block?.type === 'server_tool_use' ? block.id : undefined;
}
