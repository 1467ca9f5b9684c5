import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../checks.ts';
import type { Program } from './program.ts';

/** Type errors of all programs, with their lines on the page. */
export async function typeErrors(programs: readonly Program[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'chatd-docs-types-'));
  try {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const names = programs.map(({ tsx }, index) => `program-${index}.${tsx ? 'tsx' : 'ts'}`);
    programs.forEach(({ text }, index) => writeFileSync(join(folder, names[index] ?? ''), text));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(configuration(names)));
    const output = await compile(folder);
    return output.split('\n').flatMap((line) => {
      const [, name = '', at, words] = /^(program-\d+\.tsx?)\((\d+),\d+\): (.*)$/.exec(line) ?? [];
      const program = programs[names.indexOf(name)];
      if (program === undefined) return line.trim() === '' || /^\s/.test(line) ? [] : [line];
      return [`${program.page}:${program.lines[Number(at)]}: ${words}`];
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function configuration(files: readonly string[]): object {
  return {
    extends: join(ROOT, 'tsconfig.base.json'),
    compilerOptions: {
      noEmit: true,
      allowImportingTsExtensions: true,
      rewriteRelativeImportExtensions: false,
      lib: ['es2024', 'esnext.disposable', 'dom', 'dom.iterable', 'dom.asynciterable'],
      jsx: 'react-jsx',
    },
    files,
  };
}

function compile(folder: string): Promise<string> {
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [tsc, '-p', '.', '--pretty', 'false'],
      { cwd: folder },
      (error, out) => {
        if (error !== null && out === '') reject(error);
        else resolve(out);
      },
    );
  });
}
