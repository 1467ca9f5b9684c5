import { expect, test } from 'vitest';
import { changeLabels, labelChanges } from './label-changes.ts';

test('only differences are sent', () => {
  const before = { team: 'ops', draft: '', kept: 'x' };
  expect(labelChanges(before, { team: 'web', kept: 'x', more: '' })).toEqual({
    team: 'web',
    draft: null,
    more: '',
  });
  expect(labelChanges(before, before)).toEqual({});
});

test('concurrent changes to other labels are kept', () => {
  const changes = labelChanges({ team: 'ops', draft: '' }, { team: 'web' });
  expect(changeLabels({ team: 'ops', draft: '', theirs: 'x' }, changes)).toEqual({
    team: 'web',
    theirs: 'x',
  });
});
