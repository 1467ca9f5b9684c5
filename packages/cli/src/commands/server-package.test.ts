import { expect, test } from 'vitest';
import { CommandFailed } from '../command-failed.ts';
import { loadIfInstalled, loadServer } from './server-package.ts';

const missing = (name: string) =>
  Object.assign(new Error(`Cannot find package '${name}' imported from main.js`), {
    code: 'ERR_MODULE_NOT_FOUND',
  });

const withoutServer = () => Promise.reject(missing('@chatd/server'));
const withoutDriver = () => Promise.reject(missing('pg'));

test('without the server package, a command says what to install', async () => {
  expect(await loadIfInstalled(withoutServer)).toBeUndefined();
  const failure = await loadServer(withoutServer).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(CommandFailed);
  expect(failure).toMatchObject({
    exitCode: 2,
    hint: expect.stringContaining('Install the package chatd'),
  });
});

test('another missing package is an error of the installation', async () => {
  await expect(loadServer(withoutDriver)).rejects.toThrow("Cannot find package 'pg'");
});

test('with the server package, its part is loaded', async () => {
  expect(await loadServer(() => Promise.resolve('serve'))).toBe('serve');
});
