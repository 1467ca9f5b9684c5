import { expect, test } from 'vitest';
import { descendants } from './descendants.ts';

const chat = (id: string, parent_chat_id: string | null) => ({ id, parent_chat_id });
const below = (id: string, family: ReturnType<typeof chat>[]) =>
  descendants(id, family).map((member) => member.id);

test('children and their children are descendants, siblings and parents are not', () => {
  const family = [chat('a', 'root'), chat('b', 'root'), chat('aa', 'a'), chat('aaa', 'aa')];
  expect(below('root', family)).toEqual(['a', 'b', 'aa', 'aaa']);
  expect(below('a', family)).toEqual(['aa', 'aaa']);
  expect(below('b', family)).toEqual([]);
});

test('a cycle is walked once', () => {
  expect(below('root', [chat('a', 'b'), chat('b', 'a')])).toEqual([]);
  expect(below('a', [chat('a', 'b'), chat('b', 'a'), chat('c', 'c')])).toEqual(['b']);
});
