import { expect, test } from 'vitest';
import { search } from './search.ts';

const tools = [
  { name: 'git__createPullRequest', description: 'Opens a pull request.' },
  { name: 'git__list_pull_requests', description: 'Lists what is open.' },
  { name: 'mail__send', description: 'Sends a request by mail.' },
  { name: 'weather__forecast', description: 'The weather of the coming days.' },
];
const found = (query: string, most = 9) => search(tools, query, most).map(({ name }) => name);

test('matches in a name rank above matches in a description', () => {
  expect(found('request')).toEqual([
    'git__createPullRequest',
    'git__list_pull_requests',
    'mail__send',
  ]);
});

test('more matching words rank higher, and a whole name ranks highest', () => {
  expect(found('create a pull request', 1)).toEqual(['git__createPullRequest']);
  expect(found('git list pull requests', 1)).toEqual(['git__list_pull_requests']);
  expect(found('WEATHER')).toEqual(['weather__forecast']);
});

test('a query without matches finds nothing', () => {
  expect(found('xylophone')).toEqual([]);
  expect(found('  ?! ')).toEqual([]);
});
