import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export interface StaticFile {
  readonly type: string;
  readonly content: string | Buffer;
}

const INDEX = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>chatd API</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<div id="docs"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</html>
`;

const START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#docs', deepLinking: true, validatorUrl: null });\n`;

const ASSETS: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

/** Published packages contain a copy. In the repository the files come from swagger-ui-dist. */
const OWN_COPY = join(import.meta.dirname, 'swagger-ui');

function folder(): string {
  if (existsSync(OWN_COPY)) return OWN_COPY;
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}

/** The files of the API browser at /docs, all served locally. */
export async function docsFile(name: string): Promise<StaticFile | undefined> {
  if (name === '') return { type: 'text/html; charset=utf-8', content: INDEX };
  if (name === 'start.js') return { type: 'text/javascript; charset=utf-8', content: START };
  if (!Object.hasOwn(ASSETS, name)) return undefined;
  return { type: ASSETS[name] ?? '', content: await readFile(join(folder(), name)) };
}
