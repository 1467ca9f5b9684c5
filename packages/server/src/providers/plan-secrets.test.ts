import { expect, test } from 'vitest';
import { planSecrets } from './plan-secrets.ts';

const credentials = { access_key_id: 'AKIA', secret_access_key: 'secret' };
const before = { api_key: 'old', ...credentials };

test('what is not mentioned stays', () => {
  expect(planSecrets(before, {})).toEqual(before);
  expect(planSecrets(before, { api_key: 'new' })).toEqual({ ...before, api_key: 'new' });
});

test('null takes away', () => {
  expect(planSecrets(before, { api_key: null })).toEqual(credentials);
  expect(planSecrets(before, { aws_credentials: null })).toEqual({ api_key: 'old' });
  expect(planSecrets(before, { api_key: null, aws_credentials: null })).toEqual({});
});

test('credentials are replaced as a whole: an old session does not go with a new account', () => {
  const session = { ...before, session_token: 'old' };
  expect(planSecrets(session, { aws_credentials: credentials })).toEqual(before);
});
