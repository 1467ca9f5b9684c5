import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { anchorsIn, brokenLinks } from './links.ts';

function repository(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'chatd-links-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'docs'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  return root;
}

test('anchors of headings are those of GitHub', () => {
  const text =
    '# The `chatd` command\n## A & B, c: d!\n## Twice\n## Twice\n## [Link](x.md) — end\n';
  expect([...anchorsIn(text)]).toEqual([
    'the-chatd-command',
    'a--b-c-d',
    'twice',
    'twice-1',
    'link--end',
  ]);
});

test('broken links are reported with file and line', () => {
  const root = repository({
    'README.md': '[a](docs/a.md) [d](docs) [h](docs/a.md#one-two) [o](https://example.org/x#y)\n',
    'docs/a.md':
      '# One two\n\n[b](b.md), [up](../README.md)\n[h](#one)\n![p](p.png)\n`[no](no.md)`\n',
  });
  expect(brokenLinks(root, ['README.md', 'docs/a.md'])).toEqual([
    'docs/a.md:3: b.md does not exist',
    'docs/a.md:4: #one has no such heading',
    'docs/a.md:5: p.png does not exist',
  ]);
});
