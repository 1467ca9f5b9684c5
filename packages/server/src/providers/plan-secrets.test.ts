import { expect, test } from 'vitest';
import { planSecrets } from './plan-secrets.ts';

const credentials = { access_key_id: 'AKIA', secret_access_key: 'secret' };
const before = { api_key: 'old', ...credentials };

test('omitted secrets are kept', () => {
  expect(planSecrets(before, {})).toEqual(before);
  expect(planSecrets(before, { api_key: 'new' })).toEqual({ ...before, api_key: 'new' });
});

test('null removes a secret', () => {
  expect(planSecrets(before, { api_key: null })).toEqual(credentials);
  expect(planSecrets(before, { aws_credentials: null })).toEqual({ api_key: 'old' });
  expect(planSecrets(before, { api_key: null, aws_credentials: null })).toEqual({});
});

test('AWS credentials are replaced as a whole, including an old session token', () => {
  const session = { ...before, session_token: 'old' };
  expect(planSecrets(session, { aws_credentials: credentials })).toEqual(before);
});
