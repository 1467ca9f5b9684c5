import type { Conversation, ConversationStep, Turn } from './conversation.ts';

const ORDINARY = { full: false, overflow: false, stop: 'never' } as const;

const turn = (
  target: number,
  parts: ConversationStep['parts'],
  finish: ConversationStep['finish'] = 'natural',
): Turn => ({
  target,
  attach: 'nothing',
  steps: [{ parts, finish, ...ORDINARY }],
  awaited: 'answer',
  summary: 'text',
  after: [],
});

/** Shrunk conversations with which the fuzzer broke a chat. */
export const CASES: readonly Conversation[] = [
  // Gemini 2 accepts no files in function results.
  {
    turns: [
      turn(10, [
        { type: 'call', tool: 'image', args: '{"a":1}' },
        { type: 'call', tool: 'text', args: '{"a":1}' },
      ]),
    ],
  },
  // Without storage, a call that OpenAI executed cannot be sent back, and neither can the reasoning before it.
  { turns: [turn(4, [{ type: 'reasoning' }, { type: 'file' }], 'stop')] },
  // Google accepts a call only after a user message or results, so a paused response and its rest are one message.
  {
    turns: [
      {
        ...turn(0, []),
        steps: [
          { parts: [{ type: 'text' }], finish: 'pause', ...ORDINARY },
          { parts: [{ type: 'call', tool: 'text', args: '{"a":1}' }], finish: 'stop', ...ORDINARY },
        ],
      },
      { ...turn(9, []), steps: [] },
      { ...turn(0, []), steps: [] },
    ],
  },
];
