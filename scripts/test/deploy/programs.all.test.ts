import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { missing, must } from './bare-debian.ts';
import { alertRules, DEPLOY, readDeploy, readYaml } from './files.ts';

/** Validates the files with the programs that use them. */
const where = (program: string) => {
  const reason = missing(program);
  return { skip: reason !== undefined, name: reason === undefined ? '' : ` (${reason})` };
};

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'chatd-deploy-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

const nginx = where('nginx');
describe.skipIf(nginx.skip)(`nginx${nginx.name}`, () => {
  test('accepts the proxy configuration', async () => {
    const root = await folder();
    // nginx resolves names at startup, and these exist only in Compose.
    const site = readDeploy('nginx.conf').replaceAll(/chatd-\d:/g, '127.0.0.1:');
    await writeFile(join(root, 'chatd.conf'), site);
    await writeFile(
      join(root, 'nginx.conf'),
      `pid ${root}/pid; events {} http { access_log off; include ${root}/chatd.conf; }`,
    );
    const said = await must('nginx', '-t', '-e', 'stderr', '-p', root, '-c', `${root}/nginx.conf`);
    expect(said).toContain('test is successful');
  });
});

const systemd = where('systemd-analyze');
describe.skipIf(systemd.skip)(`systemd${systemd.name}`, () => {
  /** Maximum exposure rating of a unit, as stated in docs/security.md. */
  const units = { 'chatd.service': 4.7, 'chatd@.service': 1.7, 'chatd-machine.service': 4.7 };

  test.each(Object.entries(units))(
    '%s has an exposure level of at most %f out of 10',
    async (name, level) => {
      const unit = join(DEPLOY, 'systemd', name);
      const said = await must('systemd-analyze', 'security', '--offline=true', '--no-pager', unit);
      const [, found] = /exposure level for \S+: ([\d.]+)/.exec(said) ?? [];
      expect(Number(found)).toBeLessThanOrEqual(level);
    },
  );

  test.each(Object.keys(units))('%s has only settings that systemd knows', async (name) => {
    const root = await folder();
    const unit = join(root, name);
    // chatd may not be installed here, and other units do not matter.
    const text = readDeploy(`systemd/${name}`).replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true');
    await writeFile(unit, text);
    const said = await must('systemd-analyze', 'verify', '--man=no', unit);
    expect(said.split('\n').filter((line) => line.includes(root))).toEqual([]);
  });
});

const promtool = where('promtool');
describe.skipIf(promtool.skip)(`Prometheus${promtool.name}`, () => {
  test('accepts the alert rules', async () => {
    const said = await must('promtool', 'check', 'rules', join(DEPLOY, 'prometheus/alerts.yaml'));
    expect(said).toContain(`${alertRules().length} rules found`);
  });

  test('accepts the configuration', async () => {
    const config = join(DEPLOY, 'prometheus/prometheus.yaml');
    const said = await must('promtool', 'check', 'config', '--syntax-only', config);
    expect(said).toContain('is valid prometheus config file syntax');
  });

  test('fires alerts only when expected', async () => {
    await must('promtool', 'test', 'rules', join(DEPLOY, 'prometheus/alerts.test.yaml'));
  });
});

interface AlertTests {
  readonly tests: readonly {
    readonly alert_rule_test: readonly {
      readonly alertname: string;
      readonly exp_alerts: readonly object[];
    }[];
  }[];
}

test('every alert has a test in which it fires', () => {
  const [{ tests } = { tests: [] }] = readYaml<AlertTests>('prometheus/alerts.test.yaml');
  const fired = tests
    .flatMap((one) => one.alert_rule_test)
    .filter((one) => one.exp_alerts.length > 0)
    .map(({ alertname }) => alertname);
  expect(new Set(fired)).toEqual(new Set(alertRules().map(({ alert }) => alert)));
});
