import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { ROOT } from '../../checks.ts';

export const DEPLOY = join(ROOT, 'deploy');

/** All files in deploy/, as relative paths. */
export function deployFiles(): string[] {
  return globSync('**/*.*', { cwd: DEPLOY }).concat('Dockerfile').toSorted();
}

export function readDeploy(file: string): string {
  return readFileSync(join(DEPLOY, file), 'utf8');
}

/** The documents of a YAML file, with anchors and merges resolved. */
export function readYaml<Shape>(file: string): Shape[] {
  return parseAllDocuments(readDeploy(file), { merge: true }).map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return document.toJS() as Shape;
  });
}

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export function alertRules(): AlertRule[] {
  const [file] = readYaml<{ groups: { rules: AlertRule[] }[] }>('prometheus/alerts.yaml');
  return file?.groups.flatMap(({ rules }) => rules) ?? [];
}

/** The queries of the dashboard with their panel titles. */
export function dashboardQueries(): { title: string; expr: string }[] {
  const { panels } = JSON.parse(readDeploy('grafana/chatd.json')) as {
    panels: { title: string; targets?: { expr: string }[] }[];
  };
  return panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
}

export const metricsIn = (expr: string): string[] => [...new Set(expr.match(/\bchatd_\w+/g) ?? [])];
