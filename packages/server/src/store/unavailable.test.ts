import { DatabaseError } from 'pg';
import { expect, test } from 'vitest';
import { asUnavailable, DatabaseUnavailable } from './unavailable.ts';

function failure(code: string, severity: string): DatabaseError {
  const error = new DatabaseError('could not write init file', 0, 'error');
  return Object.assign(error, { code, severity });
}

test.each([
  ['53100', 'ERROR'],
  ['57P03', 'FATAL'],
  // Every new session fails like this while the disk is full.
  ['XX000', 'FATAL'],
])('%s with the severity %s can be retried', (code, severity) => {
  const cause = failure(code, severity);
  expect(asUnavailable(cause)).toEqual(
    new DatabaseUnavailable('The database is not available', { cause, code }),
  );
});

test.each([
  ['XX000', 'ERROR'],
  ['28P01', 'FATAL'],
  ['23505', 'ERROR'],
])('%s with the severity %s is returned unchanged', (code, severity) => {
  const error = failure(code, severity);
  expect(asUnavailable(error)).toBe(error);
});
