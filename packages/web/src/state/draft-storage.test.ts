import { expect, test } from 'vitest';
import { DraftStorage, type StoredDraft } from './draft-storage.ts';

/** A storage with a size limit, like that of a browser. */
function limitedStorage(limit = Number.POSITIVE_INFINITY) {
  const items = new Map<string, string>();
  return {
    items,
    get length() {
      return items.size;
    },
    key: (index: number) => [...items.keys()][index] ?? null,
    getItem: (key: string) => items.get(key) ?? null,
    removeItem: (key: string) => void items.delete(key),
    setItem(key: string, value: string) {
      const others = [...items].filter(([other]) => other !== key);
      const used = others.reduce((sum, [, { length }]) => sum + length, 0);
      if (used + value.length > limit) throw new DOMException('full', 'QuotaExceededError');
      items.set(key, value);
    },
  };
}

const draft = (text: string, at = 0): StoredDraft => ({
  text,
  references: [],
  attachments: [],
  outbox: [],
  at,
});

test('a draft is restored, and an empty one is removed', () => {
  const storage = new DraftStorage('me', limitedStorage());
  expect(storage.write('chat', draft('half'))).toBe(true);
  expect(storage.read('chat')).toEqual({ ...draft('half'), unsent: undefined });
  expect(storage.write('chat', undefined)).toBe(true);
  expect(storage.read('chat')).toBeUndefined();
});

test('users of the same browser do not see each other’s drafts', () => {
  const shared = limitedStorage();
  new DraftStorage('me', shared).write('chat', draft('mine'));
  expect(new DraftStorage('you', shared).read('chat')).toBeUndefined();
});

test('the oldest drafts are removed when the storage is full', () => {
  const full = limitedStorage(700);
  const storage = new DraftStorage('me', full);
  for (const [index, chat] of ['a', 'b', 'c'].entries()) {
    storage.write(chat, draft('x'.repeat(100), index));
  }
  expect(storage.write('d', draft('x'.repeat(300), 9))).toBe(true);
  expect(storage.read('a')).toBeUndefined();
  expect(storage.read('d')?.text).toHaveLength(300);
});

test('a draft that does not fit is reported, and other data is left alone', () => {
  const full = limitedStorage(700);
  full.items.set('somebody.elses', 'x'.repeat(600));
  expect(new DraftStorage('me', full).write('a', draft('x'.repeat(300)))).toBe(false);
  expect([...full.items.keys()]).toEqual(['somebody.elses']);
  expect(new DraftStorage('me', undefined).write('a', draft('x'))).toBe(false);
});

test('at most a hundred drafts are kept', () => {
  const many = limitedStorage();
  const storage = new DraftStorage('me', many);
  for (let index = 0; index < 105; index += 1) storage.write(`chat-${index}`, draft('x', index));
  expect(many.items.size).toBe(100);
  expect(storage.read('chat-4')).toBeUndefined();
  expect(storage.read('chat-104')?.text).toBe('x');
});

test('data of another version is ignored', () => {
  const odd = limitedStorage();
  const storage = new DraftStorage('me', odd);
  for (const value of ['', 'null', '[]', '{"text":1}', '{']) {
    odd.items.set(storage.keyOf('chat'), value);
    expect(storage.read('chat')).toBeUndefined();
  }
});
