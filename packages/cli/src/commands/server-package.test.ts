import { expect, test } from 'vitest';
import { CommandFailed } from '../command-failed.ts';
import { loadIfInstalled, loadServer } from './server-package.ts';

const missing = (name: string) =>
  Object.assign(new Error(`Cannot find package '${name}' imported from main.js`), {
    code: 'ERR_MODULE_NOT_FOUND',
  });

test('without the server package, a command says what to install', async () => {
  const load = () => Promise.reject(missing('@chatd/server'));
  expect(await loadIfInstalled(load)).toBeUndefined();
  const failure = await loadServer(load).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(CommandFailed);
  expect(failure).toMatchObject({
    exitCode: 2,
    hint: expect.stringContaining('Install the package chatd'),
  });
});

test('another missing package is an error of the installation', async () => {
  const load = () => Promise.reject(missing('pg'));
  await expect(loadServer(load)).rejects.toThrow("Cannot find package 'pg'");
});

test('with the server package, its part is loaded', async () => {
  expect(await loadServer(() => Promise.resolve('serve'))).toBe('serve');
});
