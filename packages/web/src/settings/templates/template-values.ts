import type { BodyOf } from '@chatd/client';
import type { Template } from '@chatd/protocol';
import { notNumbers, numberIn, numberText } from '../form/numbers.ts';
import { NOT_PAIRS, pairsIn, pairsText } from '../form/pairs.ts';
import type { FieldErrors } from '../form/use-form.ts';

export interface TemplateValues {
  readonly name: string;
  readonly description: string;
  readonly driver: Template['driver'];
  readonly image: string;
  readonly source_kind: 'none' | 'git' | 'path';
  readonly git_url: string;
  readonly git_ref: string;
  readonly path: string;
  readonly setup: string;
  readonly env: string;
  /** Of the machine: one `NAME=value` per line. */
  readonly labels: string;
  readonly memory_mb: string;
  readonly processes: string;
  readonly disk_mb: string;
  readonly network: 'none' | 'allowlist' | 'internet';
  /** One host per line. */
  readonly allowlist: string;
  readonly desktop: boolean;
  readonly width: string;
  readonly height: string;
}

export function valuesOfTemplate(template: Template | undefined): TemplateValues {
  const source = template?.source;
  const desktop = template?.desktop ?? false;
  const network = template?.network ?? 'none';
  const size = typeof desktop === 'object' ? desktop : undefined;
  return {
    name: template?.name ?? '',
    description: template?.description ?? '',
    driver: template?.driver ?? 'host',
    image: template?.image ?? '',
    source_kind: source === undefined ? 'none' : 'git' in source ? 'git' : 'path',
    git_url: source !== undefined && 'git' in source ? source.git.url : '',
    git_ref: source !== undefined && 'git' in source ? (source.git.ref ?? '') : '',
    path: source !== undefined && 'path' in source ? source.path : '',
    setup: template?.setup ?? '',
    env: pairsText(template?.env),
    labels: pairsText(template?.machine?.labels),
    memory_mb: numberText(template?.limits?.memory_mb),
    processes: numberText(template?.limits?.processes),
    disk_mb: numberText(template?.limits?.disk_mb),
    network: typeof network === 'object' ? 'allowlist' : network,
    allowlist: typeof network === 'object' ? network.allowlist.join('\n') : '',
    desktop: desktop !== false,
    width: numberText(size?.width),
    height: numberText(size?.height),
  };
}

const hostsIn = (text: string): string[] => text.split(/[\s,]+/).filter((host) => host !== '');

export function checkTemplate(values: TemplateValues): FieldErrors {
  const half = (values.width.trim() === '') !== (values.height.trim() === '');
  return {
    ...notNumbers(values, ['memory_mb', 'processes', 'disk_mb', 'width', 'height']),
    ...(values.network === 'allowlist' &&
      hostsIn(values.allowlist).length === 0 && { allowlist: 'must have at least one host' }),
    ...(pairsIn(values.env) === undefined && { env: NOT_PAIRS }),
    ...(pairsIn(values.labels) === undefined && { 'machine.labels': NOT_PAIRS }),
    ...(values.desktop &&
      half && { [values.width.trim() === '' ? 'width' : 'height']: 'set both or neither' }),
  };
}

export function bodyOfTemplate(
  values: TemplateValues,
  template: Template | undefined,
): Omit<BodyOf<'updateTemplate'>, 'mcp_servers'> & { name: string; driver: Template['driver'] } {
  const memory_mb = numberIn(values.memory_mb);
  const processes = numberIn(values.processes);
  const disk_mb = numberIn(values.disk_mb);
  const width = numberIn(values.width);
  const height = numberIn(values.height);
  return {
    name: values.name,
    description: values.description,
    driver: values.driver,
    source: sourceOf(values),
    setup: values.setup,
    env: pairsIn(values.env) ?? {},
    limits: {
      ...(memory_mb !== undefined && { memory_mb }),
      ...(processes !== undefined && { processes }),
      ...(disk_mb !== undefined && { disk_mb }),
    },
    network:
      values.network === 'allowlist' ? { allowlist: hostsIn(values.allowlist) } : values.network,
    machine: machineOf(values, template),
    image: values.driver === 'docker' && values.image.trim() !== '' ? values.image.trim() : null,
    desktop:
      values.desktop && width !== undefined && height !== undefined
        ? { width, height }
        : values.desktop,
  };
}

/** The form edits only the labels. */
function machineOf({ labels: text }: TemplateValues, template: Template | undefined) {
  const { labels: _, ...rest } = template?.machine ?? {};
  const labels = pairsIn(text) ?? {};
  const machine = { ...rest, ...(Object.keys(labels).length > 0 && { labels }) };
  return Object.keys(machine).length > 0 ? machine : null;
}

function sourceOf({ source_kind, git_url, git_ref, path }: TemplateValues) {
  switch (source_kind) {
    case 'none':
      return null;
    case 'git':
      return {
        git: { url: git_url.trim(), ...(git_ref.trim() !== '' && { ref: git_ref.trim() }) },
      };
    case 'path':
      return { path: path.trim() };
  }
}
