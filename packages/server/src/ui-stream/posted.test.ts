import { describe, expect, test } from 'vitest';
import { decodeFileUrl } from '../protocols/file-url.ts';
import { decodeTurnCursor, encodeTurnCursor, turnOfReply } from './turn-cursor.ts';
import { intentOf, type PostedMessage, InvalidPost } from './posted.ts';

const user = (id: string, ...parts: PostedMessage['parts']): PostedMessage => ({
  id,
  role: 'user',
  parts,
});
const reply = (...parts: PostedMessage['parts']): PostedMessage => ({
  id: 'reply-7',
  role: 'assistant',
  parts,
});
const text = (said: string) => ({ type: 'text', text: said });

describe('a post from a front end', () => {
  test('is a message if its last message is new', () => {
    const messages = [user('a', text('one')), reply(), user('b', text('two'))];
    expect(intentOf({ messages, trigger: 'submit-message' })).toEqual({
      kind: 'send',
      content: [{ type: 'text', text: 'two' }],
    });
  });

  test('is an edit if it names a message, which is identified by its index', () => {
    const messages = [user('a', text('one')), reply(), user('b', text('two, edited'))];
    expect(intentOf({ messages, messageId: 'b' })).toMatchObject({ kind: 'edit', index: 1 });
  });

  test('is a request to regenerate an answer', () => {
    const messages = [user('a', text('one'))];
    expect(intentOf({ messages, trigger: 'regenerate-message' })).toEqual({
      kind: 'regenerate',
      index: 0,
    });
  });

  test('is an answer if its last message is from the assistant', () => {
    const last = reply(
      { type: 'step-start' },
      { type: 'tool-add', toolCallId: 'a', state: 'output-available', output: 3 },
      { type: 'tool-add', toolCallId: 'b', state: 'output-error', errorText: 'Broken.' },
      { type: 'tool-add', toolCallId: 'c', state: 'input-available', input: {} },
      {
        type: 'dynamic-tool',
        toolCallId: 'd',
        state: 'approval-responded',
        approval: { id: 'd', approved: false },
      },
    );
    expect(intentOf({ messages: [user('a'), last] })).toEqual({
      kind: 'answer',
      turn: 7,
      steps: 1,
      outputs: [
        { toolCallId: 'a', output: 3, isError: false },
        { toolCallId: 'b', output: 'Broken.', isError: true },
      ],
      approvals: [{ toolCallId: 'd', approved: false }],
    });
  });

  test('with an external file is refused', () => {
    const messages = [user('a', { type: 'file', url: 'https://example.com/a.png' })];
    expect(() => intentOf({ messages })).toThrow(InvalidPost);
  });
});

test('a file URL names a stored file or contains the data', () => {
  const id = '01a1dfd2-e67b-72ef-b59a-94ee83195b33';
  expect(decodeFileUrl(`/api/v1/files/${id}`)).toEqual({ fileId: id });
  expect(decodeFileUrl(`http://127.0.0.1:7717/api/v1/files/${id}`)).toEqual({ fileId: id });
  const inline = { mediaType: 'text/plain', bytes: Buffer.from('hé') };
  expect(decodeFileUrl('data:text/plain;base64,aMOp')).toEqual(inline);
  expect(decodeFileUrl('data:,h%C3%A9')).toEqual(inline);
  for (const url of ['https://example.com/a.png', 'file:///etc/passwd', 'data:,%', '']) {
    expect(decodeFileUrl(url)).toBeUndefined();
  }
});

test('a turn cursor survives the round trip to the client', () => {
  expect(decodeTurnCursor(encodeTurnCursor({ turn: 12, steps: 3 }))).toEqual({
    turn: 12,
    steps: 3,
  });
  for (const text of ['', '1', '0.1', '1.x', '1.2.3', '-1.0']) {
    expect(decodeTurnCursor(text)).toBeUndefined();
  }
  expect(turnOfReply('reply-12')).toBe(12);
  expect(turnOfReply('reply-x')).toBeUndefined();
});
