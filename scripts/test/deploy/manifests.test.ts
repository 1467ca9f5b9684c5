import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { FILE_BYTES_LIMIT, type Route, routes } from '../../../packages/protocol/src/index.ts';
import {
  DATA_DIR,
  environmentName,
  SETTING_NAMES,
} from '../../../packages/server/src/settings-table.ts';
import { ROOT } from '../../checks.ts';
import {
  alertRules,
  dashboardQueries,
  DEPLOY,
  deployFiles,
  metricsIn,
  readDeploy,
  readYaml,
} from './files.ts';

const settings = new Set([
  ...[...SETTING_NAMES, DATA_DIR.name].map(environmentName),
  // Variables of the CLI.
  'CHATD_URL',
  'CHATD_MACHINE_TOKEN',
  'CHATD_TOKEN',
]);

test.each(deployFiles())('%s uses only existing settings', (file) => {
  const named = new Set(readDeploy(file).match(/\bCHATD_[A-Z_]+/g));
  expect([...named].filter((name) => !settings.has(name))).toEqual([]);
});

test('files referenced in deploy/ exist', () => {
  for (const file of deployFiles().filter((name) => !name.endsWith('.json'))) {
    const paths = readDeploy(file).match(/\b(?:deploy|docs)\/[\w@./-]+\.[a-z]+\b/g) ?? [];
    for (const path of paths) expect(existsSync(join(ROOT, path)), `${path} in ${file}`).toBe(true);
  }
});

test('deploy/README.md describes every file', () => {
  const page = readDeploy('README.md');
  for (const name of readdirSync(DEPLOY).filter((one) => one !== 'README.md'))
    expect(page).toContain(`(${name})`);
});

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly volumes?: readonly string[];
  readonly healthcheck?: object;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly stop_grace_period?: string;
  readonly networks?: Readonly<Record<string, { readonly ipv4_address: string }>>;
}

const [compose] = readYaml<{
  services: Readonly<Record<string, Service>>;
  volumes: Readonly<Record<string, null>>;
}>('compose.yaml');

const replica = (name: string): Service => compose?.services[name] ?? { image: 'none' };

test('the two replicas in compose.yaml differ only in their volume', () => {
  const { volumes: first, ...one } = replica('chatd-1');
  const { volumes: second, ...other } = replica('chatd-2');
  expect(one).toEqual(other);
  expect(first).not.toEqual(second);
  expect(one).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
  expect(one.environment).toMatchObject({
    CHATD_DATABASE_URL: expect.stringContaining('@postgres:'),
    CHATD_BUS_URL: 'nats://nats:4222',
    CHATD_SECRET_KEY: expect.stringContaining(':?'),
  });
});

test('everything that services in compose.yaml depend on, mount and build exists', () => {
  const { services, volumes } = compose ?? { services: {}, volumes: {} };
  // The chatd image defines its own health check.
  const dockerfile = readDeploy('Dockerfile');
  for (const [name, service] of Object.entries(services)) {
    for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
      const target = services[other];
      expect(target, `${name} waits for ${other}`).toBeDefined();
      if (condition !== 'service_healthy') continue;
      const asked = target?.healthcheck !== undefined || /^HEALTHCHECK/m.test(dockerfile);
      expect(asked, `the health of ${other}`).toBe(true);
    }
    for (const volume of service.volumes ?? []) {
      const [from = ''] = volume.split(':');
      const found = from.startsWith('.') ? existsSync(join(DEPLOY, from)) : from in volumes;
      expect(found, `${volume} of ${name}`).toBe(true);
    }
    if (service.build === undefined) continue;
    const context = join(DEPLOY, service.build.context);
    expect(existsSync(join(context, service.build.dockerfile))).toBe(true);
  }
});

test('the upstreams of nginx are the replicas in compose.yaml', () => {
  const upstreams = [...readDeploy('nginx.conf').matchAll(/^\s*server ([\w-]+):(\d+)/gm)];
  expect(upstreams.map(([, host, port]) => `${host}:${port}`)).toEqual([
    'chatd-1:7717',
    'chatd-2:7717',
  ]);
  expect(readDeploy('Dockerfile')).toContain('EXPOSE 7717');
});

test('the proxy accepts the largest body of chatd and never retries a POST', () => {
  const rows: readonly Route[] = Object.values(routes);
  const largest = Math.max(FILE_BYTES_LIMIT, ...rows.map(({ bodyBytes = 0 }) => bodyBytes));
  const proxy = readDeploy('nginx.conf');
  const [, limit] = /^\s*client_max_body_size (\d+)m;$/m.exec(proxy) ?? [];
  expect(Number(limit) * 1024 * 1024).toBe(largest);
  expect(readDeploy('kubernetes/ingress.yaml')).toContain(`proxy-body-size: ${limit}m\n`);
  expect(proxy).not.toMatch(/^\s*proxy_next_upstream .*non_idempotent/m);
});

test('the replicas in compose.yaml trust only their proxy, which sends the client address', () => {
  const address = replica('proxy').networks?.['default']?.ipv4_address;
  expect(address).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
  expect(replica('chatd-1').environment?.['CHATD_TRUSTED_PROXIES']).toBe(address);
  expect(readDeploy('nginx.conf')).toMatch(
    /^\s*proxy_set_header X-Forwarded-For \$proxy_add_x_forwarded_for;$/m,
  );
});

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: Readonly<Record<string, unknown>>;
}

const manifests = readdirSync(join(DEPLOY, 'kubernetes'))
  .filter((name) => name !== 'kustomization.yaml')
  .flatMap((name) => readYaml<Manifest>(`kubernetes/${name}`));
const specOf = (kind: string, name = 'chatd') =>
  manifests.find((one) => one.kind === kind && one.metadata.name === name)?.spec ?? {};

test('kustomization.yaml lists every manifest', () => {
  const [kustomization] = readYaml<{ resources: string[] }>('kubernetes/kustomization.yaml');
  const files = readdirSync(join(DEPLOY, 'kubernetes')).filter((n) => n !== 'kustomization.yaml');
  expect(kustomization?.resources.toSorted()).toEqual(files.toSorted());
});

interface Kustomization {
  readonly patches: readonly { readonly patch: string; readonly target: { kind: string } }[];
  readonly replacements: readonly {
    readonly source: { readonly kind: string; readonly fieldPath: string };
    readonly targets: readonly {
      readonly select: { readonly kind: string };
      readonly fieldPaths: readonly string[];
      /** Replaces a part of the value. */
      readonly options?: { readonly delimiter: string; readonly index: number };
    }[];
  }[];
}

/** The value at a kustomize path with keys, indexes and `[name=x]` selectors. */
function fieldAt(kind: string, path: string): unknown {
  let found: unknown = manifests.find((one) => one.kind === kind);
  for (const key of path.match(/\[[^\]]+\]|[^./]+/g) ?? []) {
    const [, field = '', value] = /^\[(\w+)=(.+)\]$/.exec(key) ?? [];
    if (value === undefined) found = (found as Record<string, unknown> | undefined)?.[key];
    else found = (found as Record<string, unknown>[]).find((one) => one[field] === value);
  }
  return found;
}

test('kustomization.yaml sets the host name everywhere', () => {
  const [kustomization] = readYaml<Kustomization>('kubernetes/kustomization.yaml');
  const [patch] = kustomization?.patches ?? [];
  const [operation] = parse(patch?.patch ?? '') as { path: string; value: string }[];
  const [replacement] = kustomization?.replacements ?? [];
  const source = replacement?.source ?? { kind: '', fieldPath: '' };
  expect(fieldAt(patch?.target.kind ?? '', operation?.path ?? '')).toBe(operation?.value);
  expect(fieldAt(source.kind, source.fieldPath)).toBe(operation?.value);
  const targets = replacement?.targets ?? [];
  const copies = targets.flatMap(({ select, fieldPaths, options }) =>
    fieldPaths.map((path) => {
      const value = fieldAt(select.kind, path);
      return options === undefined ? value : String(value).split(options.delimiter)[options.index];
    }),
  );
  expect(copies).toEqual([operation?.value, operation?.value]);
  const everywhere = manifests.map((one) => JSON.stringify(one)).join('');
  expect(everywhere.match(/chatd\.example\.com/g)).toHaveLength(3);
});

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}
interface Container {
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
  readonly resources: object;
  readonly securityContext: object;
}

test('the Deployment has probes, resources and minimal privileges', () => {
  const template = specOf('Deployment')['template'] as {
    spec: {
      containers: Container[];
      securityContext: object;
      terminationGracePeriodSeconds: number;
    };
  };
  const { containers, securityContext, terminationGracePeriodSeconds } = template.spec;
  expect(securityContext).toMatchObject({
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
  });
  expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(30);
  expect(containers).toHaveLength(1);
  const [container] = containers;
  expect(container?.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  expect(container?.resources).toMatchObject({
    requests: { cpu: expect.any(String), memory: expect.any(String) },
    limits: { memory: expect.any(String) },
  });
  // A database outage must not restart every replica.
  expect(container?.livenessProbe.httpGet.path).toBe('/healthz');
  expect(container?.readinessProbe.httpGet.path).toBe('/readyz');
  expect(container?.startupProbe.httpGet.path).toBe('/readyz');
  expect(container?.ports).toContainEqual({ name: 'http', containerPort: 7717 });
});

interface Autoscaler {
  readonly scaleTargetRef: object;
  readonly minReplicas: number;
  readonly maxReplicas: number;
}

test('only the autoscaler sets the number of replicas, above the disruption budget', () => {
  const scaler = specOf('HorizontalPodAutoscaler') as unknown as Autoscaler;
  const deployment = manifests.find(({ kind }) => kind === 'Deployment');
  expect(scaler.scaleTargetRef).toEqual({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    name: deployment?.metadata.name,
  });
  // A number in the Deployment would override the autoscaler on every apply.
  expect(deployment?.spec).not.toHaveProperty('replicas');
  expect(scaler.minReplicas).toBeGreaterThan(Number(specOf('PodDisruptionBudget')['minAvailable']));
  // 20 connections and one for the bus, within the PostgreSQL default of 100.
  expect(scaler.maxReplicas * 21).toBeLessThanOrEqual(100);
});

test('the disruption budget keeps one replica, and all selectors match the same pods', () => {
  const spec = specOf('Deployment');
  expect(specOf('PodDisruptionBudget')).toMatchObject({
    minAvailable: 1,
    selector: spec['selector'],
  });
  expect({ matchLabels: specOf('Service')['selector'] }).toEqual(spec['selector']);
  expect(specOf('NetworkPolicy')['podSelector']).toEqual(spec['selector']);
  expect(spec['template']).toMatchObject({
    metadata: { labels: specOf('Service')['selector'] },
  });
});

test('the health check of the image and the liveness probe use the same path', () => {
  const [, check = ''] = /^HEALTHCHECK [^]*?\n {2}CMD (.*)$/m.exec(readDeploy('Dockerfile')) ?? [];
  expect(check).toContain("fetch('http://127.0.0.1:7717/healthz')");
});

test('the image and the pods use the same user', () => {
  const [, uid] = /useradd --uid (\d+)/.exec(readDeploy('Dockerfile')) ?? [];
  expect(specOf('Deployment')['template']).toMatchObject({
    spec: { securityContext: { runAsUser: Number(uid), fsGroup: Number(uid) } },
  });
});

test('systemd does not restart a server with invalid settings, and gives it time to stop', () => {
  for (const name of ['chatd.service', 'chatd@.service', 'chatd-machine.service']) {
    const unit = readDeploy(`systemd/${name}`);
    expect(unit).toMatch(/^RestartPreventExitStatus=2/m);
    expect(unit).toMatch(/^TimeoutStopSec=(?:60|75)$/m);
    expect(unit).toMatch(/^NoNewPrivileges=yes$/m);
  }
});

test('systemd is notified, and its watchdog timeout is longer than the lease', () => {
  for (const name of ['chatd.service', 'chatd@.service']) {
    const unit = readDeploy(`systemd/${name}`);
    expect(unit).toMatch(/^Type=notify$/m);
    expect(unit).toMatch(/^NotifyAccess=all$/m);
    const [, seconds] = /^WatchdogSec=(\d+)$/m.exec(unit) ?? [];
    expect(Number(seconds)).toBeGreaterThan(30);
    expect(unit).toMatch(/^TimeoutStartSec=30min$/m);
  }
});

test('units with workspaces allow what the sandbox needs', () => {
  for (const name of ['chatd.service', 'chatd-machine.service']) {
    const unit = readDeploy(`systemd/${name}`);
    // bubblewrap creates namespaces, and cannot mount /proc if parts of it are masked.
    expect(unit).not.toMatch(/^(?:RestrictNamespaces|ProtectKernelTunables|ProtectKernelLogs)=/m);
  }
  expect(readDeploy('systemd/chatd@.service')).toMatch(/CHATD_LOCAL_MACHINE=0/);
});

test('replicas host no workspaces, and machines reach them through the proxy or the Service', () => {
  expect(replica('chatd-1').environment).toMatchObject({
    CHATD_LOCAL_MACHINE: 0,
    CHATD_ALLOWED_HOSTS: expect.stringMatching(/,proxy:8080$/),
  });
  expect(replica('machine')).toMatchObject({
    command: ['machine'],
    environment: { CHATD_URL: 'http://proxy:8080' },
  });
  expect(readDeploy('nginx.conf')).toMatch(/^ {2}proxy_set_header Upgrade \$http_upgrade;$/m);
  expect(JSON.stringify(specOf('StatefulSet', 'chatd-machine'))).toContain(
    '{"name":"CHATD_URL","value":"http://chatd"}',
  );
  expect(JSON.stringify(specOf('Deployment'))).toContain(
    '{"name":"CHATD_LOCAL_MACHINE","value":"0"}',
  );
  const path = 'spec.template.spec.containers.0.env.[name=CHATD_ALLOWED_HOSTS].value';
  expect(fieldAt('Deployment', path)).toMatch(/,chatd,chatd\.chatd$/);
});

test('no selector matches both replicas and machines', () => {
  const machines = specOf('StatefulSet', 'chatd-machine')['selector'];
  expect(machines).toEqual({ matchLabels: specOf('Service', 'chatd-machine')['selector'] });
  expect(specOf('NetworkPolicy', 'chatd-machine')['podSelector']).toEqual(machines);
  expect(machines).not.toEqual(specOf('Deployment')['selector']);
  // kustomize would add the same label to all of them.
  expect(readDeploy('kubernetes/kustomization.yaml')).not.toContain('includeSelectors');
});

test('pods of machines have a user namespace, no capabilities and no account', () => {
  const { template } = specOf('StatefulSet', 'chatd-machine') as {
    template: { spec: { containers: Container[] } };
  };
  expect(template.spec).toMatchObject({
    hostUsers: false,
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true },
  });
  expect(template.spec.containers[0]?.securityContext).toMatchObject({
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
  });
});

test('alerts and the dashboard use only documented metrics', () => {
  const documented = readFileSync(join(dirname(DEPLOY), 'docs/observability.md'), 'utf8');
  const exprs = [...alertRules(), ...dashboardQueries()].map(({ expr }) => expr);
  for (const name of new Set(exprs.flatMap(metricsIn))) {
    const base = name.replace(/_(?:bucket|count|sum)$/, '');
    const known = documented.includes(base) || /^chatd_(?:process|nodejs)_/.test(base);
    expect(known, base).toBe(true);
  }
});

test('every alert has a severity, a summary and an action', () => {
  for (const { alert, labels, annotations } of alertRules()) {
    expect(labels['severity'], alert).toMatch(/^(?:page|ticket)$/);
    expect(annotations, alert).toMatchObject({
      summary: expect.any(String),
      action: expect.any(String),
    });
  }
});
